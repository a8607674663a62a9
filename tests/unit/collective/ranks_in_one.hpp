// tests/unit/collective/ranks_in_one.hpp
// All ranks of a small job in one process and one thread: real messaging over a transport that
// hands messages over in a random order, refuses sends now and then, and fetches late. A seed gives
// the same order again.
#pragma once

#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "collective/collectives.hpp"
#include "p2p/messaging.hpp"
#include "p2p/team.hpp"
#include "peal/error.hpp"
#include "progress/engine.hpp"
#include "transport/contract.hpp"

namespace peal::test {

/// One rank's side. Messages of a pair keep their order; pairs are served at random.
class shuffling_transport final : public transport {
 public:
  shuffling_transport(sink& into, peer_id self, std::vector<shuffling_transport*>& all,
                      std::mt19937& random)
      : transport{256}, sink_{into}, self_{self}, all_{all}, random_{random}, inbox_(all.size()) {}

  [[nodiscard]] bool send(peer_id to, envelope e, const void* payload) noexcept override {
    if (random_() % 4 == 0) return false;
    const auto* bytes = static_cast<const std::byte*>(payload);
    message sent{e, std::vector<aligned>((e.bytes() + sizeof(aligned) - 1) / sizeof(aligned))};
    if (e.bytes() != 0) std::memcpy(sent.payload.data(), bytes, e.bytes());
    if (shuffling_transport* other = all_[to]) other->inbox_[self_].push_back(std::move(sent));
    return true;
  }
  [[nodiscard]] bool wants_eager(peer_id) const noexcept override { return true; }
  void set_wants_eager(bool) noexcept override {}
  remote_region expose(peer_id, const void* data, std::size_t) noexcept override {
    return {{reinterpret_cast<std::uintptr_t>(data), 0, 0, 0}};
  }
  void withdraw(peer_id, const remote_region&) noexcept override {}
  void start_fetch(fetch& f) noexcept override { fetches_.push_back(&f); }
  void hold_together(batching wanted) noexcept override {
    together_ = wanted != batching::none;
    brackets_ += wanted == batching::of_one_peer;
    fans_ += wanted == batching::of_several_peers;
  }
  /// How often messages were told to leave together; -1: the last ones were not let go.
  [[nodiscard]] int brackets() const noexcept { return together_ ? -1 : brackets_; }
  /// The same where each goes to another peer.
  [[nodiscard]] int fans() const noexcept { return together_ ? -1 : fans_; }
  bool poll() noexcept override {
    if (!fetches_.empty() && random_() % 2 == 0) {
      fetch& f = *fetches_.front();
      fetches_.pop_front();
      const auto* const from = reinterpret_cast<const std::byte*>(f.where.words[0]);
      if (f.absorb == nullptr) std::memcpy(f.into, from, f.bytes);
      // Pages from the back: no order is promised.
      else
        for (std::size_t page = (f.bytes + 4095) / 4096; page-- > 0;)
          f.absorb(f, from + page * 4096, page * 4096,
                   std::min<std::size_t>(4096, f.bytes - page * 4096));
      f.done(f, {});
      return true;
    }
    const auto from = static_cast<peer_id>(random_() % inbox_.size());
    if (inbox_[from].empty()) return false;
    const message taken = std::move(inbox_[from].front());
    inbox_[from].pop_front();
    sink_.arrived(from, taken.head, reinterpret_cast<const std::byte*>(taken.payload.data()));
    return true;
  }
  void peer_failed(peer_id dead) noexcept override {
    for (std::size_t i = fetches_.size(); i-- > 0;) {
      if (fetches_[i]->from != dead) continue;
      fetch& f = *fetches_[i];
      fetches_.erase(fetches_.begin() + static_cast<std::ptrdiff_t>(i));
      f.done(f, make_error_code(errc::peer_failed));
    }
  }

 private:
  struct alignas(16) aligned {
    std::byte bytes[16];
  };
  struct message {
    envelope head;
    std::vector<aligned> payload;
  };

  sink& sink_;
  peer_id self_;
  std::vector<shuffling_transport*>& all_;  // null: dead
  std::mt19937& random_;
  std::vector<std::deque<message>> inbox_;  // by sender
  std::deque<fetch*> fetches_;
  bool together_ = false;
  int brackets_ = 0, fans_ = 0;
};

class job {
 public:
  /// `nodes`: by rank, as collectives wants them.
  explicit job(int size, unsigned seed = 1, std::vector<std::uint32_t> nodes = {})
      : random_{seed}, wires_(static_cast<std::size_t>(size)), nodes_{std::move(nodes)} {
    for (int r = 0; r != size; ++r) ranks_.push_back(std::make_unique<rank_of_job>(*this, r, size));
  }
  ~job() {
    for (auto& each : ranks_) each->state.reset();
  }

  [[nodiscard]] int size() const { return static_cast<int>(ranks_.size()); }

  operation& start(int rank, const collective_call& call) {
    return at(rank).collectives.start(*at(rank).state, call);
  }
  operation& start_in_new_communicator(int rank, const collective_call& call) {
    collective_state other{at(rank).collectives, at(rank).members};
    return at(rank).collectives.start(other, call);
  }

  /// Polls the ranks at random until all these operations have ended. False: nothing has moved for
  /// long.
  [[nodiscard]] bool finish(const std::vector<operation*>& operations) {
    int idle = 0;
    while (idle < 100000) {
      bool all = true;
      for (const operation* each : operations)
        all = all && (!each || each->finished.load(std::memory_order_relaxed));
      if (all) return true;
      idle = turn() ? 0 : idle + 1;
    }
    return false;
  }
  void step() { turn(); }
  /// Polls until nothing has moved for a while.
  void settle() {
    for (int idle = 0; idle < 2000;) idle = turn() ? 0 : idle + 1;
  }
  outcome release(int rank, operation& over) {
    const outcome result = over.result;
    at(rank).messages.release(over);
    return result;
  }
  std::exception_ptr take_exception(int rank, operation& over) {
    return at(rank).collectives.take_exception(over);
  }

  /// What a rank is made of: use(messaging&, collectives&, collective_state&, const team&).
  template <class Use>
  decltype(auto) with(int rank, const Use& use) {
    rank_of_job& here = at(rank);
    return use(here.messages, here.collectives, *here.state, std::as_const(here.members));
  }

  /// The rank is gone: it does nothing any more.
  void kill(int rank) {
    wires_[static_cast<std::size_t>(rank)] = nullptr;
    at(rank).alive = false;
  }
  /// Tells one rank of it.
  void tell(int rank, int dead) {
    at(rank).messages.peer_failed(static_cast<peer_id>(dead));
    at(rank).collectives.peer_failed(static_cast<peer_id>(dead));
  }
  [[nodiscard]] int brackets(int rank) { return at(rank).wire.brackets(); }
  [[nodiscard]] int fans(int rank) { return at(rank).wire.fans(); }
  [[nodiscard]] bool quiet(int rank) { return at(rank).messages.idle(); }
  std::mt19937& random() { return random_; }

 private:
  struct rank_of_job final : router {
    rank_of_job(job& in, int rank, int size)
        : messages{progress,
                   *this,
                   {{}, static_cast<peer_id>(rank), static_cast<std::uint32_t>(size)}},
          wire{messages, static_cast<peer_id>(rank), in.wires_, in.random_},
          members{10, rank, everyone(size)},
          collectives{messages, settings, in.nodes_} {
      in.wires_[static_cast<std::size_t>(rank)] = &wire;
      messages.add(wire);
      state.emplace(collectives, members);
    }
    transport& route(peer_id) noexcept override { return wire; }
    static std::vector<peer_id> everyone(int size) {
      std::vector<peer_id> all;
      for (int r = 0; r != size; ++r) all.push_back(static_cast<peer_id>(r));
      return all;
    }

    engine progress;
    messaging messages;
    shuffling_transport wire;
    team members;
    algorithm_settings settings = job_settings::from_environment().algorithms;
    peal::collectives collectives;
    std::optional<collective_state> state;
    bool alive = true;
  };

  rank_of_job& at(int rank) { return *ranks_[static_cast<std::size_t>(rank)]; }
  bool turn() {
    rank_of_job& chosen = *ranks_[random_() % ranks_.size()];
    if (!chosen.alive) return false;
    const bool moved = chosen.messages.poll();
    chosen.progress.run_deferred();
    return moved;
  }

  std::mt19937 random_;
  std::vector<shuffling_transport*> wires_;
  std::vector<std::uint32_t> nodes_;
  std::vector<std::unique_ptr<rank_of_job>> ranks_;
};

}  // namespace peal::test
