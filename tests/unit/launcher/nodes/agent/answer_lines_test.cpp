#include "nodes/agent/answer_lines.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace peal::launcher {
namespace {

/// What arrives of a text, in lines none of which is longer than srun passes on whole.
std::string joined(const std::string& text, std::uint64_t number) {
  std::istringstream lines{text};
  std::string made;
  bool last = false;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LT(line.size() + 1, 1024u);
    EXPECT_FALSE(last);
    const auto read = answer_line_in(line);
    if (!read) return "a line that does not read: " + line;
    EXPECT_EQ(read->node, "n1");
    EXPECT_EQ(read->number, number);
    last = read->last;
    made += read->bytes;
  }
  EXPECT_TRUE(last);
  return made;
}

TEST(answer_lines, an_answer_of_any_length_and_any_bytes_arrives) {
  std::string all_bytes;
  for (int k = 0; k < 5000; ++k) all_bytes += static_cast<char>(k * 7);
  for (const std::string& each : {std::string{}, std::string{"x"}, std::string(answer_piece, '\0'),
                                  std::string(answer_piece + 1, '\n'), all_bytes})
    EXPECT_EQ(joined(answer_text("n1", 17, each), 17), each) << each.size() << " bytes";
}

TEST(answer_lines, what_is_no_line_of_an_agent_reads_as_nothing) {
  for (const char* each : {"", "hello", "peal-agent ", "peal-agent n1", "peal-agent n1 x . ",
                           "peal-agent n1 4 , eA==", "peal-agent n1 4 . ???",
                           "peal-agent  4 . eA==", "Peal-agent n1 4 . eA=="})
    EXPECT_FALSE(answer_line_in(each)) << each;
  EXPECT_FALSE(answer_line_in("peal-agent n1 4 . " + std::string(4000, 'A')));
  ASSERT_TRUE(answer_line_in("peal-agent n1 4 . eA=="));
  EXPECT_EQ(answer_line_in("peal-agent n1 4 . eA==")->bytes, "x");
}

}  // namespace
}  // namespace peal::launcher
