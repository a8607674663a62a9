#include "base/config.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

#include "peal/error.hpp"

namespace {

// Sets a variable for the length of a test.
class with_variable {
 public:
  with_variable(const char* name, const char* value) : name_{name} { setenv(name, value, 1); }
  ~with_variable() { unsetenv(name_); }

 private:
  const char* name_;
};

std::string refusal(const char* name, const char* value) {
  const with_variable set{name, value};
  try {
    peal::config::from_environment(false);
  } catch (const peal::error& problem) {
    EXPECT_EQ(problem.code(), peal::errc::invalid_config);
    return problem.what();
  }
  return "accepted";
}

TEST(config, sizes_take_a_unit) {
  EXPECT_EQ(peal::parse_bytes("0"), 0u);
  EXPECT_EQ(peal::parse_bytes("4096"), 4096u);
  EXPECT_EQ(peal::parse_bytes("64K"), 65536u);
  EXPECT_EQ(peal::parse_bytes("3m"), 3u << 20);
  EXPECT_EQ(peal::parse_bytes("2G"), std::size_t{2} << 30);
  for (const char* wrong : {"", "K", "-1", "1.5M", "12KB", "1 M", "99999999999999999999", "18446744073709551615G"})
    EXPECT_THROW(peal::parse_bytes(wrong), std::invalid_argument) << wrong;
}

TEST(config, defaults_hold_when_nothing_is_set) {
  const peal::config settings = peal::config::from_environment(false);
  EXPECT_EQ(settings.text("PEAL_WAIT"), "adaptive");
  EXPECT_EQ(settings.bytes("PEAL_UNEXPECTED_LIMIT"), std::size_t{64} << 20);
  EXPECT_FALSE(settings.is_set("PEAL_WAIT"));
}

TEST(config, every_default_is_allowed) {
  for (const peal::variable& each : peal::variables()) {
    const std::string name{each.name}, value{each.fallback};
    if (!value.empty()) {
      EXPECT_EQ(refusal(name.c_str(), value.c_str()), "accepted") << name;
    }
  }
}

TEST(config, nonsense_is_refused_with_name_value_and_what_is_allowed) {
  const std::string choice = refusal("PEAL_WAIT", "sometimes");
  EXPECT_NE(choice.find("PEAL_WAIT=sometimes"), std::string::npos) << choice;
  EXPECT_NE(choice.find("adaptive poll block"), std::string::npos) << choice;
  const std::string size = refusal("PEAL_UNEXPECTED_LIMIT", "lots");
  EXPECT_NE(size.find("PEAL_UNEXPECTED_LIMIT=lots"), std::string::npos) << size;
  EXPECT_NE(refusal("PEAL_UNEXPECTED_LIMIT", "1"), "accepted") << "below the least";
  EXPECT_NE(refusal("PEAL_UNWIND_TIMEOUT", "nan"), "accepted");
  EXPECT_NE(refusal("PEAL_SHM_DIR", "relative/path"), "accepted");
  EXPECT_NE(refusal("PEAL_LOG", ""), "accepted");
}

TEST(config, a_number_may_be_left_to_peal) {
  const auto lanes = [](const char* value) {
    const with_variable set{"PEAL_LANES", value};
    return peal::config::from_environment(false).count_unless_auto("PEAL_LANES");
  };
  EXPECT_EQ(lanes("auto"), std::nullopt);
  EXPECT_EQ(lanes("16"), 16u);
  const with_variable set{"PEAL_WAIT_MOST", "2.5"};
  const peal::config settings = peal::config::from_environment(false);
  EXPECT_EQ(settings.microseconds_unless_auto("PEAL_WAIT_MOST"), 2.5);
  EXPECT_EQ(settings.microseconds_unless_auto("PEAL_WAIT_LEAST"), std::nullopt);
  for (const char* wrong : {"99", "0", "x", "-1", "2x", " 2", "Auto", ""}) EXPECT_NE(refusal("PEAL_LANES", wrong), "accepted") << wrong;
  for (const char* wrong : {"-1", "x", "1000001", "nan", "1us"}) EXPECT_NE(refusal("PEAL_WAIT_LEAST", wrong), "accepted") << wrong;
  for (const char* wrong : {"x", "-1", "1.5"}) EXPECT_NE(refusal("PEAL_VERBS_GID", wrong), "accepted") << wrong;
  EXPECT_NE(refusal("PEAL_LANES", "99").find("PEAL_LANES=99: allowed is auto, or a whole number in 1..16"), std::string::npos);
}

TEST(config, an_unknown_name_is_warned_of_with_the_nearest) {
  const with_variable set{"PEAL_SHM_COPI", "auto"};
  testing::internal::CaptureStderr();
  peal::config::from_environment(true);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("PEAL_SHM_COPI is no variable of peal; the nearest is PEAL_SHM_COPY"), std::string::npos) << said;
}

}  // namespace
