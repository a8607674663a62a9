#include "comm/start/agreement.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace {

using namespace peal;

struct agreement : testing::Test {
  void TearDown() override {
    for (const char* each : {"PEAL_BCAST", "PEAL_SHM_HEAP", "PEAL_TRANSPORT", "PEAL_VERBS_PROMOTE"})
      unsetenv(each);
  }
  static std::string told_with(const char* name, const char* value) {
    setenv(name, value, 1);
    std::string made = settings_to_agree_on(job_settings::from_environment());
    unsetenv(name);
    return made;
  }
};

TEST_F(agreement, defaults_need_no_words) {
  EXPECT_EQ(settings_to_agree_on(job_settings::from_environment()), "");
  EXPECT_EQ(told_with("PEAL_BCAST", "auto"), "") << "however they are written";
  EXPECT_EQ(told_with("PEAL_SHM_HEAP", "1024M"), "");
  EXPECT_EQ(disagreement({"", "", ""}), "");
}

TEST_F(agreement, what_differs_is_named) {
  const std::string tree = told_with("PEAL_BCAST", "tree"),
                    chain = told_with("PEAL_BCAST", "chain");
  EXPECT_EQ(disagreement({tree, tree}), "");
  EXPECT_EQ(
      disagreement({"", "", chain}),
      "PEAL_BCAST must be the same for all ranks, but is auto for rank 0 and chain for rank 2");
  EXPECT_EQ(
      disagreement({tree, chain}),
      "PEAL_BCAST must be the same for all ranks, but is tree for rank 0 and chain for rank 1");
  EXPECT_EQ(disagreement({told_with("PEAL_SHM_HEAP", "1M"), told_with("PEAL_SHM_HEAP", "2M")}),
            "PEAL_SHM_HEAP must be the same for all ranks, but is 1M for rank 0 and 2M for rank 1");
}

TEST_F(agreement, the_dead_told_nothing) {
  const std::string tree = told_with("PEAL_BCAST", "tree");
  EXPECT_EQ(disagreement({std::nullopt, tree, std::nullopt, tree}), "");
  EXPECT_EQ(
      disagreement({std::nullopt, tree, ""}),
      "PEAL_BCAST must be the same for all ranks, but is tree for rank 1 and auto for rank 2");
  EXPECT_EQ(disagreement({std::nullopt, std::nullopt}), "");
}

TEST_F(agreement, what_each_may_have_its_own_of_is_not_told) {
  EXPECT_EQ(told_with("PEAL_VERBS_PROMOTE", "3"), "");
}

}  // namespace
