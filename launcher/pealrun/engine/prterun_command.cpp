#include "engine/prterun_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include "engine/choice.hpp"
#include "engine/counterparts.hpp"
#include "engine/ranks_command.hpp"

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

bool says_pe(const job_request& request) {
  const std::string* by = request.given_for("--map-by");
  return by != nullptr &&
         (by->find(":PE=") != std::string::npos || by->find(":pe=") != std::string::npos);
}

std::string binding(const job_request& request, const std::string& value) {
  // prterun binds a rank that has several cores to just these.
  if (says_pe(request) && value != "core")
    refuse_option("prterun", "--bind-to", value, "which binds to cores with --map-by ...:PE=N");
  return counterpart_of("prterun", "--bind-to", value,
                        {{"none", "none"},
                         {"core", "core"},
                         {"l3", "l3cache"},
                         {"numa", "numa"},
                         {"socket", "package"}});
}

// All that is said of lines stands in one --output.
std::string line_marks(const job_request& request) {
  std::string marks;
  for (const auto& [name, mark] :
       {std::pair{"--tag-output", "tag"}, {"--timestamp-output", "timestamp"}}) {
    if (request.given_for(name) == nullptr) continue;
    if (request.given_for("--output") != nullptr)
      refuse_option("prterun", name, "", "which marks no lines in the files of --output");
    marks += (marks.empty() ? "" : ",") + std::string{mark};
  }
  return marks;
}

void add(std::vector<std::string>& words, const job_request& request, const given_option& option) {
  constexpr std::string_view treated[] = {"--np",
                                          "-x",
                                          "--threads",
                                          "--wdir",
                                          "--explain",
                                          "--engine",
                                          "--nodes",
                                          "--host",
                                          "--timeout",
                                          "--hostfile",
                                          "--no-oversubscribe",
                                          "--ppn",
                                          "--map-by",
                                          "--tag-output",
                                          "--timestamp-output",
                                          "--output",
                                          "--merge-stderr"};
  const std::string& name = option.name;
  const std::string value = option.values.empty() ? "" : option.values.back();
  if (std::find(std::begin(treated), std::end(treated), name) != std::end(treated)) return;
  if (name == "--stdin") {
    // The input of another rank never ends under PRRTE 3.0.0, and the job neither.
    if (value != "0" && value != "all" && value != "none")
      refuse_option("prterun", name, value, "which gives input to rank 0, all or none");
    words.insert(words.end(), {"--stdin", value});
  } else if (name == "--report-bindings") {
    words.insert(words.end(), {"--display", "bind"});
  } else if (name == "--on-failure") {
    if (value != "kill") refuse_option("prterun", name, value);
  } else if (name == "--bind-to") {
    words.insert(words.end(), {"--bind-to", binding(request, value)});
  } else {
    refuse_option("prterun", name, fmt::format("{}", fmt::join(option.values, " ")));
  }
}

// prterun takes a quotation mark away where it stands at the end of a word.
bool loses_quotes(const std::string& word) { return word.ends_with('"'); }

// Where the words would not reach the rank as they are, or its output goes to files that are named
// as pealrun names them, a shell becomes the program.
std::vector<std::string> rank_words(const job_request& request, const application& what) {
  application own = what;
  own.folder.clear();  // prterun enters it, and refuses what is not there
  const bool by_shell_variables =
      std::any_of(what.variables.begin(), what.variables.end(),
                  [](const auto& each) { return loses_quotes(each.second); });
  std::vector<std::string> words;
  if (!by_shell_variables) {
    own.variables.clear();
    for (const auto& [name, value] : what.variables)
      words.insert(words.end(), {"-x", fmt::format("{}={}", name, value)});
  }
  const std::vector<std::string> command = ranks_command(own);
  const std::string* folder = request.given_for("--output");
  const bool merged = request.given_for("--merge-stderr") != nullptr;
  if (folder == nullptr && !merged && std::none_of(command.begin(), command.end(), loses_quotes)) {
    words.insert(words.end(), command.begin(), command.end());
    return words;
  }
  std::string script = "exec " + shell_text(command);
  if (folder != nullptr) {
    const auto width = std::to_string(std::max(0, request.ranks() - 1)).size();
    const std::string path = std::filesystem::absolute(*folder).lexically_normal().string();
    const std::string file =
        fmt::format("{}/rank.$(printf %0{}d \"$PMIX_RANK\")", shell_text({path}), width);
    script += fmt::format(" >{}.out", file);
    if (!merged) script += fmt::format(" 2>{}.err", file);
  }
  if (merged) script += " 2>&1";
  words.insert(words.end(), {"sh", "-c", script});
  return words;
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
  if (says_pe(request) && request.given_for("--bind-to") == nullptr)
    words.insert(words.end(), {"--bind-to", "core"});
  if (const std::string marks = line_marks(request); !marks.empty())
    words.insert(words.end(), {"--output", marks});
  for (const given_option& each : request.given) add(words, request, each);
  for (const application& each : request.applications) {
    if (&each != &request.applications.front()) words.emplace_back(":");
    words.insert(words.end(), {"--np", std::to_string(each.ranks)});
    if (!each.folder.empty())
      words.insert(words.end(),
                   {"--wdir", std::filesystem::absolute(each.folder).lexically_normal()});
    const std::vector<std::string> own = rank_words(request, each);
    words.insert(words.end(), own.begin(), own.end());
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
