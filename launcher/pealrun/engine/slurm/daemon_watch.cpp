#include "engine/slurm/daemon_watch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <sstream>
#include <utility>

#include "engine/slurm/slurmd_contact.hpp"
#include "engine/slurm/step_watch.hpp"

namespace peal::launcher {

namespace {

using namespace std::chrono_literals;

// Most programs that are only tried are over sooner.
constexpr auto first_look = 1000ms;
// The step may have to wait for its nodes, and the controller serves others too.
constexpr auto longest_pause = 16000ms;
// The processes on the nodes end with the step.
constexpr int longest_leave = 2000;  // milliseconds
// Where a daemon has died they have more to do; of a node that is down nobody comes back.
constexpr int patience_after_death = 2000, patience_after_loss = 1000;

// Of a node that tells every two seconds that it is there.
constexpr auto longest_silence = 4000ms;
// Of a process on a node, after the step was found.
constexpr auto first_sign = 1000ms;

constexpr const char* found_word = "found";

// Looks once. The first word is the name of the step, the second one is pealrun's own file, which
// has to be there on all nodes, as the ranks' program has.
constexpr const char* watch_script = R"sh(
found=$(timeout 5 squeue --user="$(id -u)" --steps --noheader --format='%i %j %N' |
  while read -r number name nodes; do
    if [ "$name" = "$0" ]; then echo "$number $nodes"; fi
  done)
[ -n "$found" ] || exit 0
nodes=${found#* }
count=$(scontrol show hostnames "$nodes" | wc -l)
echo found $(scontrol show hostnames "$nodes")
exec srun --jobid="${found%%.*}" --overlap --mpi=none --quiet --job-name=pealrun.watch \
  --nodelist="$nodes" --nodes="$count" --ntasks="$count" --ntasks-per-node=1 --cpus-per-task=1 \
  --mem=0 --cpu-bind=none --distribution=block --input=none --kill-on-bad-exit=0 --no-kill \
  "$1" "$2" "$0"
)sh";

bool ends_within(pid_t child, int milliseconds) {
  pollfd end{static_cast<int>(::syscall(SYS_pidfd_open, child, 0)), POLLIN, 0};
  const bool ended = end.fd >= 0 && ::poll(&end, 1, milliseconds) > 0;
  if (end.fd >= 0) ::close(end.fd);
  return ended;
}

}  // namespace

daemon_watch::daemon_watch(std::string step) : step_{std::move(step)}, pause_{first_look} {
  if (!step_.empty()) next_ = clock::now() + first_look;
}

daemon_watch::~daemon_watch() { end_child(); }

std::optional<std::string> daemon_watch::serve() {
  if (next_ && clock::now() >= *next_) {
    next_.reset();
    start();
  }
  std::array<char, 4096> bytes;
  while (output_ >= 0) {
    const ssize_t got = ::read(output_, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    if (got > 0) {
      text_.append(bytes.data(), static_cast<std::size_t>(got));
      continue;
    }
    end_child();
    // Where no step was found there will be one later.
    if (!found_ && text_.empty()) {
      pause_ = std::min(pause_ * 2, std::chrono::milliseconds{longest_pause});
      next_ = clock::now() + pause_;
    }
  }
  if (auto told = take_lines()) return told;
  // A step that has ended tells no more; one that did not begin may have met a node that is down.
  if (output_ < 0)
    std::erase_if(heard_, [this](const auto& each) { return !awaited_.contains(each.first); });
  return silent_node();
}

std::optional<daemon_watch::clock::time_point> daemon_watch::next() const noexcept {
  auto first = next_;
  for (const auto& [node, when] : heard_)
    if (!first || when + longest_silence < *first) first = when + longest_silence;
  return first;
}

std::optional<std::string> daemon_watch::take_lines() {
  for (std::size_t end; (end = text_.find('\n')) != std::string::npos;) {
    const std::string line = text_.substr(0, end);
    text_.erase(0, end + 1);
    std::istringstream words{line};
    std::string word, node;
    words >> word;
    if (word == found_word) {
      found_ = true;
      for (; words >> node; awaited_.insert(node)) heard_[node] = clock::now() + first_sign;
    }
    if (!(words >> node)) continue;
    awaited_.erase(node);
    if (word == watch_told_alive) heard_[node] = clock::now();
    else heard_.erase(node);
    if (word != watch_told_lost) continue;
    patience_ = patience_after_death;
    return fmt::format("slurmstepd of this job on {} ended before its ranks, as after a SIGKILL",
                       node);
  }
  return std::nullopt;
}

// A node that is only slow, or whose processes are stopped, still takes connections.
std::optional<std::string> daemon_watch::silent_node() {
  const auto late = std::ranges::find_if(heard_, [now = clock::now()](const auto& each) {
    return now >= each.second + longest_silence;
  });
  if (late == heard_.end()) return std::nullopt;
  const std::string node = late->first;
  if (slurmd_is_gone(node)) {
    patience_ = patience_after_loss;
    heard_.clear();
    return fmt::format("node {} is down: neither pealrun's process nor slurmd answers there", node);
  }
  // Where no process has begun none may ever.
  if (awaited_.erase(node) > 0) heard_.erase(late);
  else late->second = clock::now();
  return std::nullopt;
}

void daemon_watch::start() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  std::error_code failed;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", failed).string();
  const pid_t parent = ::getpid();
  child_ = ::fork();
  if (child_ == 0) {
    ::setpgid(0, 0);
    // srun ends its step at SIGTERM.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(126);
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::dup2(nowhere, STDIN_FILENO);
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execl("/bin/sh", "sh", "-c", watch_script, step_.c_str(), program.c_str(), watch_step_word,
            nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  output_ = ends[0];
}

void daemon_watch::end_child() {
  if (const int output = std::exchange(output_, -1); output >= 0) ::close(output);
  const pid_t child = std::exchange(child_, -1);
  if (child <= 0) return;
  if (!ends_within(child, patience_)) {
    ::kill(-child, SIGTERM);
    if (!ends_within(child, longest_leave)) ::kill(-child, SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
}

}  // namespace peal::launcher
