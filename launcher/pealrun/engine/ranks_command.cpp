#include "engine/ranks_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace peal::launcher {

namespace {

std::string quoted(const std::string& word) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char each : word) {
    if (each == '\'') text += "'\\''";
    else text += each;
  }
  return text + "'";
}

}  // namespace

std::vector<std::string> ranks_command(const application& what) {
  std::vector<std::string> words;
  if (!what.folder.empty() || !what.variables.empty()) {
    words.emplace_back("env");
    // A launcher that cannot enter a folder may go on in another one, as srun does in /tmp; env
    // does not.
    if (!what.folder.empty())
      words.push_back("--chdir=" +
                      std::filesystem::absolute(what.folder).lexically_normal().string());
    for (const auto& [name, value] : what.variables)
      words.push_back(fmt::format("{}={}", name, value));
    // env would take it for another variable.
    if (what.program.find('=') != std::string::npos)
      words.insert(words.end(), {"sh", "-c", "exec \"$0\" \"$@\""});
  }
  words.push_back(what.program);
  words.insert(words.end(), what.arguments.begin() + 1, what.arguments.end());
  return words;
}

std::vector<std::string> ranks_command(const std::vector<application>& programs,
                                       const std::string& rank) {
  std::string script;
  int end = 0;
  for (const application& each : programs) {
    end += each.ranks;
    application counted = each;
    counted.variables.emplace_back("PEALRUN_APPNUM", fmt::format("{}", &each - programs.data()));
    const std::string what = shell_text(ranks_command(counted));
    script += &each == &programs.back()
                  ? "exec " + what
                  : fmt::format("[ \"${}\" -lt {} ] && exec {}; ", rank, end, what);
  }
  return {"sh", "-c", script};
}

std::string shell_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& each : words) text += (text.empty() ? "" : " ") + quoted(each);
  return text;
}

}  // namespace peal::launcher
