// peal/tag.hpp
// What tells messages of one sender apart, and the values that stand for any of them.
//
// Units    tags of messages are 0 to 2^31 - 1.
// Errors   errc::invalid_tag for an enumerator that is none of these, with the place where it
//          became a tag; in a constant expression the compiler refuses it.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <source_location>
#include <type_traits>

#include <peal/detail/core.hpp>

namespace peal {

/// Types whose values may stand for tags.
template <class T>
concept enumeration = std::is_enum_v<T>;

/// A raw int never converts to a tag, so that a rank and a tag cannot be swapped; an enumerator
/// does.
class tag {
 public:
  /// Tag 0.
  constexpr tag() noexcept = default;
  /// Requires: not negative; calls with another one throw errc::invalid_tag.
  explicit constexpr tag(int value) noexcept : value_{value} {}
  /// What is meant to be converted ends here, so that the compiler says what to do.
  template <class Number>
    requires std::is_same_v<Number, int>
  tag(Number) {
    static_assert(!std::is_same_v<Number, int>,
                  "peal: a number is no tag by itself, lest it be taken for a rank: write "
                  "peal::tag{7}, or use an enumerator");
  }
  /// Throws errc::invalid_tag where the enumerator is negative or too large.
  template <enumeration Enum>
  constexpr tag(Enum value, const std::source_location& where = std::source_location::current())
      : value_{static_cast<int>(value)} {
    // One that is negative is beyond the limit as well, once it is taken as unsigned.
    if (static_cast<std::uintmax_t>(value) >
        static_cast<std::uintmax_t>(std::numeric_limits<int>::max())) [[unlikely]]
      detail::fail(errc::invalid_tag, "an enumerator that is no tag: tags are 0 to 2147483647", -1,
                   where);
  }

  /// @{
  /// The number, by which tags compare.
  [[nodiscard]] constexpr int value() const noexcept { return value_; }
  friend constexpr auto operator<=>(const tag&, const tag&) noexcept = default;
  /// @}

 private:
  int value_ = 0;
};

/// @{
/// For receives and probes.
inline constexpr int any_source = detail::any_source_value;
inline constexpr tag any_tag{detail::any_tag_value};
/// @}
/// Stands for no rank: a send to it and a receive from it complete at once, the receive with no
/// bytes.
inline constexpr int proc_null = detail::proc_null_value;

}  // namespace peal
