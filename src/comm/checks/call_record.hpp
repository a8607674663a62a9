// comm/checks/call_record.hpp
// What a rank tells the others of a collective call (PEAL_CHECK=1), and what is found when those of
// all ranks are compared.
//
// Layer    comm: may include everything below.
// Units    bytes; ranks are ranks of the communicator.
// Threads  values.
// Errors   none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "collective/choice/choice.hpp"
#include "peal/detail/core.hpp"

namespace peal {

/// Travels as it is, so names have room of their own here; what does not fit is shortened, after it
/// went into the hash.
struct call_record {
  /// `stepped`: the first step of two, so that the bytes are of the step and not of the call.
  static call_record of(int rank, int size, const detail::collective_call&, bool stepped,
                        const detail::location&);

  /// Whether the two calls go together.
  [[nodiscard]] bool matches(const call_record& other) const noexcept;
  /// In which arguments two calls that do not match differ, in words; only that they are different
  /// collectives, when they are.
  [[nodiscard]] std::string difference(const call_record& other) const;
  /// "reduce(int, sum, 8 bytes, root 0)".
  [[nodiscard]] std::string text() const;
  /// "file:line".
  [[nodiscard]] std::string place() const;

  // ---- compared
  std::uint64_t bytes = 0;  // of a call whose blocks are the same everywhere; 0 elsewhere
  // Of the blocks, hashed, where they differ and every rank gives all of them; 0 elsewhere.
  std::uint64_t lengths = 0;
  std::uint64_t type = 0;      // hashes of names; 0: no name
  std::uint64_t function = 0;  // of the user's
  std::int32_t root = 0;
  detail::collective kind = detail::collective::barrier;
  detail::scalar scalar = detail::scalar::opaque;
  detail::builtin operation = detail::builtin::none;
  bool stepped = false;
  bool blocks = false;    // of those with one step
  bool in_place = false;  // where every rank has to be; not what the root alone may be
  // ---- told
  std::int32_t rank = 0;
  std::uint32_t line = 0;
  std::array<char, 112> file{};  // the end of it
  std::array<char, 96> type_name{};
  std::array<char, 96> function_name{};
};
static_assert(std::is_trivially_copyable_v<call_record>);

/// What is known of the calls of consecutive ranks: that of the lowest, and the first that does not
/// match it. Of one rank: its own.
struct comparison {
  /// As reduction::combine: the comparison of the lower ranks goes into that of the higher ones.
  /// Associative, so every rank gets the same.
  static void join(void* context, const void* lower, void* higher, std::size_t count);

  /// One that does not match this rank's call. Requires: differs.
  [[nodiscard]] const call_record& other_than(const call_record& mine) const noexcept {
    return mine.matches(lowest) ? odd : lowest;
  }

  call_record lowest;
  call_record odd;
  bool differs = false;
};
static_assert(std::is_trivially_copyable_v<comparison>);

/// What the error says, but for the place of `mine`.
[[nodiscard]] std::string mismatch_text(const call_record& mine, const call_record& other);

}  // namespace peal
