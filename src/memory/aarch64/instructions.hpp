// memory/aarch64/instructions.hpp
// The few instructions of 64-bit ARM processors that code_patch.cpp reads and writes, as
// plain numbers, so that they are tested on any machine.
//
// Layer    memory. Includes nothing of peal's.
// Units    an instruction is four bytes, at a multiple of four.
// Errors   what cannot be said in an instruction is nothing.
// Source   Arm Architecture Reference Manual for A-profile (DDI 0487), C4.1 and C6.2 (encodings).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace peal::aarch64 {

using instruction = std::uint32_t;

inline constexpr instruction supervisor_call = 0xd4000001;  // svc #0
inline constexpr instruction branch_target = 0xd503245f;    // bti c; nop on processors without
inline constexpr instruction push_x16_x30 = 0xa9bf7bf0;     // stp x16, x30, [sp, #-16]!
inline constexpr instruction pop_x16_x30 = 0xa8c17bf0;      // ldp x16, x30, [sp], #16
inline constexpr instruction call_x16 = 0xd63f0200;         // blr x16

/// How far a branch reaches, in bytes, both ways.
inline constexpr std::int64_t branch_reach = std::int64_t{1} << 27;

/// b to; nothing: too far, or not at an instruction.
constexpr std::optional<instruction> branch(std::uintptr_t from, std::uintptr_t to) noexcept {
  const auto distance = static_cast<std::int64_t>(to - from);
  if (distance % 4 != 0 || distance < -branch_reach || distance >= branch_reach) return {};
  return 0x14000000u | (static_cast<std::uint32_t>(distance / 4) & 0x03ffffffu);
}

/// Where a `b` leads; nothing: it is none.
constexpr std::optional<std::uintptr_t> branched_to(std::uintptr_t at, instruction one) noexcept {
  if ((one & 0xfc000000u) != 0x14000000u) return {};
  const auto distance = static_cast<std::int64_t>(std::uint64_t{one & 0x03ffffffu} << 38) >> 36;
  return at + static_cast<std::uintptr_t>(distance);
}

/// ldr x16, what stands `at + distance`; nothing: too far.
constexpr std::optional<instruction> load_x16(std::int64_t distance) noexcept {
  constexpr std::int64_t reach = std::int64_t{1} << 20;
  if (distance % 4 != 0 || distance < -reach || distance >= reach) return {};
  return 0x58000010u | (static_cast<std::uint32_t>(distance / 4) & 0x7ffffu) << 5;
}

/// mov x8, #number (or w8), the number of a system call; nothing: it is another instruction.
constexpr std::optional<int> number_into_x8(instruction one) noexcept {
  if ((one & 0x7fe0001fu) != 0x52800008u) return {};
  return static_cast<int>(one >> 5 & 0xffffu);
}

/// What stands behind is reached from elsewhere only, or x8 is another one behind it: b, br, blr,
/// ret, bl.
constexpr bool ends_the_way(instruction one) noexcept {
  const bool to_register = (one & 0xff9ffc1fu) == 0xd61f0000u || (one & 0xfffffc1fu) == 0xd65f0000u;
  return (one & 0x7c000000u) == 0x14000000u || to_register;
}

/// Whether x8 may be written here: by anything but a store, a comparison that jumps, or a system
/// instruction.
constexpr bool may_write_x8(instruction one) noexcept {
  if ((one & 0x1fu) != 8) return false;
  const std::uint32_t kind = one >> 25 & 0xfu;
  const bool memory = (kind & 0b0101u) == 0b0100u;
  if (memory) {
    const bool pair = (one & 0x3a000000u) == 0x28000000u;
    const bool load = pair ? (one >> 22 & 1u) != 0 : (one >> 22 & 3u) != 0;
    return load || (one & 0x3b000000u) == 0x18000000u;  // a literal
  }
  return (kind & 0b1110u) != 0b1010u;  // branches and system instructions have it elsewhere
}

/// How far back the number of a system call is looked for: the most seen is 5.
inline constexpr std::size_t most_back = 32;

/// The number that is in x8 at the end of this code, which ends with a system call; nothing: it
/// cannot be told.
constexpr std::optional<int> number_at_end(std::span<const instruction> code) noexcept {
  for (std::size_t back = 1; back < code.size() && back <= most_back; ++back) {
    const instruction one = code[code.size() - 1 - back];
    if (const std::optional<int> found = number_into_x8(one)) return found;
    if (ends_the_way(one) || may_write_x8(one)) return {};
  }
  return {};
}

/// Whether a function begins like one that another library has redirected, or that stands under a
/// debugger.
constexpr bool begins_with_a_jump(std::span<const instruction> function) noexcept {
  const std::size_t first = !function.empty() && function[0] == branch_target ? 1 : 0;
  if (function.size() <= first) return false;
  const instruction begin = function[first];
  const bool breakpoint = (begin & 0xffe0001fu) == 0xd4200000u;
  if (breakpoint || (begin & 0xfc000000u) == 0x14000000u) return true;
  // An address is put into a register, by a literal or in up to four steps.
  for (std::size_t each = first; each < function.size() && each < first + 5; ++each)
    if ((function[each] & 0xfffffc1fu) == 0xd61f0000u) return true;
  return false;
}

}  // namespace peal::aarch64
