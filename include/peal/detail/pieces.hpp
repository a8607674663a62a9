// peal/detail/pieces.hpp
// alltoallw: pieces of memory that differ in type and layout. Those that lie side by side are sent
// and filled where they are, the others go through memory of their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <peal/data/view.hpp>
#include <peal/detail/collectives/forms.hpp>
#include <peal/detail/core.hpp>
#include <peal/detail/std_parts.hpp>

namespace peal::detail {

/// Pieces of one side of an exchange, as blocks of memory of which each has an address of its own.
template <class View>
class pieces {
 public:
  /// `of`: whose pieces they are; null: the ranks'. One of proc_null is left out.
  pieces(std::span<const View> given, std::size_t count, const std::vector<int>* of,
         const location& where) {
    if (given.size() != count)
      fail(errc::invalid_argument,
           "alltoallw: there must be one piece for every rank, or neighbour", -1, where);
    std::size_t staged = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const strided_memory& memory = given[i].memory();
      const bool nobody = of && (*of)[i] == proc_null_value;
      bytes_.push_back(nobody ? 0 : memory.bytes());
      if (nobody || memory.packed() || memory.bytes() == 0) continue;
      apart_.push_back({i, staged, memory});
      staged += memory.bytes();
    }
    staging_ = raw_memory{staged};
    std::vector<const std::byte*> addresses;
    for (const View& each : given) addresses.push_back(each.memory().data());
    for (const staged_piece& each : apart_) addresses[each.index] = staging_.data() + each.offset;
    // Offsets count from the lowest address; what has no bytes may lie nowhere.
    for (std::size_t i = 0; i < count; ++i)
      if (bytes_[i] != 0 && (!base_ || std::less<>{}(addresses[i], base_))) base_ = addresses[i];
    if (!base_) base_ = staging_.data();
    for (std::size_t i = 0; i < count; ++i)
      offsets_.push_back(bytes_[i] == 0 ? 0
                                        : reinterpret_cast<std::uintptr_t>(addresses[i]) -
                                              reinterpret_cast<std::uintptr_t>(base_));
  }
  pieces(pieces&&) noexcept = default;

  [[nodiscard]] const std::vector<std::size_t>& bytes() const noexcept { return bytes_; }
  void give(const void*& base, const std::size_t*& sizes,
            const std::size_t*& offsets) const noexcept {
    base = base_;
    sizes = bytes_.data();
    offsets = offsets_.data();
  }
  void pack() {
    for (const staged_piece& each : apart_) each.memory.copy_to(staging_.data() + each.offset);
  }
  void unpack() {
    for (const staged_piece& each : apart_) each.memory.copy_from(staging_.data() + each.offset);
  }

 private:
  struct staged_piece {
    std::size_t index;
    std::size_t offset;
    strided_memory memory;
  };
  std::vector<std::size_t> bytes_;
  std::vector<std::size_t> offsets_;
  std::vector<staged_piece> apart_;
  raw_memory staging_;
  const std::byte* base_ = nullptr;
};

/// Both sides of an exchange with all ranks, or with neighbours.
struct both_sides {
  pieces<send_view> out;
  pieces<recv_view> in;

  /// Throws errc::invalid_argument where what this rank sends to itself has not the length of what
  /// it takes.
  both_sides(const communicator_state& of, collective kind, std::span<const send_view> given,
             std::span<const recv_view> wanted, const location& where)
      : out{given, outgoing(of, kind),
            kind == collective::alltoall ? nullptr : &neighbors_of(of).destinations, where},
        in{wanted, incoming(of, kind),
           kind == collective::alltoall ? nullptr : &neighbors_of(of).sources, where} {
    check_own(of, kind, where);
  }
  [[nodiscard]] collective_call call(collective kind) const {
    collective_call made;
    const void* room = nullptr;
    made.kind = kind;
    made.varying = true;
    out.give(made.send, made.send_bytes, made.send_offsets);
    in.give(room, made.receive_bytes, made.receive_offsets);
    made.receive = const_cast<void*>(room);
    return made;
  }

 private:
  static std::size_t outgoing(const communicator_state& of, collective kind) {
    return kind == collective::alltoall ? static_cast<std::size_t>(size_of(of))
                                        : neighbors_of(of).destinations.size();
  }
  static std::size_t incoming(const communicator_state& of, collective kind) {
    return kind == collective::alltoall ? static_cast<std::size_t>(size_of(of))
                                        : neighbors_of(of).sources.size();
  }
  void check_own(const communicator_state& of, collective kind, const location& where) const {
    const int me = rank_of(of);
    std::vector<std::size_t> given, taken;
    if (kind == collective::alltoall) {
      given.push_back(out.bytes()[static_cast<std::size_t>(me)]);
      taken.push_back(in.bytes()[static_cast<std::size_t>(me)]);
    } else {
      const neighborhood& near = neighbors_of(of);
      for (std::size_t k = 0; k < near.destinations.size(); ++k)
        if (const std::size_t at = near.paired ? k ^ 1 : k; near.destinations[at] == me)
          given.push_back(out.bytes()[at]);
      for (std::size_t at = 0; at < near.sources.size(); ++at)
        if (near.sources[at] == me) taken.push_back(in.bytes()[at]);
    }
    if (given != taken)
      fail(errc::invalid_argument,
           "alltoallw: what this rank sends to itself is not as long as what it takes from itself",
           me, where);
  }
};

/// alltoallw and neighbor_alltoallw.
class pieces_step {
 public:
  pieces_step(collective kind, both_sides sides) : kind_{kind}, sides_{std::move(sides)} {}
  void refresh(const location&) { sides_.out.pack(); }
  collective_call first() { return sides_.call(kind_); }
  void take(const location&) { sides_.in.unpack(); }
  void view() { sides_.in.unpack(); }

 private:
  collective kind_;
  both_sides sides_;
};

template <when When, collective Kind>
auto exchanged_pieces(const caller& by, std::span<const send_view> out,
                      std::span<const recv_view> in) {
  return perform<When>(
      by, [&] { return pieces_step{Kind, both_sides{by.in, Kind, out, in, by.where}}; });
}

}  // namespace peal::detail
