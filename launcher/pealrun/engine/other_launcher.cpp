#include "engine/other_launcher.hpp"

#include <fmt/format.h>
#include <pmix.h>
#include <stdio.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "engine/prterun_command.hpp"
#include "engine/ranks_command.hpp"
#include "engine/slurm/slurm_step.hpp"
#include "engine/slurm/srun_command.hpp"
#include "engine/supervisor.hpp"
#include "nodes/watched_run.hpp"

namespace peal::launcher {

namespace {

std::string this_host() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// Before the signals are blocked for good, a child of a shell's: nothing but its text is wanted.
std::string output_of(const char* command) {
  std::string text;
  if (FILE* pipe = ::popen(command, "re")) {
    std::array<char, 256> part{};
    while (std::fgets(part.data(), part.size(), pipe) != nullptr) text += part.data();
    ::pclose(pipe);
  }
  return text;
}

void check_prterun() {
  const std::string version = output_of("prterun --version 2>/dev/null");
  if (version.empty())
    throw stop{
        127,
        "pealrun: prterun is not found in PATH, and has to start ranks on other hosts: "
        "install PRRTE 3.0.0 (not in Debian 12: github.com/openpmix/prrte, tag v3.0.0), or run "
        "pealrun inside of Slurm's salloc\n"};
  if (const std::string why = objection_to_prterun(version, PMIx_Get_version()); !why.empty())
    throw stop{1, fmt::format("pealrun: {}\n", why)};
}

}  // namespace

std::optional<other_launcher> other_launcher_for(const job_request& request) {
  const allocation slurm =
      allocation_of([](const char* name) -> const char* { return std::getenv(name); });
  other_launcher made;
  made.which = choose_engine(request, slurm, this_host());
  if (made.which == engine::local) return std::nullopt;
  if (made.which == engine::prrte) {
    made.words = prterun_command(request, ::geteuid() == 0);
    return made;
  }
  made.step = step_name(request.applications.front().arguments.front());
  made.words = srun_command(request, slurm, made.step,
                            fmt::format("/proc/self/fd/{}", supervisor::ranks_errors));
  return made;
}

std::string explain(const other_launcher& how) {
  std::vector<std::string> words = how.words;
  // Where pealrun listens, which only its own srun can reach.
  std::erase_if(words, [](const std::string& each) { return each.starts_with("--error=/proc/"); });
  return fmt::format("engine   {}\ncommand  {}\n", how.which == engine::slurm ? "slurm" : "prrte",
                     shell_text(words));
}

other_end run_by(const other_launcher& how, const job_request& request, signal_source& signals) {
  if (how.which == engine::prrte) check_prterun();
  if (const std::string* folder = request.given_for("--output")) {
    std::error_code failed;
    std::filesystem::create_directories(*folder, failed);
    if (failed || ::access(folder->c_str(), W_OK | X_OK) != 0)
      throw stop{1,
                 fmt::format("pealrun: --output {}: {}\n", *folder,
                             failed ? failed.message() : std::generic_category().message(errno))};
  }
  if (how.which == engine::slurm) return run_watched(how, request, signals);
  return supervisor{request, signals, how.words, how.step}.run();
}

}  // namespace peal::launcher
