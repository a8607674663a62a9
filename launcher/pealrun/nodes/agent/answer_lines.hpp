// launcher/pealrun/nodes/agent/answer_lines.hpp
// What agents on the nodes answer, in lines that srun passes on whole: it parts what is longer than
// a kibibyte, and mixes the parts of several tasks.
//
// Layer    launcher.
// Threads  values.
// Errors   a line that is none of an agent's reads as nothing.
// Source   srun(1), --unbuffered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace peal::launcher {

struct answer_line {
  std::string node;
  std::uint64_t number = 0;  // of the question
  bool last = false;         // of this node's answer
  std::string bytes;
};

/// Most bytes that one line carries.
inline constexpr std::size_t answer_piece = 600;

/// With its end of line. Requires: at most `answer_piece` bytes.
[[nodiscard]] std::string text_of(const answer_line&);
/// Without an end of line.
[[nodiscard]] std::optional<answer_line> answer_line_in(std::string_view);

/// An answer of any length, in as many lines as it needs.
[[nodiscard]] std::string answer_text(const std::string& node, std::uint64_t number,
                                      std::string_view bytes);

}  // namespace peal::launcher
