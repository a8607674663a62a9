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

[[noreturn]] void refuse(const variable& which, std::string_view value) {
  std::string allowed{which.allowed};
  std::replace(allowed.begin(), allowed.end(), '|', ' ');
  const char* form = "";
  switch (which.kind) {
    case variable_kind::choice: form = "one of: "; break;
    case variable_kind::bytes: form = "a size such as 4096, 64K, 1M or 2G, in "; break;
    case variable_kind::seconds: form = "a number of seconds in "; break;
    case variable_kind::count: form = "a whole number in "; break;
    default: form = "";
  }
  throw error(errc::invalid_config, fmt::format("{}={}: allowed is {}{}", which.name, value, form, allowed));
}

const variable* find(std::string_view name) {
  for (const variable& each : variables())
    if (each.name == name) return &each;
  return nullptr;
}

const variable& require(std::string_view name) {
  const variable* found = find(name);
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

void check(const variable& which, std::string_view value) {
  try {
    switch (which.kind) {
      case variable_kind::choice: {
        const std::string padded = fmt::format("|{}|", which.allowed);
        if (value.empty() || padded.find(fmt::format("|{}|", value)) == std::string::npos) refuse(which, value);
        return;
      }
      case variable_kind::bytes:
        if (!within(which.allowed, parse_bytes(value), parse_bytes)) refuse(which, value);
        return;
      case variable_kind::count:
        if (!within(which.allowed, parse_number<std::size_t>(value), parse_number<std::size_t>)) refuse(which, value);
        return;
      case variable_kind::seconds: {
        const double seconds = parse_number<double>(value);
        if (!std::isfinite(seconds) || !within(which.allowed, seconds, parse_number<double>)) refuse(which, value);
        return;
      }
      case variable_kind::path:
        if (value.empty() || value.front() != '/') refuse(which, value);
        return;
      case variable_kind::text:
        if (value.empty()) refuse(which, value);
        return;
    }
  } catch (const std::invalid_argument&) {
    refuse(which, value);
  }
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

}  // namespace

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
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view line{*entry};
    const auto equals = line.find('=');
    if (!line.starts_with("PEAL_") || equals == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, equals), value = line.substr(equals + 1);
    if (const variable* known = find(name)) {
      check(*known, value);
      result.set_.emplace(name, value);
    } else if (warn_unknown) {
      log_warning("{} is no variable of peal; the nearest is {}", name, nearest(name));
    }
  }
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

}  // namespace peal
