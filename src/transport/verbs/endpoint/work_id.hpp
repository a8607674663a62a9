// transport/verbs/endpoint/work_id.hpp
// What a completion belongs to. On an error only wr_id, status and the queue pair's number are
// valid, so wr_id says all of it.
//
// Layer    transport/verbs. Data path.
// Threads  any.
#pragma once

#include <cstdint>

namespace peal::verbs {

enum class work : std::uint8_t { receive, send, read, notice };

struct work_id {
  // kind: 2 bits, generation: 8, connection: 22, detail: 32 (receive: slot; send: sequence number;
  // read, also of a write, and notice, the receive of one: which bulk queue pair)
  std::uint64_t word;
  static constexpr work_id make(work kind, std::uint32_t connection, std::uint8_t generation,
                                std::uint32_t detail) noexcept {
    return {std::uint64_t(kind) << 62 | std::uint64_t{generation} << 54 |
            std::uint64_t{connection} << 32 | detail};
  }
  constexpr work kind() const noexcept { return static_cast<work>(word >> 62); }
  constexpr std::uint8_t generation() const noexcept {
    return static_cast<std::uint8_t>(word >> 54);
  }
  constexpr std::uint32_t connection() const noexcept {
    return static_cast<std::uint32_t>(word >> 32) & 0x3fffff;
  }
  constexpr std::uint32_t detail() const noexcept { return static_cast<std::uint32_t>(word); }
};

}  // namespace peal::verbs
