#include "streams/output_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>

#include "request/request.hpp"

namespace {

namespace files = std::filesystem;
using peal::launcher::output_folder;

class output_folders : public testing::Test {
 protected:
  void SetUp() override {
    top_ = testing::TempDir() + "output_folder_test." + std::to_string(::getpid());
    files::create_directory(top_);
  }
  void TearDown() override { files::remove_all(top_); }

  std::set<std::string> names(const std::string& in = "") const {
    std::set<std::string> found;
    for (const auto& each : files::directory_iterator{top_ + in})
      found.insert(each.path().filename());
    return found;
  }
  std::string refusal() const {
    try {
      const output_folder again{top_, 1, false};
    } catch (const peal::launcher::stop& end) {
      EXPECT_EQ(end.code, 1);
      return end.text;
    }
    return "none";
  }

  std::string top_;
};

TEST_F(output_folders, has_two_files_for_each_rank_whose_names_sort_by_number) {
  const output_folder folder{top_ + "/new/inner", 11, false};
  const auto found = names("/new/inner");
  EXPECT_EQ(found.size(), 22u);
  EXPECT_TRUE(found.contains("rank.00.out") && found.contains("rank.10.err"));
  EXPECT_EQ(folder.of(10, 2).name(), top_ + "/new/inner/rank.10.err");
  EXPECT_EQ(folder.of(3, 1).name(), top_ + "/new/inner/rank.03.out");
  EXPECT_EQ(folder.moved_to(), "");
}

TEST_F(output_folders, has_one_file_for_each_rank_when_merged) {
  const output_folder folder{top_, 2, true};
  EXPECT_EQ(names(), (std::set<std::string>{"rank.0.out", "rank.1.out"}));
  EXPECT_EQ(&folder.of(1, 1), &folder.of(1, 2));
}

TEST_F(output_folders, moves_files_of_earlier_jobs_out_of_the_way_and_nothing_else) {
  std::ofstream{top_ + "/rank.note.out"} << "a user's own";
  std::ofstream{top_ + "/data"} << "a user's own";
  for (int job = 0; job < 3; ++job) {
    const output_folder folder{top_, 2, true};
    folder.of(0, 1).put("job " + std::to_string(job));
    EXPECT_EQ(folder.moved_to(), job == 0 ? "" : top_ + "/earlier." + std::to_string(job));
  }
  EXPECT_EQ(names(), (std::set<std::string>{"data", "earlier.1", "earlier.2", "rank.0.out",
                                            "rank.1.out", "rank.note.out"}));
  std::string first;
  std::getline(std::ifstream{top_ + "/earlier.1/rank.0.out"}, first);
  EXPECT_EQ(first, "job 0");
}

TEST_F(output_folders, is_not_shared_with_a_job_that_runs) {
  std::optional<output_folder> running;
  running.emplace(top_, 1, false);
  EXPECT_NE(refusal().find("a job that runs writes to " + top_ + "/rank.0."), std::string::npos)
      << refusal();
  EXPECT_EQ(names(), (std::set<std::string>{"rank.0.err", "rank.0.out"}));
  running.reset();
  EXPECT_EQ(refusal(), "none");
}

TEST_F(output_folders, tells_what_keeps_it_from_being_made) {
  std::ofstream{top_ + "/file"} << "in the way";
  for (const char* name : {"/file", "/file/inner"}) {
    try {
      const output_folder folder{top_ + name, 1, false};
      ADD_FAILURE() << "made " << name;
    } catch (const peal::launcher::stop& end) {
      EXPECT_NE(end.text.find(top_ + name + ": the folder cannot be made: "), std::string::npos)
          << end.text;
      EXPECT_EQ(end.code, 1);
    }
  }
}

}  // namespace
