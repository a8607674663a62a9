#include "request/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace peal::launcher {

namespace {

// Where the texts begin; an option that is longer has a line for itself.
constexpr std::size_t text_column = 26;

// How many letters must be changed, put in or left out to make one word of the other.
std::size_t letters_between(const std::string& one, const std::string& other) {
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t i = 0; i <= other.size(); ++i) row[i] = i;
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t k = 0; k < other.size(); ++k) {
      const std::size_t replaced = diagonal + (one[i] == other[k] ? 0 : 1);
      diagonal = row[k + 1];
      row[k + 1] = std::min({replaced, row[k] + 1, row[k + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string made, line;
  const auto end_line = [&] {
    if (!line.empty()) made += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  std::istringstream words{text};
  for (std::string word; words >> word;) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) end_line();
    line += (line.empty() ? "" : " ") + word;
  }
  end_line();
  return made;
}

std::string nearest_to(const std::string& word, const std::vector<std::string>& names) {
  std::string best;
  std::size_t least = 3;  // more letters than two make another word
  for (const std::string& each : names) {
    const bool begins = word.size() >= 4 && each.starts_with(word);
    const std::size_t apart = begins ? 1 : letters_between(word, each);
    if (apart >= least) continue;
    least = apart;
    best = each;
  }
  return best;
}

std::string help_format::make_option(const CLI::Option* option, bool) const {
  std::string names;
  for (const auto& each : option->get_snames()) names += (names.empty() ? "-" : ",-") + each;
  for (const auto& each : option->get_lnames()) names += (names.empty() ? "--" : ",--") + each;
  std::string takes = option->get_type_size() == 0 ? "" : option->get_type_name();
  // CLI11 puts a colon before what a check allows.
  if (takes.starts_with(':')) takes.erase(0, 1);
  const std::string head = "  " + names + (takes.empty() ? "" : " " + takes);
  const std::string text = wrapped(option->get_description(), text_column);
  if (head.size() + 2 > text_column) return head + "\n" + text;
  return head + text.substr(std::min(head.size(), text.size()));
}

std::string help_format::make_help(const CLI::App* app, std::string usage,
                                   CLI::AppFormatMode) const {
  // CLI11 puts the name of the program behind it.
  if (usage.ends_with(" " + app->get_name()))
    usage.resize(usage.size() - app->get_name().size() - 1);
  std::string made = fmt::format("Usage: {}\n\n{}\n", usage, app->get_description());
  std::vector<std::string> groups;
  for (const CLI::Option* each : app->get_options())
    if (std::find(groups.begin(), groups.end(), each->get_group()) == groups.end())
      groups.push_back(each->get_group());
  // CLI11 declares --help first; it belongs to the end.
  if (!groups.empty()) std::rotate(groups.begin(), groups.begin() + 1, groups.end());
  for (const std::string& group : groups) {
    if (group.empty()) continue;  // hidden
    made += fmt::format("\n{}:\n", group);
    for (const CLI::Option* each : app->get_options())
      if (each->get_group() == group) made += make_option(each, false);
  }
  return made + app->get_footer();
}

}  // namespace peal::launcher
