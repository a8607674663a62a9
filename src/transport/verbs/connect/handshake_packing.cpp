#include "transport/verbs/connect/handshake_packing.hpp"

#include <cstring>

#include "transport/verbs/parsing.hpp"

namespace peal::verbs {

namespace {

constexpr std::size_t proven = offsetof(packed_handshake, proof);

}  // namespace

packed_handshake handshake_packing::pack(const handshake_packet& what,
                                         const authenticator& by) noexcept {
  packed_handshake made;
  made.packet = what;
  made.number = ++sent_;
  made.proof = by.tag_of(&made, proven);
  return made;
}

handshake_packing::verdict handshake_packing::unpack(std::span<const std::byte> packet,
                                                     const addresses& who,
                                                     handshake_packet& into) noexcept {
  packed_handshake said;
  if (packet.size() < sizeof said) return verdict::refused;
  std::memcpy(&said, packet.data(), sizeof said);
  const handshake_packet& what = said.packet;
  if (problem_of(what)) return verdict::refused;
  if (what.to != who.self() || what.from == who.self() || what.from >= last_.size())
    return verdict::refused;
  const address* const from = who.of(what.from);
  if (!from || what.from_incarnation != from->incarnation ||
      what.to_incarnation != who.own().incarnation)
    return verdict::refused;
  if (!who.proof().matches(said.proof, &said, proven)) return verdict::refused;
  if (said.number <= last_[what.from]) return verdict::repeated;
  last_[what.from] = said.number;
  into = what;
  return verdict::good;
}

}  // namespace peal::verbs
