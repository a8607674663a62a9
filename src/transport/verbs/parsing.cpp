#include "transport/verbs/parsing.hpp"

#include <limits>

#include "transport/verbs/connect/interface.hpp"

namespace peal::verbs {

namespace {

/// Whether [at, at + bytes) is a range of addresses or positions.
bool is_range(std::uint64_t at, std::uint64_t bytes) noexcept {
  return bytes > 0 && bytes <= std::numeric_limits<std::uint64_t>::max() - at;
}

const char* problem_of_ask(payload_view& said, std::size_t behind) noexcept {
  if (behind != sizeof said.exposed) return "a question of another length";
  std::memcpy(&said.exposed, said.data, sizeof said.exposed);
  return is_range(said.header.position, said.header.bytes) ? nullptr : "a question for no bytes";
}

const char* problem_of_data(const payload_view& said, std::size_t behind) noexcept {
  if (said.header.bytes != behind || behind > most_payload) return "part of a payload cut short";
  return is_range(said.header.position, behind) ? nullptr : "an empty part of a payload";
}

const char* problem_of_push(const payload_view& said, std::size_t behind) noexcept {
  if (said.header.bytes != behind || behind == 0 || behind > most_payload)
    return "the beginning of a payload cut short";
  if (said.at() > said.planned() || behind > said.planned() - said.at())
    return "more of the beginning of a payload than it announced";
  return said.header.number <= std::numeric_limits<std::uint32_t>::max()
             ? nullptr
             : "the beginning of a payload with a number that there is not";
}

const char* problem_of_write(payload_view& said, std::size_t behind) noexcept {
  if (behind != sizeof said.source) return "a question to write of another length";
  std::memcpy(&said.source, said.data, sizeof said.source);
  return is_range(said.header.position, said.header.bytes) &&
                 is_range(said.source.at, said.header.bytes)
             ? nullptr
             : "a question to write beyond the end of memory";
}

const char* problem_of_keys(const payload_view& said, std::size_t behind) noexcept {
  const payload_header& head = said.header;
  if (head.bytes != behind || behind > most_payload || behind % sizeof(rail_keys) != 0)
    return "keys cut short";
  // The first piece's stand in the announcement.
  return head.detail > 0 && exposed::is_number(head.number) ? nullptr : "keys to nothing";
}

const char* problem_of_pairs(const payload_view& said, std::size_t behind) noexcept {
  if (said.header.bytes != behind || behind != sizeof(pair_numbers))
    return "numbers of queue pairs cut short";
  const auto byte = [&](std::size_t at) {
    return std::to_integer<unsigned>(said.data[offsetof(pair_numbers, what) + at]);
  };
  const unsigned first = byte(offsetof(pairing::range, first)),
                 last = byte(offsetof(pairing::range, last)),
                 writes = byte(offsetof(pairing::range, writes));
  return first <= last && last <= most_readers && writes <= 1
             ? nullptr
             : "numbers of more queue pairs than there may be";
}

}  // namespace

const char* problem_of(const handshake_packet& said) noexcept {
  if (said.magic != handshake_packet::mark) return "no handshake of this version";
  if (said.kind > last_handshake_kind) return "a handshake of no known kind";
  if (said.credits == 0 || said.credits > said.most_credits)
    return "a handshake with no credits, or more than there may be";
  return nullptr;
}

parsed<datagram_view> parse_datagram(std::span<const std::byte> packet) noexcept {
  parsed<datagram_view> made;
  datagram_header& head = made.view.head;
  if (packet.size() < sizeof head) {
    made.problem = "a datagram without a header";
    return made;
  }
  std::memcpy(&head, packet.data(), sizeof head);
  made.view.data = packet.data() + sizeof head;
  if (head.magic != datagram_header::mark) made.problem = "no datagram of this version";
  else if (head.bytes != packet.size() - sizeof head) made.problem = "a datagram cut short";
  else if ((head.flags & ~datagram_flags::all) != 0) made.problem = "a datagram with unknown flags";
  return made;
}

parsed<payload_view> parse_payload(std::span<const std::byte> packet) noexcept {
  parsed<payload_view> made;
  payload_view& said = made.view;
  if (packet.size() < sizeof said.header) {
    made.problem = "part of a payload without a header";
    return made;
  }
  std::memcpy(&said.header, packet.data(), sizeof said.header);
  said.data = packet.data() + sizeof said.header;
  const std::size_t behind = packet.size() - sizeof said.header;
  switch (said.header.kind) {
    case payload_kind::ask: made.problem = problem_of_ask(said, behind); return made;
    case payload_kind::data: made.problem = problem_of_data(said, behind); return made;
    case payload_kind::push: made.problem = problem_of_push(said, behind); return made;
    case payload_kind::write: made.problem = problem_of_write(said, behind); return made;
    case payload_kind::written:
      if (behind != 0 || said.header.detail >= 1u << most_rails)
        made.problem = "news of writes over rails that there are not";
      return made;
    case payload_kind::left_out:
      if (behind != 0 || said.header.detail == 0 || said.header.detail >= most_rails)
        made.problem = "news of a rail that there is not";
      return made;
    case payload_kind::keys: made.problem = problem_of_keys(said, behind); return made;
    case payload_kind::pairs_asked:
    case payload_kind::pairs_given:
    case payload_kind::pairs_ready: made.problem = problem_of_pairs(said, behind); return made;
    case payload_kind::link_asked:
    case payload_kind::link_given:
    case payload_kind::link_ready:
      made.problem = problem_of_pairs(said, behind);
      if (!made.problem && (said.header.detail == 0 || said.header.detail >= most_rails))
        made.problem = "queue pairs of a rail that there is not";
      return made;
    case payload_kind::nothing: return made;
  }
  made.problem = "part of a payload of no known kind";
  return made;
}

}  // namespace peal::verbs
