// simulator/fabric.hpp
// Adapters, links and switches as servers that take one thing at a time, first come, first served:
// when does a message arrive that leaves now? Messages cut through: a server passes the beginning
// on while the rest still comes.
//
// Layer    simulator: may include collective/, base/.
// Units    instants and durations in picoseconds; bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/machine.hpp"

namespace peal::simulator {

using picoseconds = std::int64_t;

constexpr picoseconds from_ns(double ns) noexcept {
  return static_cast<picoseconds>(ns * 1000 + 0.5);
}
/// How long so many bytes take at a rate of bytes/ns.
inline picoseconds lasting(std::size_t bytes, double rate) noexcept {
  return from_ns(static_cast<double>(bytes) / rate);
}

/// What two nodes are to each other.
struct way {
  int from = 0;  // nodes
  int to = 0;
  bool same_leaf = true;
};

/// One message, or the parts of a large one, as an adapter sees it.
struct parcel {
  std::size_t bytes = 0;
  std::uint32_t pair = 0;  // the first queue pair; `pairs` of them share the bytes
  std::uint32_t pairs = 1;
  // Of the PCIe bus, each half a round trip, before the adapter has request and payload.
  int crossings = 1;
  picoseconds tail = 0;  // when the last byte is at the switch before the receiver
};

class fabric {
 public:
  /// `pairs[n]`: queue pairs that are in use on node n.
  fabric(const machine&, int nodes, const std::vector<std::size_t>& pairs);

  /// The sender's doorbell rings at `now`. Returns when the first byte is at the switch before the
  /// receiver, and sets `tail`.
  picoseconds leave(picoseconds now, way, parcel&);
  /// The first byte is there at `now`. Returns when all of it lies in the receiver's memory.
  picoseconds arrive(picoseconds now, way, const parcel&);
  /// A request of the receiver's adapter, without payload, on its way back to the sender's.
  [[nodiscard]] picoseconds ask(picoseconds now, way) const noexcept;

  /// The part of accesses to a context that miss the adapter's cache: of the node where it is
  /// largest.
  [[nodiscard]] double misses() const noexcept { return most_misses_; }

 private:
  struct node {
    picoseconds out = 0;  // free from then on
    picoseconds in = 0;
    picoseconds miss = 0;  // what an access to a context costs on average
  };
  struct leaf {
    picoseconds up = 0;
    picoseconds down = 0;
  };

  [[nodiscard]] std::size_t packets(std::size_t bytes) const noexcept;
  [[nodiscard]] std::size_t on_wire(std::size_t bytes) const noexcept {
    return bytes + packets(bytes) * nic_.header_bytes;
  }
  picoseconds process(std::vector<picoseconds>& units, int node, picoseconds ready, const parcel&,
                      picoseconds& begin);

  adapter nic_;
  int leaf_nodes_;
  double spine_rate_;
  picoseconds hop_;  // a switch and a cable
  picoseconds cable_;
  picoseconds pcie_;  // there and back
  picoseconds unit_;
  double most_misses_ = 0;
  std::vector<node> nodes_;
  std::vector<leaf> leaves_;
  std::vector<picoseconds> out_units_;  // nic_.units of each node
  std::vector<picoseconds> in_units_;
};

}  // namespace peal::simulator
