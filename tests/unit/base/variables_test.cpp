#include "base/variables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "base/value_types.hpp"
#include "peal/error.hpp"

namespace {

using namespace peal;

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
    job_settings::from_environment();
  } catch (const error& problem) {
    EXPECT_EQ(problem.code(), errc::invalid_config);
    return problem.what();
  }
  return "accepted";
}

/// What the type makes of a text, as it would write it.
template <class Type>
std::string written(const Type& type, std::string_view text) {
  const auto read = type.read(text);
  return read ? type.write(*read) : "refused";
}

// ---- types

TEST(value_types, sizes_take_a_unit) {
  EXPECT_EQ(parse_bytes("0"), 0u);
  EXPECT_EQ(parse_bytes("4096"), 4096u);
  EXPECT_EQ(parse_bytes("64K"), 65536u);
  EXPECT_EQ(parse_bytes("3m"), 3u << 20);
  EXPECT_EQ(parse_bytes("2G"), std::size_t{2} << 30);
  for (const char* wrong :
       {"", "K", "-1", "1.5M", "12KB", "1 M", "99999999999999999999", "18446744073709551615G"})
    EXPECT_THROW(parse_bytes(wrong), std::invalid_argument) << wrong;
}

TEST(value_types, sizes_are_written_with_the_largest_unit) {
  const types::bytes any{0, ~std::size_t{0}};
  EXPECT_EQ(any.write(0), "0");
  EXPECT_EQ(any.write(1000), "1000");
  EXPECT_EQ(any.write(1024), "1K");
  EXPECT_EQ(any.write(1536 << 10), "1536K");
  EXPECT_EQ(any.write(std::size_t{1} << 40), "1024G");
  for (const std::size_t each : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 20,
                                 (std::size_t{1} << 30) + 1, ~std::size_t{0}})
    EXPECT_EQ(any.read(any.write(each)), each);
}

TEST(value_types, numbers_have_bounds) {
  EXPECT_EQ(written(types::count{1, 16}, "1"), "1");
  EXPECT_EQ(written(types::count{1, 16}, "16"), "16");
  for (const char* wrong :
       {"0", "17", "", "-1", "1.5", "2x", " 2", "+2", "0x2", "99999999999999999999"})
    EXPECT_EQ(written(types::count{1, 16}, wrong), "refused") << wrong;
  EXPECT_EQ(written(types::bytes{1024, 4096}, "4k"), "4K");
  for (const char* wrong : {"1023", "5K", ""})
    EXPECT_EQ(written(types::bytes{1024, 4096}, wrong), "refused") << wrong;
  EXPECT_EQ(written(types::seconds{0.1, 600}, "0.1"), "0.1");
  EXPECT_EQ(written(types::seconds{0.1, 600}, "6e2"), "600");
  for (const char* wrong : {"0.09", "600.5", "nan", "inf", "-inf", "", "4s"})
    EXPECT_EQ(written(types::seconds{0.1, 600}, wrong), "refused") << wrong;
  EXPECT_EQ(written(types::microseconds{0, 1000000}, "1000000"), "1000000");
  EXPECT_EQ(written(types::microseconds{0, 1000000}, "1000001"), "refused");
}

TEST(value_types, words_are_taken_as_they_are) {
  EXPECT_EQ(types::on_or_off().read("on"), true);
  EXPECT_EQ(types::on_or_off().read("off"), false);
  EXPECT_EQ(types::zero_or_one().read("1"), true);
  for (const char* wrong : {"", "On", "1", "on|off", "o"})
    EXPECT_EQ(types::on_or_off().read(wrong), std::nullopt) << wrong;
  EXPECT_EQ(written(types::path{}, "/a b"), "/a b");
  for (const char* wrong : {"", "a", "./a"})
    EXPECT_EQ(written(types::path{}, wrong), "refused") << wrong;
  EXPECT_EQ(written(types::text{"words"}, "x|y"), "x|y");
  EXPECT_EQ(written(types::text{"words"}, ""), "refused");
}

TEST(value_types, auto_is_nothing) {
  const types::auto_or lanes{types::count{1, 16}};
  static_assert(std::is_same_v<decltype(lanes)::value, std::optional<std::size_t>>);
  ASSERT_TRUE(lanes.read("auto"));
  EXPECT_EQ(*lanes.read("auto"), std::nullopt);
  ASSERT_TRUE(lanes.read("16"));
  EXPECT_EQ(*lanes.read("16"), 16u);
  for (const char* wrong : {"", "Auto", "auto ", "17"}) EXPECT_FALSE(lanes.read(wrong)) << wrong;
  EXPECT_EQ(lanes.write(std::nullopt), "auto");
  EXPECT_EQ(lanes.write(3), "3");
  EXPECT_EQ(lanes.allowed(), "auto|1..16");
  EXPECT_EQ(lanes.form(), "auto, or a whole number in 1..16");
}

TEST(value_types, algorithms_are_those_that_there_are) {
  const types::choice<std::string> of_bcast = types::algorithm_of(detail::collective::bcast);
  EXPECT_EQ(of_bcast.words.front().first, "direct");
  EXPECT_EQ(of_bcast.read("tree"), "tree");
  EXPECT_EQ(of_bcast.read("bruck"), std::nullopt) << "of others";
}

// ---- the table

TEST(variables, names_are_unique_and_found) {
  for (const variable& each : variables()) {
    EXPECT_EQ(find_variable(each.name), &each) << each.name;
    EXPECT_TRUE(each.name.starts_with("PEAL_"));
    EXPECT_FALSE(each.meaning.empty()) << each.name;
  }
  EXPECT_EQ(find_variable("PEAL_NOTHING"), nullptr);
}

TEST(variables, defaults_hold_when_nothing_is_set) {
  const job_settings set = job_settings::from_environment();
  EXPECT_EQ(set.wait.mode, wait_mode::adaptive);
  EXPECT_EQ(set.messages.unexpected_limit, std::size_t{64} << 20);
  for (const variable& each : variables()) EXPECT_EQ(each.written(set), each.fallback) << each.name;
}

TEST(variables, every_default_is_allowed_and_fills_what_was_there) {
  for (const variable& each : variables()) {
    if (each.fallback.empty()) continue;
    EXPECT_EQ(refusal(std::string{each.name}.c_str(), each.fallback.c_str()), "accepted");
    job_settings filled;
    ASSERT_TRUE(each.fill(filled, each.fallback)) << each.name;
    for (const variable& other : variables())
      EXPECT_EQ(other.written(filled), other.fallback) << each.name << " changes " << other.name;
  }
}

/// One that differs from the default; of what is chosen from words all of them.
std::vector<std::string> values_of(const variable& of) {
  std::vector<std::string> found;
  for (std::string_view rest = of.allowed; of.allowed.find('|') != std::string::npos;) {
    const std::size_t bar = rest.find('|');
    const std::string_view word = rest.substr(0, bar);
    const std::size_t dots = word.find("..");
    found.emplace_back(word.substr(dots == std::string_view::npos ? 0 : dots + 2));
    if (bar == std::string_view::npos) return found;
    rest.remove_prefix(bar + 1);
  }
  if (const std::size_t dots = of.allowed.find(".."); dots != std::string::npos)
    return {of.allowed.substr(0, dots), of.allowed.substr(dots + 2)};
  return {"/of/a/test"};
}

TEST(variables, each_fills_its_own_setting_with_all_that_is_allowed) {
  for (const variable& each : variables()) {
    bool changes = false;
    for (const std::string& value : values_of(each)) {
      job_settings filled;
      ASSERT_TRUE(each.fill(filled, value)) << each.name << "=" << value;
      EXPECT_EQ(each.written(filled), value) << each.name;
      changes |= value != each.fallback;
      for (const variable& other : variables())
        if (&other != &each) {
          EXPECT_EQ(other.written(filled), other.fallback)
              << each.name << " changes " << other.name;
        }
      EXPECT_EQ(objection(each, value), "");
    }
    EXPECT_TRUE(changes) << each.name;
  }
}

TEST(variables, nothing_is_filled_with_what_is_refused) {
  for (const variable& each : variables()) {
    job_settings filled;
    EXPECT_FALSE(each.fill(filled, "")) << each.name;
    EXPECT_EQ(each.written(filled), each.fallback);
    EXPECT_EQ(objection(each, ""), std::string{each.name} + "=: allowed is " + each.form);
  }
}

TEST(variables, nonsense_is_refused_with_name_value_and_what_is_allowed) {
  const auto expect = [](const char* name, const char* value, const std::string& text) {
    const std::string said = refusal(name, value);
    EXPECT_NE(said.find(text), std::string::npos) << said;
    EXPECT_EQ(objection(*find_variable(name), value), text);
  };
  expect("PEAL_WAIT", "sometimes", "PEAL_WAIT=sometimes: allowed is one of: adaptive poll block");
  expect(
      "PEAL_UNEXPECTED_LIMIT", "lots",
      "PEAL_UNEXPECTED_LIMIT=lots: allowed is a size such as 4096, 64K, 1M or 2G, in 64K..1024G");
  expect("PEAL_LANES", "99", "PEAL_LANES=99: allowed is auto, or a whole number in 1..16");
  expect("PEAL_UNWIND_TIMEOUT", "nan",
         "PEAL_UNWIND_TIMEOUT=nan: allowed is a number of seconds in 0..86400");
  expect("PEAL_WAIT_MOST", "1us",
         "PEAL_WAIT_MOST=1us: allowed is auto, or a number of microseconds in 0..1000000");
  expect("PEAL_SHM_DIR", "relative/path",
         "PEAL_SHM_DIR=relative/path: allowed is an absolute path");
  expect("PEAL_SCATTER", "bruck",
         "PEAL_SCATTER=bruck: allowed is auto, or one of: direct tree linear");
}

TEST(variables, all_objections_are_told_and_the_rest_is_read) {
  const with_variable wrong{"PEAL_WAIT", "x"}, also{"PEAL_LANES", "x"}, right{"PEAL_STATS", "1"};
  std::vector<std::string> objections;
  const job_settings read = read_environment(objections);
  std::ranges::sort(objections);
  ASSERT_EQ(objections.size(), 2u);
  EXPECT_EQ(objections.front().substr(0, 13), "PEAL_LANES=x:");
  EXPECT_EQ(objections.back().substr(0, 12), "PEAL_WAIT=x:");
  EXPECT_EQ(read.wait.mode, wait_mode::adaptive);
  EXPECT_TRUE(read.stats);
}

TEST(variables, an_unknown_name_is_told_of_with_the_nearest) {
  EXPECT_EQ(unknown_variables().size(), 0u);
  const with_variable set{"PEAL_SHM_COPI", "auto"};
  EXPECT_EQ(unknown_variables(),
            std::vector<std::string>{
                "PEAL_SHM_COPI is no variable of peal; the nearest is PEAL_SHM_COPY"});
  EXPECT_EQ(refusal("PEAL_SHM_COPI", "auto"), "accepted") << "it is warned of, once, by rank 0";
}

TEST(variables, ranks_must_agree_on_what_they_would_wait_for) {
  std::string must;
  for (const variable& each : variables())
    if (each.must_agree) must += std::string{each.name.substr(5)} + " ";
  EXPECT_EQ(
      must,
      "SHM_HEAP TRANSPORT CHECK LEARN BARRIER BCAST REDUCE ALLREDUCE GATHER SCATTER ALLGATHER "
      "ALLTOALL REDUCE_SCATTER SCAN EXSCAN ");
}

}  // namespace
