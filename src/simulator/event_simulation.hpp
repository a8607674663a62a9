// simulator/event_simulation.hpp
// The state of a simulation, and its events: a rank begins a round, a message leaves, arrives, is
// taken. simulation.hpp says what is simulated, and simulation.cpp holds what each event does.
//
// Layer    simulator: may include collective/, base/.
// Units    picoseconds, bytes.
// Threads  none of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "collective/choice/cost_rules.hpp"
#include "simulator/simulation.hpp"

namespace peal::simulator {

class event_simulation {
 public:
  event_simulation(const machine& of, const population& ranks);

  outcome simulate();

 private:
  using stage = shape::stage;
  enum class kind : std::uint8_t { begin, depart, head, deliver, source, copied, dispatch };
  enum class phase : std::uint8_t { eager, announced, data, answer };

  struct event {
    picoseconds at;
    std::uint64_t order;  // of events at the same instant
    std::uint32_t index;  // a simulated rank, or a transfer
    kind what;
    std::uint8_t stream;

    friend bool operator>(const event& a, const event& b) noexcept {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  struct transfer {
    std::uint32_t from;  // of the message; an answer goes the other way
    std::uint32_t to;
    std::uint32_t receive;  // of the receiver's
    std::uint32_t depth;
    std::uint32_t from_pair;  // the first queue pair of the connection, at the sender
    std::uint32_t to_pair;
    std::size_t bytes;
    parcel packet;
    phase is;
    std::uint8_t stream;
    bool local, same_leaf;
  };
  struct early {
    std::uint32_t receive, message;
  };
  struct stream_state {
    std::uint32_t at = stage::none;
    std::uint32_t pending = 0;  // receives and sends under way, and one while the round is posted
    std::uint32_t next_send = 0;
    std::uint32_t depth = 0;       // rounds before this one on the way that decides
    std::uint32_t last_depth = 0;  // of what ended last
    picoseconds last = 0;
  };
  struct simulated_rank {
    const shape* schedule_shape = nullptr;
    std::size_t streams = 0;  // where its own begin in streams_
    std::uint32_t core = 0;
    std::uint32_t pairs = 0;  // number of its first queue pair
    std::vector<early> waiting;
    std::deque<event> inbox;  // where ranks share cores: what it will see when it runs
  };
  struct core_state {
    picoseconds free = 0;    // when it has done what it was given
    std::uint32_t runs = 0;  // place among `ranks` of the one that it serves
    bool called = false;     // a dispatch is under way
    std::vector<std::uint32_t> ranks;
  };
  /// Where a peer is.
  struct target {
    std::uint32_t who;
    bool local, same_leaf;
  };

  void push(picoseconds at, kind what, std::uint32_t index, std::uint32_t stream = 0) {
    queue_.push({at, order_++, index, what, static_cast<std::uint8_t>(stream)});
  }
  [[nodiscard]] target find(std::uint32_t who, relation, std::int32_t peer) const noexcept;
  [[nodiscard]] int node_of(std::uint32_t who) const noexcept {
    return static_cast<int>(who) / machine_.ranks_per_node;
  }
  [[nodiscard]] stream_state& stream_of(std::uint32_t who, std::uint32_t stream) noexcept {
    return streams_[ranks_[who].streams + stream];
  }
  [[nodiscard]] way path_of(const transfer& f) const noexcept {
    const bool back = f.is == phase::answer;
    return {node_of(back ? f.to : f.from), node_of(back ? f.from : f.to), f.same_leaf};
  }
  [[nodiscard]] bool eager(std::size_t bytes, bool local) const noexcept {
    return bytes <= cost_rules::eager_limit(!local);
  }
  [[nodiscard]] std::uint32_t pairs_for(std::size_t bytes) const noexcept;
  [[nodiscard]] picoseconds cost_of(std::uint32_t who, const shape::sent&) const noexcept;
  [[nodiscard]] bool rings(const shape::sent& s) const noexcept {
    return machine_.ring == doorbells::each || s.first;
  }
  picoseconds work(std::uint32_t who, picoseconds now, picoseconds cost) noexcept {
    picoseconds& free = cores_[ranks_[who].core].free;
    return free = std::max(free, now) + cost;
  }
  std::vector<std::size_t> count_pairs();
  std::uint32_t take_transfer();

  void deal_cores();
  void run(const event&);
  /// Where ranks share cores an event is put aside until its rank runs.
  void call(std::uint32_t core, picoseconds now);
  void dispatch(std::uint32_t core, picoseconds now);
  [[nodiscard]] std::uint32_t concerned(const event& e) const noexcept {
    if (e.what == kind::begin) return e.index;
    return transfers_[e.index].is == phase::answer ? transfers_[e.index].from
                                                   : transfers_[e.index].to;
  }

  void begin(std::uint32_t who, std::uint32_t stream, picoseconds now);
  void depart(std::uint32_t who, std::uint32_t stream, picoseconds now);
  void posted(std::uint32_t who, std::uint32_t stream, picoseconds now);
  void deliver(std::uint32_t message, picoseconds now);
  void receive(std::uint32_t message, picoseconds now);
  void fetch(std::uint32_t message, picoseconds now);
  void copy(std::uint32_t message, picoseconds now);
  void answer(std::uint32_t message, picoseconds now);
  void send_back(std::uint32_t message, picoseconds now);
  void ended_one(std::uint32_t who, std::uint32_t stream, picoseconds now, std::uint32_t depth);

  const machine& machine_;
  cost_rules rules_;
  const population& population_;
  std::vector<simulated_rank> ranks_;
  std::vector<core_state> cores_;
  std::vector<stream_state> streams_;
  std::vector<transfer> transfers_;
  std::vector<std::uint32_t> free_transfers_;
  std::priority_queue<event, std::vector<event>, std::greater<>> queue_;
  std::uint64_t order_ = 0;
  std::size_t open_streams_ = 0;
  outcome result_;
  fabric fabric_;
};

}  // namespace peal::simulator
