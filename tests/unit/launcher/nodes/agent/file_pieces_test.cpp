#include "nodes/agent/file_pieces.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "nodes/agent/answer_lines.hpp"

namespace peal::launcher {
namespace {

namespace fs = std::filesystem;

class file_pieces : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "file_pieces.XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::create_directory(folder_ / "from");
    fs::create_directory(folder_ / "to");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream{folder_ / "from" / name, std::ios::binary} << text;
  }
  [[nodiscard]] std::string got(const std::string& name) const {
    std::ifstream file{folder_ / "to" / name, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  fs::path folder_;
};

TEST_F(file_pieces, files_of_ranks_arrive_whole_and_others_stay) {
  std::string holes(300'000, '\0');
  holes[5] = 'a';
  holes[200'000] = 'b';
  write("rank.0", holes);
  write("rank.11.events", "short");
  write("rank.3", "");
  write("secret", "not for you");
  file_writer into{folder_ / "to"};
  int pieces = 0;
  read_pieces(folder_ / "from", [&](const std::string& piece) {
    EXPECT_LE(piece.size(), answer_piece);
    EXPECT_NE(into.put(piece), "secret");
    ++pieces;
  });
  EXPECT_EQ(got("rank.0"), holes);
  EXPECT_EQ(got("rank.11.events"), "short");
  EXPECT_TRUE(fs::exists(folder_ / "to" / "rank.3"));
  EXPECT_FALSE(fs::exists(folder_ / "to" / "secret"));
  EXPECT_EQ(pieces, 3 + 3);  // a head each; what is zero is left out
}

TEST_F(file_pieces, a_piece_that_names_another_file_is_refused) {
  file_writer into{folder_ / "to"};
  for (const char* each : {"../rank.0 3\nabc", "rank.0/../../x 3\nabc", "x 0\n", "rank.0\nabc",
                           "rank.0 -1\nabc", "rank.0 z\nabc", "rank. 0\nabc", ""})
    EXPECT_THROW((void)into.put(each), std::runtime_error) << each;
  EXPECT_TRUE(fs::is_empty(folder_ / "to"));
}

TEST_F(file_pieces, names_of_files_tell_the_rank) {
  EXPECT_EQ(rank_of_file("rank.17"), 17);
  EXPECT_EQ(rank_of_file("rank.4.events"), 4);
  for (const char* each : {"rank.", "rank.x", "rank.1.other", "rank.-1", "nodes", "rank.1/2"})
    EXPECT_EQ(rank_of_file(each), -1) << each;
}

}  // namespace
}  // namespace peal::launcher
