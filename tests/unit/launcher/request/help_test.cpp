#include "request/help.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace {

using peal::launcher::nearest_to;
using peal::launcher::wrapped;

TEST(help, breaks_lines_between_words) {
  EXPECT_EQ(wrapped("one two three", 2, 9), "  one two\n  three\n");
  EXPECT_EQ(wrapped("a-very-long-word x", 0, 5), "a-very-long-word\nx\n");
  EXPECT_EQ(wrapped("", 2), "");
}

TEST(help, shows_options_as_the_completions_read_them) {
  CLI::App app{"It starts things.", "starter"};
  app.formatter(std::make_shared<peal::launcher::help_format>());
  app.option_defaults()->group("Help");
  app.set_help_flag("-h,--help", "print this");
  app.option_defaults()->group("First");
  std::string text;
  bool flag = false;
  app.add_option("-n,--number", text, "how many")->type_name("COUNT");
  app.add_option("--kind", text, std::string(30, 'x') + " " + std::string(30, 'y'))
      ->check(CLI::Validator{[](std::string&) { return std::string{}; }, "none|all"})
      ->type_name("");
  app.add_flag("--flag", flag, "a flag");
  app.add_option("--hidden", text, "for itself")->group("");
  EXPECT_EQ(
      app.help("starter [OPTION]..."),
      "Usage: starter [OPTION]...\n\nIt starts things.\n\nFirst:\n"
      "  -n,--number COUNT       how many\n"
      "  --kind none|all         " +
          std::string(30, 'x') + "\n" + std::string(26, ' ') + std::string(30, 'y') +
          "\n  --flag                  a flag\n\nHelp:\n  -h,--help               print this\n");
}

TEST(help, finds_what_may_have_been_meant) {
  const std::vector<std::string> names{"--bind-to", "--map-by", "--report-bindings"};
  EXPECT_EQ(nearest_to("--bind", names), "--bind-to");
  EXPECT_EQ(nearest_to("--mapby", names), "--map-by");
  EXPECT_EQ(nearest_to("--report-binding", names), "--report-bindings");
  EXPECT_EQ(nearest_to("--frobnicate", names), "");
  EXPECT_EQ(nearest_to("", names), "");
}

}  // namespace
