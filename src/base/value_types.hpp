// base/value_types.hpp
// How values of PEAL_ variables are written: a type for each way. A type T has
//   T::value                           what it is read into
//   optional<value> read(string_view)  nothing: not allowed
//   string write(const value&)         what read takes; always the same for the same value
//   string allowed()                   choices separated by '|', or "least..most", or words
//   string form()                      the same as a refusal says it
//
// Layer    base.
// Threads  any.
// Errors   none.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "peal/detail/core.hpp"

namespace peal {

/// The names of the algorithms of a collective, "direct" first. Layer collective/ defines it, from
/// the records of the algorithms.
std::vector<std::string_view> names_of_algorithms(detail::collective);

namespace types {

struct count {
  using value = std::size_t;
  value least, most;
  [[nodiscard]] std::optional<value> read(std::string_view) const;
  [[nodiscard]] std::string write(value of) const { return fmt::format("{}", of); }
  [[nodiscard]] std::string allowed() const { return fmt::format("{}..{}", least, most); }
  [[nodiscard]] std::string form() const { return "a whole number in " + allowed(); }
};

/// 4096, 64K, 1M, 2G.
struct bytes {
  using value = std::size_t;
  value least, most;
  [[nodiscard]] std::optional<value> read(std::string_view) const;
  [[nodiscard]] std::string write(value) const;
  [[nodiscard]] std::string allowed() const { return write(least) + ".." + write(most); }
  [[nodiscard]] std::string form() const {
    return "a size such as 4096, 64K, 1M or 2G, in " + allowed();
  }
};

struct real {
  using value = double;
  value least, most;
  [[nodiscard]] std::optional<value> read(std::string_view) const;
  [[nodiscard]] std::string write(value of) const { return fmt::format("{:.10g}", of); }
  [[nodiscard]] std::string allowed() const { return fmt::format("{:.10g}..{:.10g}", least, most); }
};
struct seconds : real {
  [[nodiscard]] std::string form() const { return "a number of seconds in " + allowed(); }
};
struct microseconds : real {
  [[nodiscard]] std::string form() const { return "a number of microseconds in " + allowed(); }
};

/// 0x8001, or the same as a decimal number. Of the two memberships of a partition (the highest bit)
/// either may be written.
struct pkey {
  using value = std::uint16_t;
  [[nodiscard]] std::optional<value> read(std::string_view) const;
  [[nodiscard]] std::string write(value of) const { return fmt::format("{:#06x}", of); }
  [[nodiscard]] std::string allowed() const { return "0x0001..0xffff"; }
  [[nodiscard]] std::string form() const { return "a P_Key such as 0x8001, in " + allowed(); }
};

struct path {
  using value = std::string;
  [[nodiscard]] std::optional<value> read(std::string_view) const;
  [[nodiscard]] std::string write(const value& of) const { return of; }
  [[nodiscard]] std::string allowed() const { return "an absolute path"; }
  [[nodiscard]] std::string form() const { return allowed(); }
};

/// Anything that is not empty.
struct text {
  using value = std::string;
  std::string_view what;
  [[nodiscard]] std::optional<value> read(std::string_view) const;
  [[nodiscard]] std::string write(const value& of) const { return of; }
  [[nodiscard]] std::string allowed() const { return std::string{what}; }
  [[nodiscard]] std::string form() const { return allowed(); }
};

/// One of some words.
template <class Value>
struct choice {
  using value = Value;
  std::vector<std::pair<std::string_view, Value>> words;
  [[nodiscard]] std::optional<value> read(std::string_view from) const {
    for (const auto& [word, meant] : words)
      if (word == from) return meant;
    return std::nullopt;
  }
  [[nodiscard]] std::string write(const value& of) const {
    for (const auto& [word, meant] : words)
      if (meant == of) return std::string{word};
    return {};
  }
  [[nodiscard]] std::string allowed() const { return joined("|"); }
  [[nodiscard]] std::string form() const { return "one of: " + joined(" "); }

 private:
  [[nodiscard]] std::string joined(std::string_view by) const {
    std::string made;
    for (const auto& [word, meant] : words) made.append(made.empty() ? "" : by).append(word);
    return made;
  }
};

inline choice<bool> on_or_off() { return {{{"on", true}, {"off", false}}}; }
inline choice<bool> zero_or_one() { return {{{"0", false}, {"1", true}}}; }

/// The algorithms of a collective.
inline choice<std::string> algorithm_of(detail::collective kind) {
  choice<std::string> made;
  for (const std::string_view name : names_of_algorithms(kind)) made.words.emplace_back(name, name);
  return made;
}

/// What a type takes, or "auto", which is nothing.
template <class Type>
struct auto_or {
  using value = std::optional<typename Type::value>;
  Type other;
  [[nodiscard]] std::optional<value> read(std::string_view from) const {
    if (from == "auto") return value{};
    const auto found = other.read(from);
    return found ? std::optional<value>{found} : std::nullopt;
  }
  [[nodiscard]] std::string write(const value& of) const { return of ? other.write(*of) : "auto"; }
  [[nodiscard]] std::string allowed() const { return "auto|" + other.allowed(); }
  [[nodiscard]] std::string form() const { return "auto, or " + other.form(); }
};
template <class Type>
auto_or(Type) -> auto_or<Type>;

}  // namespace types

/// 4096, 64K, 1M, 2G (powers of 1024); throws std::invalid_argument on anything else. Used by
/// command lines too.
std::size_t parse_bytes(std::string_view text);

}  // namespace peal
