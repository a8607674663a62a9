#include "collective/choice/tuning.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "collective/choice/choice.hpp"
#include "topology/processor.hpp"

namespace {

using namespace peal;

cost_parameters other() {
  cost_parameters made;
  for (const cost_field& each : cost_fields()) made.*each.value = made.*each.value * 0.7 + 1.0 / 3;
  return made;
}

/// A folder of its own, and the variables as they were afterwards.
class desk {
 public:
  desk() {
    std::string name = std::filesystem::temp_directory_path() / "peal-tuning-XXXXXX";
    folder_ = mkdtemp(name.data());
    setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
    unsetenv("PEAL_TUNING");
  }
  ~desk() {
    std::filesystem::remove_all(folder_);
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("PEAL_TUNING");
  }
  desk(const desk&) = delete;
  desk& operator=(const desk&) = delete;

  [[nodiscard]] std::filesystem::path write(const std::filesystem::path& name,
                                            const std::string& text) const {
    const auto path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream{path} << text;
    return path;
  }
  [[nodiscard]] static tuning read() {
    return read_tuning(job_settings::from_environment().tuning);
  }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

TEST(cost_parameters, travel_to_the_last_bit) {
  EXPECT_EQ(from_note(to_note(other())), other());
  EXPECT_EQ(from_note(to_note({})), cost_parameters{});
  const std::string note = to_note(other());
  for (const std::string& wrong : {std::string{}, note + ",1", note.substr(0, note.rfind(',')),
                                   "x" + note, "-" + note, note + "x"})
    EXPECT_FALSE(from_note(wrong)) << wrong;
}

TEST(cost_parameters, the_defaults_are_possible) {
  for (const cost_field& each : cost_fields()) {
    EXPECT_GE(cost_parameters{}.*each.value, each.least) << each.name;
    EXPECT_LE(cost_parameters{}.*each.value, each.most) << each.name;
  }
}

TEST(cost_parameters, what_is_built_in_was_not_measured_here) {
  EXPECT_FALSE(measured_inside({}));
  EXPECT_FALSE(measured_between({}));
  cost_parameters found;
  found.local_flight_ns += 1;
  EXPECT_TRUE(measured_inside(found));
  EXPECT_FALSE(measured_between(found));
  found = {};
  found.remote_rate -= 1;
  EXPECT_FALSE(measured_inside(found));
  EXPECT_TRUE(measured_between(found));
}

TEST(tuning, a_file_says_what_was_written) {
  const tuning read =
      parse_tuning(tuning_text(other(), "measured on a host\nat some time"), "file");
  EXPECT_EQ(read.problem, "");
  EXPECT_EQ(read.costs, other());
  EXPECT_EQ(read.from, "file");
}

TEST(tuning, a_damaged_file_is_not_used_and_says_why) {
  const std::string good = tuning_text(other(), "remark");
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string made = good;
    return made.replace(made.find(from), from.size(), to);
  };
  const struct {
    std::string text, told;
  } trials[]{
      {"", "it holds nothing"},
      {good.substr(0, good.find('\n', good.size() / 2) + 1), "it lacks "},
      {good.substr(good.find("local_send_ns")), "line 1: it does not begin with its format"},
      {broken("format = 1", "format = 2"), "line 2: it is of format 2, and this peal reads 1"},
      {broken("format = 1", "format = one"), "line 2: its format, \"one\", is no number"},
      {broken("local_send_ns", "local_sent_ns"), "\"local_sent_ns\" is no parameter"},
      {broken("reduce_rate = ", "reduce_rate = -"), "reduce_rate = -"},
      {broken("reduce_rate = ", "reduce_rate = nan #"), "reduce_rate = nan: must be from"},
      {broken("reduce_rate = ", "reduce_rate = 0 #"), "reduce_rate = 0: must be from"},
      {broken("reduce_rate = ", "reduce_rate "), "it is no \"name = value\""},
      {broken("format = 1", "format = 1\nprocessor = slow"), "must be a name in quotes"},
      {good + "reduce_rate = 1\n", "reduce_rate stands there twice"},
      {std::string(1000, '\0'), "line 1: it is no \"name = value\""},
      {std::string(1 << 20, '\n'), "it is too long"},
  };
  for (const auto& each : trials) {
    const tuning read = parse_tuning(each.text, "FILE");
    EXPECT_TRUE(read.problem.starts_with("the tuning file FILE is not used: ")) << read.problem;
    EXPECT_NE(read.problem.find(each.told), std::string::npos)
        << read.problem << " lacks " << each.told;
    EXPECT_EQ(read.costs, cost_parameters{});
    EXPECT_EQ(read.from, "");
  }
}

TEST(tuning, lies_where_configurations_lie) {
  const desk own;
  EXPECT_EQ(own.read().problem, "");
  EXPECT_EQ(own.read().from, "");
  const auto path = own.write("peal/tuning.toml", tuning_text(other(), ""));
  EXPECT_EQ(own.read().costs, other());
  EXPECT_EQ(own.read().from, path);
  setenv("PEAL_TUNING", "none", 1);
  EXPECT_EQ(own.read().costs, cost_parameters{});
  setenv("PEAL_TUNING", (own.folder() / "elsewhere").c_str(), 1);
  EXPECT_NE(own.read().problem.find("No such file or directory"), std::string::npos)
      << own.read().problem;
  EXPECT_EQ(own.read().costs, cost_parameters{});
  setenv("PEAL_TUNING", own.folder().c_str(), 1);
  EXPECT_NE(own.read().problem.find("Is a directory"), std::string::npos) << own.read().problem;
}

TEST(tuning, a_file_of_another_processor_is_not_used) {
  const desk own;
  const std::string here = processor_name();
  (void)own.write("peal/tuning.toml", tuning_text(other(), "", here));
  EXPECT_EQ(own.read().costs, other()) << own.read().problem;
  EXPECT_EQ(own.read().processor, here);
  const auto path = own.write("peal/tuning.toml", tuning_text(other(), "", "a slide rule"));
  const tuning asked = read_tuning_file(path);
  EXPECT_EQ(asked.problem, "");
  EXPECT_EQ(asked.costs, other());
  EXPECT_EQ(asked.processor, "a slide rule");
  if (here.empty()) return;
  EXPECT_EQ(own.read().costs, cost_parameters{});
  EXPECT_EQ(own.read().from, "");
  EXPECT_NE(own.read().problem.find("another machine (its line processor says \"a slide rule\""),
            std::string::npos)
      << own.read().problem;
}

TEST(tuning, what_is_no_file_is_not_waited_for) {
  const desk own;
  const auto pipe = own.folder() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);  // which nobody writes to
  for (const auto& each : {pipe.string(), std::string{"/dev/zero"}}) {
    const tuning read = read_tuning_file(each);
    EXPECT_NE(read.problem.find("it is no ordinary file"), std::string::npos) << read.problem;
    EXPECT_EQ(read.from, "");
  }
}

TEST(tuning, a_warning_does_not_repeat_what_is_no_text) {
  const std::string begin = "format = 1\n", garbage = "\x1b[2J\xff" + std::string(60'000, 'x');
  for (const std::string& text :
       {begin + garbage + " = 1\n", begin + "reduce_rate = " + garbage + "\n",
        "format = " + garbage + "\n"}) {
    const std::string problem = parse_tuning(text, "FILE").problem;
    EXPECT_LT(problem.size(), 200u);
    EXPECT_NE(problem.find("?[2J?xxx"), std::string::npos) << problem;
  }
}

TEST(tuning, without_a_home_there_is_none) {
  const desk own;
  const char* const home = std::getenv("HOME");
  const std::string before = home ? home : "";
  setenv("XDG_CONFIG_HOME", "relative", 1);
  unsetenv("HOME");
  EXPECT_EQ(tuning_file(job_settings::from_environment().tuning), "");
  setenv("HOME", "/nonexistent", 1);
  EXPECT_EQ(tuning_file(job_settings::from_environment().tuning),
            "/nonexistent/.config/peal/tuning.toml");
  EXPECT_EQ(own.read().problem, "");
  if (home) setenv("HOME", before.c_str(), 1);
  else unsetenv("HOME");
}

}  // namespace
