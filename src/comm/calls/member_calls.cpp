// The functions of peal/detail/core.hpp by which some ranks of a communicator make one, without the
// others.
#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "comm/calls/making.hpp"
#include "comm/calls/waiting.hpp"
#include "comm/checks/checks.hpp"
#include "comm/member_tree.hpp"

namespace peal::detail {

namespace {

/// From a communicator's first on. Replies of ranks that are asked about absences have it, too,
/// with tag 0.
constexpr std::uint32_t context_of_members = contexts_of_one - 3;

/// Messages among some ranks of a communicator that are none of the user's.
class apart {
 public:
  apart(communicator_state& on, int tag, const location& where) noexcept
      : on_{on}, tag_{tag}, where_{where} {}

  operation& start_send(int dest, const void* data, std::size_t bytes) const {
    const std::lock_guard<engine> guard{on_.home.progress};
    operation& started = on_.home.messages->start_send(on_, context(), data, bytes, dest, tag_);
    on_.home.flush();
    return started;
  }
  operation& start_recv(int source, void* data, std::size_t bytes) const {
    const std::lock_guard<engine> guard{on_.home.progress};
    return on_.home.messages->start_recv(on_, context(), data, bytes, source, tag_);
  }
  void end(operation& awaited, int peer) const {
    const finished_release guard{on_.home, awaited};
    wait_for(on_.home, awaited);
    if (awaited.result.error)
      throw_failure(awaited.result.error, "making a communicator with", peer, where_);
  }
  template <class Value>
  void send(int dest, const Value& value) const {
    end(start_send(dest, &value, sizeof value), dest);
  }
  template <class Value>
  void recv(int source, Value& value) const {
    end(start_recv(source, &value, sizeof value), source);
  }

 private:
  [[nodiscard]] std::uint32_t context() const noexcept {
    return on_.context() + context_of_members;
  }

  communicator_state& on_;
  const int tag_;
  const location& where_;
};

/// Where this rank is among the members.
int own_place(const communicator_state& from, const std::vector<int>& members,
              const location& where) {
  std::vector<bool> named(static_cast<std::size_t>(from.size()));
  for (const int each : members) {
    if (each < 0 || each >= from.size()) refuse_rank(from, "member", each, false, where);
    if (named[static_cast<std::size_t>(each)])
      throw error(errc::invalid_argument, "a rank is named twice as a member", each, where);
    named[static_cast<std::size_t>(each)] = true;
  }
  if (!named[static_cast<std::size_t>(from.rank())])
    throw error(errc::invalid_argument, "this rank is not among the members", from.rank(), where);
  return static_cast<int>(std::ranges::find(members, from.rank()) - members.begin());
}

/// The messages of one call, along the tree.
struct along_tree {
  apart by;
  const std::vector<int>& members;
  member_tree tree;

  [[nodiscard]] int rank_at(int place) const { return members[static_cast<std::size_t>(place)]; }
  /// What the first member has.
  template <class Value>
  void pass_on(Value& value) const {
    if (tree.above >= 0) by.recv(rank_at(tree.above), value);
    for (const int each : tree.below) by.send(rank_at(each), value);
  }
  /// Whether it is so on every member.
  [[nodiscard]] bool everywhere(bool here) const {
    std::uint32_t all = here ? 1 : 0;
    for (const int each : tree.below) {
      std::uint32_t theirs = 0;
      by.recv(rank_at(each), theirs);
      all &= theirs;
    }
    if (tree.above >= 0) by.send(rank_at(tree.above), all);
    pass_on(all);
    return all != 0;
  }
};

}  // namespace

communicator_state& form(communicator_state& from, const std::vector<int>& members, int tag,
                         const location& where) {
  job& here = job::require(where);
  const int place = own_place(from, members, where);
  std::vector<peer_id> peers;
  for (const int each : members) peers.push_back(from.peer(each));
  const along_tree between{
      apart{from, tag, where}, members, {place, static_cast<int>(members.size())}};
  context_pool& contexts = here.contexts();
  offers own{contexts};
  // As in a copy: the first one gives the number, and where that was used before all are asked.
  for (;;) {
    context_pool::offer offered;
    if (place == 0) offered = own.next();
    between.pass_on(offered);
    if (offered.context == 0) refuse_more_communicators(where);
    const bool holds = contexts.hold(offered.context);
    if (!offered.used_before || between.everywhere(holds)) {
      if (place == 0) own.taken();
      return make_communicator(here, team{offered.context, place, std::move(peers)}, nullptr, {});
    }
    if (holds) contexts.let_go(offered.context);
  }
}

void exchange_apart(communicator_state& on, int with, int tag, const void* send,
                    std::size_t send_bytes, void* receive, std::size_t receive_bytes,
                    const location& where) {
  (void)job::require(where);
  if (with < 0 || with >= on.size()) refuse_rank(on, "peer", with, false, where);
  const apart by{on, tag, where};
  operation& receiving = by.start_recv(with, receive, receive_bytes);
  // Both end before anything is thrown: the memory is the caller's. A send that fails has a peer
  // that has gone, so that the receive fails, too.
  {
    operation& sending = by.start_send(with, send, send_bytes);
    const finished_release guard{on.home, sending};
    wait_for(on.home, sending);
  }
  by.end(receiving, with);
}

}  // namespace peal::detail
