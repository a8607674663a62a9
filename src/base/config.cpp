#include "base/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "base/log.hpp"
#include "peal/error.hpp"

extern char** environ;

namespace peal {

namespace {

std::string_view form_of(variable_kind kind) {
  switch (kind) {
    case variable_kind::choice: return "one of: ";
    case variable_kind::bytes: return "a size such as 4096, 64K, 1M or 2G, in ";
    case variable_kind::seconds: return "a number of seconds in ";
    case variable_kind::count: return "a whole number in ";
    case variable_kind::count_or_auto: return "auto, or a whole number in ";
    case variable_kind::microseconds_or_auto: return "auto, or a number of microseconds in ";
    default: return "";
  }
}

const variable& require(std::string_view name) {
  const variable* found = find_variable(name);
  if (found == nullptr) throw error(errc::internal, fmt::format("{} is not in the table of variables", name));
  return *found;
}

template <class Number>
Number parse_number(std::string_view text) {
  Number value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size()) throw std::invalid_argument{std::string{text}};
  return value;
}

template <class Number, class Parse>
bool within(std::string_view allowed, Number value, Parse parse) {
  const auto dots = allowed.find("..");
  return value >= parse(allowed.substr(0, dots)) && value <= parse(allowed.substr(dots + 2));
}

// "1..16" of "auto|1..16".
std::string_view range_of(const variable& which) { return which.allowed.substr(which.allowed.find('|') + 1); }

bool within_reals(std::string_view allowed, std::string_view value) {
  const double number = parse_number<double>(value);
  return std::isfinite(number) && within(allowed, number, parse_number<double>);
}

bool allows(const variable& which, std::string_view value) {
  try {
    switch (which.kind) {
      case variable_kind::choice:
        return !value.empty() && fmt::format("|{}|", which.allowed).find(fmt::format("|{}|", value)) != std::string::npos;
      case variable_kind::bytes: return within(which.allowed, parse_bytes(value), parse_bytes);
      case variable_kind::count: return within(which.allowed, parse_number<std::size_t>(value), parse_number<std::size_t>);
      case variable_kind::seconds: return within_reals(which.allowed, value);
      case variable_kind::count_or_auto:
        return value == "auto" || within(range_of(which), parse_number<std::size_t>(value), parse_number<std::size_t>);
      case variable_kind::microseconds_or_auto: return value == "auto" || within_reals(range_of(which), value);
      case variable_kind::path: return value.starts_with('/');
      case variable_kind::text: return !value.empty();
    }
  } catch (const std::invalid_argument&) {
  }
  return false;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::string_view nearest(std::string_view name) {
  const auto closer = [name](const variable& a, const variable& b) { return edit_distance(name, a.name) < edit_distance(name, b.name); };
  return std::min_element(variables().begin(), variables().end(), closer)->name;
}

/// visit(name, value) for each PEAL_ variable of the environment.
template <class Visitor>
void for_each_set(Visitor&& visit) {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view line{*entry};
    const auto equals = line.find('=');
    if (line.starts_with("PEAL_") && equals != std::string_view::npos) visit(line.substr(0, equals), line.substr(equals + 1));
  }
}

}  // namespace

const variable* find_variable(std::string_view name) {
  for (const variable& each : variables())
    if (each.name == name) return &each;
  return nullptr;
}

std::string objection(const variable& which, std::string_view value) {
  if (allows(which, value)) return {};
  const bool or_auto = which.kind == variable_kind::count_or_auto || which.kind == variable_kind::microseconds_or_auto;
  std::string allowed{or_auto ? range_of(which) : which.allowed};
  std::replace(allowed.begin(), allowed.end(), '|', ' ');
  return fmt::format("{}={}: allowed is {}{}", which.name, value, form_of(which.kind), allowed);
}

std::vector<unknown_variable> unknown_variables() {
  std::vector<unknown_variable> found;
  for_each_set([&](std::string_view name, std::string_view) {
    if (find_variable(name) == nullptr) found.push_back({std::string{name}, nearest(name)});
  });
  return found;
}

std::size_t parse_bytes(std::string_view text) {
  std::size_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit{end, static_cast<std::size_t>(text.data() + text.size() - end)};
  if (failed != std::errc{} || unit.size() > 1) throw std::invalid_argument{std::string{text}};
  int shift = 0;
  if (unit == "K" || unit == "k") shift = 10;
  else if (unit == "M" || unit == "m") shift = 20;
  else if (unit == "G" || unit == "g") shift = 30;
  else if (!unit.empty()) throw std::invalid_argument{std::string{text}};
  if (value > (SIZE_MAX >> shift)) throw std::invalid_argument{std::string{text}};
  return value << shift;
}

config config::from_environment(bool warn_unknown) {
  config result;
  for_each_set([&](std::string_view name, std::string_view value) {
    const variable* known = find_variable(name);
    if (known == nullptr) return;
    if (const std::string wrong = objection(*known, value); !wrong.empty()) throw error(errc::invalid_config, wrong);
    result.set_.emplace(name, value);
  });
  if (warn_unknown)
    for (const unknown_variable& each : unknown_variables())
      log_warning("{} is no variable of peal; the nearest is {}", each.name, each.nearest);
  return result;
}

std::string_view config::text(std::string_view name) const {
  const variable& which = require(name);
  const auto found = set_.find(std::string{name});
  return found == set_.end() ? which.fallback : std::string_view{found->second};
}

std::size_t config::bytes(std::string_view name) const { return parse_bytes(text(name)); }
std::size_t config::count(std::string_view name) const { return parse_number<std::size_t>(text(name)); }
double config::seconds(std::string_view name) const { return parse_number<double>(text(name)); }

std::optional<std::size_t> config::count_unless_auto(std::string_view name) const {
  if (text(name) == "auto") return std::nullopt;
  return count(name);
}

std::optional<double> config::microseconds_unless_auto(std::string_view name) const {
  if (text(name) == "auto") return std::nullopt;
  return parse_number<double>(text(name));
}

}  // namespace peal
