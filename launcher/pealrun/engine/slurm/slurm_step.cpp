#include "engine/slurm/slurm_step.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace peal::launcher {

namespace {

// srun tells nobody the number of its step, and scancel knows steps by number only. Where srun made
// the job, that has the name as well.
constexpr const char* script = R"(
timeout 2 squeue --steps --noheader --format='%i %j' | while read -r number name; do
  if [ "$name" = "$0" ]; then timeout 2 scancel --signal=KILL "$number"; fi
done
timeout 2 scancel --quiet --name="$0"
)";

}  // namespace

std::string step_name(const std::string& program) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::string name = program.substr(program.rfind('/') + 1);
  // As it stands in a list, parted by spaces and commas.
  for (char& each : name)
    if (each == ' ' || each == ',' || each == '\n') each = '_';
  // Of a job that was started again Slurm may still know the step that failed.
  const char* start = std::getenv("PEAL_RESTART");
  return fmt::format("{}.{}.{}{}{}", name, host.data(), ::getpid(), start != nullptr ? "." : "",
                     start != nullptr ? start : "");
}

void cancel_step(const std::string& name) {
  const pid_t child = ::fork();
  if (child < 0) return;
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, each);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execl("/bin/sh", "sh", "-c", script, name.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
}

}  // namespace peal::launcher
