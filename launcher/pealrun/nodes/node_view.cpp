#include "nodes/node_view.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "request/request.hpp"
#include "say.hpp"

extern char** environ;

namespace peal::launcher {

namespace {

// More than it takes to cancel a step that does not end.
constexpr std::chrono::seconds end_patience_of_helper{4};

void shut(int& descriptor) {
  if (const int end = std::exchange(descriptor, -1); end >= 0) ::close(end);
}

}  // namespace

// It ends with its input, and takes its agents along, which takes some tenths of a second. It may
// be waiting for a debugger on a node, for which nobody waits when the job is over.
node_view::~node_view() {
  shut(to_);
  shut(from_);
  if (helper_ <= 0) return;
  const auto limit = std::chrono::steady_clock::now() + end_patience_of_helper;
  while (::waitpid(helper_, nullptr, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > limit) ::kill(helper_, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
}

void node_view::begin() {
  if (order_.hang_after > 0 || !order_.on_nodes.empty()) start();
}

void node_view::start() {
  std::array<int, 2> to{}, from{};
  if (::pipe2(to.data(), O_CLOEXEC) != 0 || ::pipe2(from.data(), O_CLOEXEC) != 0)
    throw std::system_error{errno, std::generic_category(), "pipe"};
  const std::string text = order_.text();
  const std::array<const char*, 4> words{"pealrun", node_watch_word, text.c_str(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, to[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, from[1], STDOUT_FILENO);
  posix_spawnattr_t how;
  posix_spawnattr_init(&how);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&how, &none);
  posix_spawnattr_setsigdefault(&how, &all);
  posix_spawnattr_setpgroup(&how, 0);  // ^C and ^Z are for the job
  posix_spawnattr_setflags(&how,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const int problem = ::posix_spawn(&helper_, "/proc/self/exe", &files, &how,
                                    const_cast<char* const*>(words.data()), environ);
  posix_spawnattr_destroy(&how);
  posix_spawn_file_actions_destroy(&files);
  ::close(to[0]);
  ::close(from[1]);
  to_ = to[1];
  from_ = from[0];
  if (problem != 0) {
    helper_ = -1;
    throw std::system_error{problem, std::generic_category(), "pealrun's helper"};
  }
}

bool node_view::order(const std::string& word) {
  const std::string text = word + "\n";
  return to_ >= 0 && ::write(to_, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::string node_view::line(signal_source* interrupts, bool* interrupted) {
  for (;;) {
    if (const std::size_t end = read_.find('\n'); end != std::string::npos) {
      std::string made = read_.substr(0, end);
      read_.erase(0, end + 1);
      return made;
    }
    std::array<pollfd, 2> list{{{from_, POLLIN, 0}, {-1, POLLIN, 0}}};
    if (interrupts != nullptr) list[1].fd = interrupts->descriptor();
    ::poll(list.data(), list.size(), -1);
    if (interrupts != nullptr && list[1].revents != 0) {
      const std::vector<int> came = interrupts->take();
      if (std::ranges::any_of(
              came, [](int each) { return each == SIGINT || each == SIGTERM || each == SIGHUP; })) {
        *interrupted = true;
        return {};
      }
    }
    if (list[0].revents == 0) continue;
    std::array<char, 512> bytes{};
    const ssize_t got = ::read(from_, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    read_.append(bytes.data(), static_cast<std::size_t>(got));
  }
}

void node_view::prepare() {
  const std::string told = line(nullptr, nullptr);
  if (told == told_ready) return;
  const std::string why =
      told.starts_with(told_failed) ? told.substr(std::string_view{told_failed}.size()) : "";
  throw stop{1, fmt::format("pealrun: what the ranks note cannot be fetched from the nodes, so the "
                            "job is not started: {}\n",
                            why.empty() ? "the helper process has ended" : why)};
}

void node_view::report() {
  if (helper_ < 0) start();
  if (!order(order_report)) say("what the ranks do cannot be seen: the helper process has ended");
}

bool node_view::collect(signal_source& signals) {
  bool interrupted = false;
  const std::string told = order(order_collect) ? line(&signals, &interrupted) : "";
  if (told == told_collected) return true;
  for (const std::string_view sort : {told_failed, told_missing})
    if (told.starts_with(sort)) {
      say(fmt::format("the report of the run lacks {}{}",
                      sort == told_failed ? "what the ranks have noted: " : "",
                      told.substr(sort.size())));
      return false;
    }
  say(fmt::format(
      "the report of the run lacks what the ranks have noted: {}",
      interrupted ? "an interrupt came while it was fetched" : "the helper process has ended"));
  if (helper_ > 0) ::kill(helper_, SIGTERM);
  return false;
}

}  // namespace peal::launcher
