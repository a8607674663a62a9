// transport/verbs/bulk/payload_header.hpp
// The beginning of every packet that carries part of a large payload, or says something about one.
// Such packets are no messages (immediate::staged); the header says what they are.
//
// Layer    transport/verbs.
// Units    bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "transport/verbs/wire.hpp"

namespace peal::verbs {

enum class payload_kind : std::uint32_t {
  ask,       // staged.hpp: send me these bytes
  data,      // staged.hpp: here are some of them
  push,      // pusher.hpp: the beginning of a payload that was just announced
  write,     // writer.hpp: write these bytes into my memory
  written,   // writer.hpp: they are there, as far as their devices are concerned
  left_out,  // further_rails.hpp: this link is used no more
  keys,      // pieces/further_keys.hpp: more of what was exposed can be read, with these keys
  // connect/pairs/pair_maker.hpp: queue pairs for large payloads
  pairs_asked,
  pairs_given,
  pairs_ready,
  // connect/pairs/link_returns.hpp: those of a link that was left out
  link_asked,
  link_given,
  link_ready,
  // In place of one about queue pairs that broke before it came; what follows does not count.
  nothing,
};

struct payload_header {
  payload_kind kind = payload_kind::ask;
  // left_out, link_...: the link; keys: the piece that the first one is of; push: how much older
  // the oldest unanswered one is; written: a bit for each link used
  std::uint32_t detail = 0;
  // Of the fetch, as its receiver counts; of the push, as its sender counts; keys: of what was
  // exposed (exposures.hpp).
  std::uint64_t number = 0;
  // write: the address in the receiver; otherwise: where in the payload the bytes are, or belong
  std::uint64_t position = 0;
  // ask, write: how many; otherwise: how many follow. keys: none where no more can be registered
  std::uint64_t bytes = 0;
};
static_assert(sizeof(payload_header) == 32);

/// Of a registration with each rail of its owner's.
using rail_keys = std::array<std::uint32_t, most_rails>;

/// Behind the header of a `write`: from where the bytes come.
struct write_source {
  std::uint64_t number = 0;  // exposures.hpp
  std::uint64_t at = 0;      // where in it the share begins
  rail_keys target_keys{};
};

/// What became of a packet that was parsed without a problem.
enum class reception : std::uint8_t {
  taken,
  over,      // about something that there was: it came again, or late
  senseless  // about something that there never was, or not so
};
struct outcome {
  reception what = reception::taken;
  const char* problem = nullptr;  // of what is senseless: ends the sentence "it sent ..."
  static constexpr outcome senseless(const char* problem) noexcept {
    return {reception::senseless, problem};
  }
};

/// What fits behind a header: whole pages, for fetches that absorb.
inline constexpr std::size_t most_payload = 8192;
static_assert(most_payload + sizeof(payload_header) <= slot_bytes);

}  // namespace peal::verbs
