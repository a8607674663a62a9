#include "engine/prterun_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "engine/choice.hpp"
#include "engine/counterparts.hpp"

namespace peal::launcher {

namespace {

// --map-by holds all that is said of the way from ranks to nodes.
std::string mapping(const job_request& request) {
  std::string kind = "slot", with;
  if (const std::string* by = request.given_for("--map-by")) {
    const std::size_t colon = by->find(':');
    kind = counterpart_of("prterun", "--map-by", by->substr(0, colon),
                          {{"slot", "slot"},
                           {"core", "core"},
                           {"l3", "l3cache"},
                           {"numa", "numa"},
                           {"socket", "package"},
                           {"node", "node"}});
    if (colon != std::string::npos) with = by->substr(colon);
  }
  if (const std::string* count = request.given_for("--ppn")) {
    if (request.given_for("--map-by") != nullptr)
      refuse_option("prterun", "--ppn", *count, "which has one option for it and --map-by");
    kind = "ppr:" + *count + ":node";
  }
  // More ranks than slots are allowed, as they are on one node.
  return kind + with +
         (request.given_for("--no-oversubscribe") != nullptr ? ":NOOVERSUBSCRIBE"
                                                             : ":OVERSUBSCRIBE");
}

void add(std::vector<std::string>& words, const given_option& option) {
  constexpr std::string_view treated[] = {
      "--np",    "-x",     "--threads", "--wdir",     "--explain",          "--engine",
      "--nodes", "--host", "--timeout", "--hostfile", "--no-oversubscribe", "--ppn",
      "--map-by"};
  const std::string& name = option.name;
  const std::string value = option.values.empty() ? "" : option.values.back();
  if (std::find(std::begin(treated), std::end(treated), name) != std::end(treated)) return;
  if (name == "--tag-output") {
    words.insert(words.end(), {"--output", "tag"});
  } else if (name == "--stdin") {
    words.insert(words.end(), {"--stdin", value});
  } else if (name == "--report-bindings") {
    words.insert(words.end(), {"--display", "bind"});
  } else if (name == "--on-failure") {
    if (value != "kill") refuse_option("prterun", name, value);
  } else if (name == "--bind-to") {
    words.insert(words.end(), {"--bind-to", counterpart_of("prterun", name, value,
                                                           {{"none", "none"},
                                                            {"core", "core"},
                                                            {"l3", "l3cache"},
                                                            {"numa", "numa"},
                                                            {"socket", "package"}})});
  } else {
    refuse_option("prterun", name, fmt::format("{}", fmt::join(option.values, " ")));
  }
}

using version = std::array<int, 3>;

// The first "a.b.c" in a text; zeros where there is none.
version version_in(const std::string& text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    version found{};
    if (std::sscanf(text.c_str() + at, "%d.%d.%d", &found[0], &found[1], &found[2]) == 3)
      return found;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  }
  return {};
}

std::string text_of(const version& what) {
  return fmt::format("{}.{}.{}", what[0], what[1], what[2]);
}

}  // namespace

std::vector<std::string> prterun_command(const job_request& request, bool root) {
  if (request.nodes > 0)
    refuse_option("prterun", "--nodes", std::to_string(request.nodes),
                  "which takes nodes by name: use --host");
  std::vector<std::string> words{"prterun"};
  if (root) words.emplace_back("--allow-run-as-root");
  if (!request.hosts.empty()) words.insert(words.end(), {"--host", request.hosts});
  if (!request.host_file.empty()) {
    (void)hosts_of(request);  // a bad line is told here
    words.insert(words.end(),
                 {"--hostfile", std::filesystem::absolute(request.host_file).lexically_normal()});
  }
  words.insert(words.end(), {"--map-by", mapping(request)});
  for (const given_option& each : request.given) add(words, each);
  for (const application& each : request.applications) {
    if (&each != &request.applications.front()) words.emplace_back(":");
    words.insert(words.end(), {"--np", std::to_string(each.ranks)});
    if (!each.folder.empty())
      words.insert(words.end(),
                   {"--wdir", std::filesystem::absolute(each.folder).lexically_normal()});
    for (const auto& [name, value] : each.variables)
      words.insert(words.end(), {"-x", fmt::format("{}={}", name, value)});
    words.push_back(each.program);
    words.insert(words.end(), each.arguments.begin() + 1, each.arguments.end());
  }
  return words;
}

std::string objection_to_prterun(const std::string& prterun_version,
                                 const std::string& pmix_version) {
  const version prrte = version_in(prterun_version), pmix = version_in(pmix_version);
  if (prrte == version{})
    return fmt::format("prterun --version says '{}', which is no version of PRRTE",
                       prterun_version.substr(0, prterun_version.find('\n')));
  const version needed = prrte >= version{4, 0, 0}   ? version{6, 0, 0}
                         : prrte >= version{3, 0, 1} ? version{4, 2, 4}
                                                     : version{};
  if (pmix >= needed) return {};
  return fmt::format(
      "prterun is PRRTE {}, which needs libpmix {} or newer, and peal runs with {}: "
      "install PRRTE 3.0.0, or a newer libpmix and peal built with it, or use Slurm",
      text_of(prrte), text_of(needed), text_of(pmix));
}

}  // namespace peal::launcher
