#include "engine/slurm/slurm_step.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <utility>

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

// A job without an allocation of its own was made by srun, under the name of the step. Why a job
// ends is not told before its processes are gone.
constexpr const char* job_script = R"(
number=${SLURM_JOB_ID:-$(timeout 2 squeue --name="$0" --states=all --noheader --format=%A)}
for try in 1 2 3 4 5 6 7 8; do
  line=$(timeout 2 scontrol --oneliner show job "$number") || exit 0
  case $line in *" JobState=COMPLETING "*) sleep 0.2 ;; *) break ;; esac
done
echo "$line"
)";

std::string output_of_script(const char* text, const std::string& argument) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int each : {STDIN_FILENO, STDERR_FILENO}) ::dup2(nowhere, each);
    ::dup2(ends[1], STDOUT_FILENO);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execl("/bin/sh", "sh", "-c", text, argument.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  std::string said;
  std::array<char, 4096> bytes;
  for (ssize_t got; child > 0 && (got = ::read(ends[0], bytes.data(), bytes.size())) != 0;) {
    if (got > 0) said.append(bytes.data(), static_cast<std::size_t>(got));
    else if (errno != EINTR) break;
  }
  ::close(ends[0]);
  if (child > 0) ::waitpid(child, nullptr, 0);
  return said;
}

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

void cancel_step(const std::string& name) { (void)output_of_script(script, name); }

std::string told_of_node(const std::string& node) {
  return output_of_script(R"(timeout 2 scontrol --oneliner show node "$0")", node);
}

std::string end_by_slurm(const std::string& name) {
  const std::string job = output_of_script(job_script, name);
  constexpr std::pair<std::string_view, const char*> states[] = {
      {" JobState=CANCELLED ", "was cancelled (scancel)"},
      {" JobState=TIMEOUT ", "has reached its time limit"},
      {" JobState=DEADLINE ", "has reached its deadline"},
      {" JobState=PREEMPTED ", "was preempted"},
      {" JobState=NODE_FAIL ", "has lost a node"}};
  constexpr std::string_view number = "JobId=";
  if (!job.starts_with(number)) return {};
  for (const auto& [state, words] : states)
    if (job.find(state) != std::string::npos)
      return fmt::format("job {} of Slurm's {}",
                         job.substr(number.size(), job.find(' ') - number.size()), words);
  return {};
}

}  // namespace peal::launcher
