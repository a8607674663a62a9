// base/config.hpp
// Every PEAL_ variable in one table: its name, what it may be, what it is by default, what it means.
//
// Layer    base.
// Threads  read once at the start of the job; afterwards constant.
// Errors   throws errc::invalid_config that names the variable, its value and what is allowed. Unknown PEAL_ names are warned of.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peal {

enum class variable_kind { choice, bytes, seconds, count, path, text, count_or_auto, microseconds_or_auto };

struct variable {
  std::string_view name;
  variable_kind kind;
  std::string_view allowed;   // choices separated by '|'; for numbers "minimum..maximum", or "auto|" and that
  std::string_view fallback;  // the default, as one would write it
  std::string_view meaning;
};

/// The whole table, by name.
const std::vector<variable>& variables();

/// The row of a name; null when the table has none.
const variable* find_variable(std::string_view name);

/// What is wrong with a value: names variable, value and what is allowed. Empty when nothing is.
std::string objection(const variable&, std::string_view value);

struct unknown_variable {
  std::string name;
  std::string_view nearest;  // in the table
};
/// PEAL_ names of the environment that the table lacks.
std::vector<unknown_variable> unknown_variables();

class config {
 public:
  /// Reads the environment. With `warn_unknown`, PEAL_ names that the table lacks are logged with the nearest name there.
  static config from_environment(bool warn_unknown);

  /// Requires: `name` stands in the table, with the kind asked for. The default when it is not set.
  [[nodiscard]] std::string_view text(std::string_view name) const;  // choice, path, text
  [[nodiscard]] std::size_t bytes(std::string_view name) const;      // bytes: 4096, 64K, 1M, 2G
  [[nodiscard]] std::size_t count(std::string_view name) const;
  [[nodiscard]] double seconds(std::string_view name) const;
  [[nodiscard]] std::optional<std::size_t> count_unless_auto(std::string_view name) const;
  [[nodiscard]] std::optional<double> microseconds_unless_auto(std::string_view name) const;
  [[nodiscard]] bool is_set(std::string_view name) const { return set_.contains(std::string{name}); }

 private:
  std::map<std::string, std::string> set_;
};

/// 4096, 64K, 1M, 2G (powers of 1024); throws std::invalid_argument on anything else. Used by command lines too.
std::size_t parse_bytes(std::string_view text);

}  // namespace peal
