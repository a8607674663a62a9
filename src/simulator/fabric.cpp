#include "simulator/fabric.hpp"

#include <algorithm>

namespace peal::simulator {

fabric::fabric(const machine& of, int nodes, const std::vector<std::size_t>& pairs)
    : nic_{of.nic},
      leaf_nodes_{of.net.leaf_nodes},
      spine_rate_{of.nic.link_rate * of.net.leaf_nodes / of.net.oversubscription},
      hop_{from_ns(of.net.switch_ns + of.net.cable_ns)},
      cable_{from_ns(of.net.cable_ns)},
      pcie_{from_ns(of.nic.pcie_ns)},
      unit_{from_ns(of.nic.unit_ns)},
      nodes_(static_cast<std::size_t>(nodes)),
      leaves_(static_cast<std::size_t>((nodes + of.net.leaf_nodes - 1) / of.net.leaf_nodes)),
      out_units_(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(of.nic.units)),
      in_units_(out_units_) {
  for (std::size_t n = 0; n != nodes_.size(); ++n) {
    const double wanted = static_cast<double>(pairs[n] * nic_.context_bytes);
    const auto room = static_cast<double>(nic_.cache_bytes);
    const double part = wanted > room ? 1 - room / wanted : 0;
    nodes_[n].miss = from_ns(part * nic_.pcie_ns);
    most_misses_ = std::max(most_misses_, part);
  }
}

std::size_t fabric::packets(std::size_t bytes) const noexcept {
  return std::max((bytes + nic_.packet_bytes - 1) / nic_.packet_bytes, std::size_t{1});
}

// Each queue pair's part goes through the unit that serves it. `begin`: when the first packet is
// through. Returns when the last one is.
picoseconds fabric::process(std::vector<picoseconds>& units, int at, picoseconds ready,
                            const parcel& what, picoseconds& begin) {
  const auto base = static_cast<std::size_t>(at) * static_cast<std::size_t>(nic_.units);
  const std::size_t all = packets(what.bytes);
  const picoseconds miss = nodes_[static_cast<std::size_t>(at)].miss;
  picoseconds end = 0;
  for (std::uint32_t k = 0; k != what.pairs; ++k) {
    const std::size_t mine = (all + k) / what.pairs;  // their sum is `all`
    if (mine == 0) continue;
    const std::size_t serving = (what.pair + k) / static_cast<std::size_t>(nic_.pairs_per_unit) %
                                static_cast<std::size_t>(nic_.units);
    picoseconds& unit = units[base + serving];
    const picoseconds start = std::max(unit, ready) + miss;
    unit = start + static_cast<picoseconds>(mine) * unit_;
    begin = end == 0 ? start + unit_ : std::min(begin, start + unit_);
    end = std::max(end, unit);
  }
  return end;
}

picoseconds fabric::leave(picoseconds now, way path, parcel& what) {
  node& here = nodes_[static_cast<std::size_t>(path.from)];
  picoseconds begin = 0;
  const picoseconds processed =
      process(out_units_, path.from, now + what.crossings * (pcie_ / 2), what, begin);
  const std::size_t wire = on_wire(what.bytes);
  const picoseconds start = std::max(here.out, begin);
  const picoseconds duration = lasting(wire, nic_.link_rate);
  here.out = start + duration;
  picoseconds head = start + cable_;
  what.tail = std::max(start + duration, processed) + cable_;
  if (path.same_leaf) return head;
  leaf& over = leaves_[static_cast<std::size_t>(path.from / leaf_nodes_)];
  const picoseconds rising = std::max(over.up, head + hop_ - cable_);
  over.up = rising + lasting(wire, spine_rate_);
  head = rising + cable_ + hop_;  // through the spine as well
  what.tail = std::max(over.up + cable_ + hop_, what.tail + 2 * hop_);
  return head;
}

picoseconds fabric::arrive(picoseconds now, way path, const parcel& what) {
  node& there = nodes_[static_cast<std::size_t>(path.to)];
  const std::size_t wire = on_wire(what.bytes);
  picoseconds head = now;
  picoseconds tail = what.tail;
  if (!path.same_leaf) {
    leaf& under = leaves_[static_cast<std::size_t>(path.to / leaf_nodes_)];
    head = std::max(under.down, head);
    under.down = head + lasting(wire, spine_rate_);
    tail = std::max(under.down, tail);
  }
  const picoseconds start = std::max(there.in, head + hop_);
  there.in = start + lasting(wire, nic_.link_rate);
  picoseconds begin = 0;
  const picoseconds processed = process(in_units_, path.to, start, what, begin);
  return std::max({there.in, tail + hop_, processed}) + pcie_ / 2;
}

picoseconds fabric::ask(picoseconds now, way path) const noexcept {
  return now + pcie_ / 2 + 2 * unit_ + cable_ + (path.same_leaf ? hop_ : 3 * hop_);
}

}  // namespace peal::simulator
