// launcher/pealrun/request/checks.hpp
// What the words after options are tried with.
//
// Layer    launcher.
// Errors   a check gives the sentence that says what is wrong; empty: nothing is.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace peal::launcher {

template <class Number>
std::optional<Number> number_in(const std::string& text) {
  Number value{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string check_ranks(const std::string& text);
std::string check_threads(const std::string& text);
std::string check_seconds(const std::string& text);
std::string check_file_name(const std::string& text);
/// NAME or NAME=VALUE.
std::string check_variable(const std::string& text);
/// Also says in --help what is allowed.
CLI::Validator one_of(std::vector<std::string> allowed);
/// The numbers of a list such as "0-3,8", ascending, each once; empty: it is none.
std::vector<int> numbers_in(std::string_view text);

}  // namespace peal::launcher
