#include "base/value_types.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <stdexcept>

namespace peal {

namespace {

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::size_t> bytes_in(std::string_view text) {
  constexpr std::string_view units = "KMG", small_units = "kmg";
  int shift = 0;
  if (!text.empty()) {
    const std::size_t unit = std::min(units.find(text.back()), small_units.find(text.back()));
    if (unit != std::string_view::npos) {
      shift = 10 * (static_cast<int>(unit) + 1);
      text.remove_suffix(1);
    }
  }
  const auto value = number_in<std::size_t>(text);
  if (!value || *value > (SIZE_MAX >> shift)) return std::nullopt;
  return *value << shift;
}

template <class Number>
std::optional<Number> within(Number least, Number most, std::optional<Number> value) {
  return value && *value >= least && *value <= most ? value : std::nullopt;
}

}  // namespace

namespace types {

std::optional<std::size_t> count::read(std::string_view from) const {
  return within(least, most, number_in<std::size_t>(from));
}

std::optional<std::uint16_t> pkey::read(std::string_view from) const {
  const bool hexadecimal = from.starts_with("0x") || from.starts_with("0X");
  if (hexadecimal) from.remove_prefix(2);
  std::uint16_t value = 0;
  const auto [end, failed] =
      std::from_chars(from.data(), from.data() + from.size(), value, hexadecimal ? 16 : 10);
  // Without its highest bit it is the number of the partition, and there is none of number 0.
  if (failed != std::errc{} || end != from.data() + from.size() || (value & 0x7fff) == 0)
    return std::nullopt;
  return value;
}

std::optional<std::size_t> bytes::read(std::string_view from) const {
  return within(least, most, bytes_in(from));
}

std::string bytes::write(std::size_t of) const {
  std::string_view units = " KMG";
  while (of != 0 && of % 1024 == 0 && units.size() > 1) {
    of /= 1024;
    units.remove_prefix(1);
  }
  return units.front() == ' ' ? fmt::format("{}", of) : fmt::format("{}{}", of, units.front());
}

// nan is not
std::optional<double> real::read(std::string_view from) const {
  return within(least, most, number_in<double>(from));
}

std::optional<std::string> path::read(std::string_view from) const {
  return from.starts_with('/') ? std::optional<std::string>{from} : std::nullopt;
}

std::optional<std::string> text::read(std::string_view from) const {
  return from.empty() ? std::nullopt : std::optional<std::string>{from};
}

}  // namespace types

std::size_t parse_bytes(std::string_view text) {
  const auto value = bytes_in(text);
  if (!value) throw std::invalid_argument{std::string{text}};
  return *value;
}

}  // namespace peal
