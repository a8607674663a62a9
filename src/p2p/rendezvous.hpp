// p2p/rendezvous.hpp
// What travels when a message is fetched by its receiver instead of sent to it: an announcement,
// and the answer when the buffer is free.
//
// Layer    p2p: may include transport/.
// Units    bytes.
#pragma once

#include <cstdint>

#include "transport/contract.hpp"

namespace peal {

/// Payload of an envelope of kind `announce`. All that a receiver keeps of a live send: at most 64
/// bytes.
struct announcement {
  std::uint64_t bytes = 0;
  std::uint64_t id = 0;  // the sender's operation: generation << 32 | index
  remote_region where;   // without meaning for an empty message
};
static_assert(sizeof(announcement) <= 64);

/// Payload of an envelope of kind `fetched`.
struct fetched_answer {
  std::uint64_t id = 0;
  std::int32_t error = 0;  // an errc; 0: the receiver has what it wanted
  std::int32_t reserved = 0;
};
static_assert(sizeof(fetched_answer) == 16);

}  // namespace peal
