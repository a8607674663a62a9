// transport/verbs/datagram/node_watch.hpp
// Whether peers without a connection are still there. Their adapters acknowledge nothing by
// themselves, and a peer that does not acknowledge may just compute, or be stopped. So the kernels
// of their nodes are asked, in the ways that `prober` knows.
//
// - The node is asked after half a `silence` without a packet from any of its peers, then eight
//   times in each silence. Its peers are lost once it has been silent for a silence and six
//   questions in a row went without an answer. A node that has never answered counts as unknown (a
//   firewall, an InfiniBand fabric without IP): its peers are not given up.
// A node that is reached over several networks is asked over the next one when it did not answer.
// - The process is asked at its door. A refusal means that there is no such process any more; a
//   process that is stopped refuses nothing. A peer is lost when it has refused for a silence: one
//   that ended in good order is not missed that long.
// Where there is reason to doubt that a peer is there both are asked at once.
// Questions are counted, and not only time, so that it does no harm when this process computes, or
// is stopped, for an hour.
//
// Layer    transport/verbs. Knows no device, no clock and no socket.
// Threads  one at a time.
// Errors   none.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "transport/contract.hpp"
#include "transport/verbs/device/interface.hpp"
#include "transport/verbs/peer_events.hpp"

namespace peal::verbs {

/// What asks a kernel. None of this waits.
class prober {
 public:
  /// Whether a node is there: the number of a question; negative when none can be asked now.
  [[nodiscard]] virtual int ask(const gid_bytes& node) noexcept = 0;
  [[nodiscard]] virtual bool answered(int question) noexcept = 0;
  virtual void end(int question) noexcept = 0;
  /// Whether a process is there: its kernel says so only when it is not.
  virtual void probe_process(const gid_bytes& node, std::uint16_t door) noexcept = 0;
  /// The next process that is not. False: none.
  [[nodiscard]] virtual bool refused(gid_bytes& node, std::uint16_t& door) noexcept = 0;

 protected:
  ~prober() = default;
};

/// Over which of the own rails, and where.
struct way_to_ask {
  std::uint8_t own = 0;
  gid_bytes node{};
  std::uint16_t door = 0;  // of the process; 0: none
};

class node_watch {
 public:
  using clock = std::chrono::steady_clock;
  /// `lost` may call anything here.
  using told = std::function<void(peer_id, peer_loss)>;

  /// `askers`: of each rail.
  node_watch(std::vector<prober*> askers, const gid_bytes& own_node, std::uint32_t peers,
             clock::duration silence, told lost);
  ~node_watch();
  node_watch(const node_watch&) = delete;
  node_watch& operator=(const node_watch&) = delete;

  /// Not of the own node: there the launcher sees which processes end. A node is known by the first
  /// of its ways, of which there is one at least.
  void watch(peer_id, const std::vector<way_to_ask>& ways, clock::time_point now);
  void end(peer_id) noexcept;
  [[nodiscard]] bool watches(peer_id which) const noexcept { return places_[which] != 0; }
  /// Whether its node has answered lately, and no door of its was shut. False where it is not
  /// watched, or the node has never answered.
  [[nodiscard]] bool is_there(peer_id, clock::time_point now) const noexcept;
  /// There is reason to ask now, at the next look. False: it is not watched, or its node has never
  /// answered.
  [[nodiscard]] bool doubt(peer_id) noexcept;
  /// A packet came.
  void heard(peer_id from, clock::time_point now) noexcept {
    if (places_[from] != 0) heard_at(places_[from] - 1, now);
  }
  /// When `look` has something to do.
  [[nodiscard]] clock::time_point due() const noexcept {
    return watched_.empty() ? clock::time_point::max() : next_look_;
  }
  /// Asks, and listens; cheap when nothing is due.
  void look(clock::time_point now) noexcept {
    if (now >= next_look_ && !watched_.empty()) look_around(now);
  }

 private:
  struct node {
    gid_bytes gid{};
    std::vector<way_to_ask> ways;  // the doors are not the node's
    std::size_t way = 0;           // where it is asked
    std::uint32_t peers = 0;       // that are watched
    bool answers = false;          // it did once
    bool doubted = false;          // it is asked until there is a sign of it
    int question = -1;
    std::uint32_t unanswered = 0;  // questions in a row
    clock::time_point asked, sign;
  };
  struct watched {
    peer_id peer = 0;
    std::uint32_t node = 0;
    std::vector<std::uint16_t> doors;  // by way
    bool refuses = false;
    bool doubted = false;
    clock::time_point heard, knocked, refused_since;
  };
  void heard_at(std::uint32_t place, clock::time_point now) noexcept;
  void look_around(clock::time_point now) noexcept;
  void look_at_nodes(clock::time_point now, std::vector<peer_id>& lost) noexcept;
  void probe_process(clock::time_point now) noexcept;
  void take_refusals(clock::time_point now, std::vector<peer_id>& lost) noexcept;
  [[nodiscard]] prober& asker_of(const node& at) const noexcept {
    return *askers_[at.ways[at.way].own];
  }
  void ask(node&, clock::time_point now) noexcept;
  void stop_asking(node&) noexcept;

  const std::vector<prober*> askers_;  // by rail
  const gid_bytes own_;
  const clock::duration silence_;
  const told lost_;
  std::vector<std::uint32_t> places_;  // by peer: its place among the watched + 1
  std::vector<watched> watched_;
  std::vector<node> nodes_;  // every one ever met
  std::size_t open_ = 0;     // questions
  std::size_t next_node_ = 0, next_door_ = 0;
  clock::time_point next_look_ = clock::time_point::min();
};

}  // namespace peal::verbs
