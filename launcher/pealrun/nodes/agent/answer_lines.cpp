#include "nodes/agent/answer_lines.hpp"

#include <fmt/format.h>
#include <resolv.h>

#include <array>
#include <charconv>

namespace peal::launcher {

namespace {

constexpr std::string_view mark = "peal-agent ";
constexpr std::size_t most_coded = (answer_piece + 2) / 3 * 4 + 4;

/// The text up to the next space, which is taken off with it.
std::string_view next_word(std::string_view& rest) {
  const std::size_t end = rest.find(' ');
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return word;
}

}  // namespace

std::string text_of(const answer_line& line) {
  std::array<char, most_coded> coded{};
  const int length = ::b64_ntop(reinterpret_cast<const unsigned char*>(line.bytes.data()),
                                line.bytes.size(), coded.data(), coded.size());
  return fmt::format("{}{} {} {} {}\n", mark, line.node, line.number, line.last ? '.' : '+',
                     std::string_view{coded.data(), static_cast<std::size_t>(std::max(length, 0))});
}

std::optional<answer_line> answer_line_in(std::string_view text) {
  if (!text.starts_with(mark)) return std::nullopt;
  text.remove_prefix(mark.size());
  answer_line made;
  made.node = next_word(text);
  const std::string_view number = next_word(text), more = next_word(text);
  const auto [end, failed] =
      std::from_chars(number.data(), number.data() + number.size(), made.number);
  if (made.node.empty() || failed != std::errc{} || end != number.data() + number.size() ||
      (more != "." && more != "+") || text.size() > most_coded)
    return std::nullopt;
  made.last = more == ".";
  std::array<unsigned char, most_coded> bytes{};
  const int length = ::b64_pton(std::string{text}.c_str(), bytes.data(), bytes.size());
  if (length < 0) return std::nullopt;
  made.bytes.assign(bytes.begin(), bytes.begin() + length);
  return made;
}

std::string answer_text(const std::string& node, std::uint64_t number, std::string_view bytes) {
  std::string made;
  do {
    const std::string_view piece = bytes.substr(0, answer_piece);
    bytes.remove_prefix(piece.size());
    made += text_of({node, number, bytes.empty(), std::string{piece}});
  } while (!bytes.empty());
  return made;
}

}  // namespace peal::launcher
