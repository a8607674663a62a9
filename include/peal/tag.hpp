// peal/tag.hpp
// What tells messages of one sender apart, and the values that stand for any of them.
//
// Units    tags of messages are 0 to 2^31 - 1.
#pragma once

#include <compare>
#include <type_traits>

#include <peal/detail/core.hpp>

namespace peal {

template <class T>
concept enumeration = std::is_enum_v<T>;

/// A raw int never converts to a tag, so that a rank and a tag cannot be swapped; an enumerator does.
class tag {
 public:
  constexpr tag() noexcept = default;
  explicit constexpr tag(int value) noexcept : value_{value} {}
  template <enumeration Enum>
  constexpr tag(Enum value) noexcept : value_{static_cast<int>(value)} {}

  [[nodiscard]] constexpr int value() const noexcept { return value_; }
  friend constexpr auto operator<=>(const tag&, const tag&) noexcept = default;

 private:
  int value_ = 0;
};

/// For receives and probes.
inline constexpr int any_source = detail::any_source_value;
inline constexpr tag any_tag{detail::any_tag_value};
/// A rank that is nobody: a send to it and a receive from it complete at once, the receive with no bytes.
inline constexpr int proc_null = detail::proc_null_value;

}  // namespace peal
