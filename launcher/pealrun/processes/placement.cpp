#include "processes/placement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "topology/machine.hpp"

namespace peal::launcher {

namespace {

// A socket bound to a name in the abstract space; -1 when another process has the name
// (EADDRINUSE), or when no socket is to be had.
int take_name(const std::string& name) {
  const int made = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (made < 0) return -1;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t size = std::min(name.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name.data(), size);  // after the zero that makes it abstract
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size);
  if (::bind(made, reinterpret_cast<const sockaddr*>(&address), bytes) == 0) return made;
  const int problem = errno;
  ::close(made);
  errno = problem;
  return -1;
}

// This setting is the whole system's, so the kernel shows it in the first network namespace only.
// Nothing else tells that one from others without privileges.
bool in_the_first_network_namespace() {
  return ::access("/proc/sys/net/core/netdev_max_backlog", F_OK) == 0;
}

// Two pealruns that took turns core by core could both end with too few. A pealrun that waits in
// vain goes on without its turn: the worst is an unbound job.
class turn {
 public:
  turn() {
    for (int attempt = 0; attempt < 200 && (held_ = take_name("peal-cores-turn")) < 0; ++attempt)
      ::usleep(500);
  }
  ~turn() {
    if (held_ >= 0) ::close(held_);
  }
  turn(const turn&) = delete;
  turn& operator=(const turn&) = delete;

 private:
  int held_ = -1;
};

std::string shortage(const job_request& request, int wanted, int usable, int taken) {
  const int ranks = request.ranks();
  std::string line = fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s");
  if (wanted > ranks) line += fmt::format(" that want {} cores (OMP_NUM_THREADS)", wanted);
  line += fmt::format(" on {} core{}", usable, usable == 1 ? "" : "s");
  if (wanted <= usable) line += fmt::format(", of which other jobs of pealrun hold {}", taken);
  return line + ": ranks share cores and are not bound";
}

}  // namespace

int cores_per_rank(const application& what) {
  const char* text = std::getenv("OMP_NUM_THREADS");
  for (const auto& [name, value] : what.variables)
    if (name == "OMP_NUM_THREADS") text = value.c_str();
  int threads = 1;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), threads);
  return std::clamp(threads, 1, most_threads);
}

std::string openmp_places(const place& of) {
  std::string text;
  for (const std::vector<int>& core : of)
    text += fmt::format("{}{{{}}}", text.empty() ? "" : ",", fmt::join(core, ","));
  return text;
}

placement::placement(const machine& node, const job_request& request) {
  const int usable = node.usable_cores();
  long long wanted = 0;
  for (const application& each : request.applications)
    wanted += static_cast<long long>(each.ranks) * cores_per_rank(each);

  const turn ours;
  std::vector<const std::vector<int>*> free;
  for (const auto& core : node.cores())
    if (hold(core)) free.push_back(&core);
  const int taken = blind_ ? 0 : static_cast<int>(node.cores().size() - free.size());
  const int available = std::min(static_cast<int>(node.cores().size()) - taken, usable);
  release();
  cores_ = std::max(1, available);
  const bool bind = may_bind(node, request);
  if (!bind || wanted > available) {
    if (bind || (request.bind == binding_policy::none ? request.ranks() : wanted) > usable)
      warning_ =
          shortage(request, static_cast<int>(std::min<long long>(wanted, 1 << 30)), usable, taken);
    return;
  }
  std::size_t next = 0;
  for (const application& each : request.applications)
    for (int rank = 0; rank < each.ranks; ++rank) {
      place mine;
      for (int count = cores_per_rank(each); count > 0; --count, ++next) {
        hold(*free[next]);
        mine.push_back(*free[next]);
      }
      places_.push_back(std::move(mine));
    }
  cores_ = static_cast<int>(wanted);
}

placement::~placement() { release(); }

bool placement::may_bind(const machine& node, const job_request& request) const {
  if (request.bind == binding_policy::none || blind_) return false;
  if (request.bind == binding_policy::core) return true;
  return node.usable_cores() == static_cast<int>(node.cores().size()) &&
         in_the_first_network_namespace();
}

// Every hardware thread by itself: a job that may use only the other thread of a core sees the core
// as its own.
bool placement::hold(const std::vector<int>& threads) {
  const std::size_t before = held_.size();
  for (const int each : threads) {
    const int made = take_name(fmt::format("peal-core-{}", each));
    if (made < 0) {
      blind_ = blind_ || errno != EADDRINUSE;
      for (; held_.size() > before; held_.pop_back()) ::close(held_.back());
      return false;
    }
    held_.push_back(made);
  }
  return true;
}

void placement::release() {
  for (const int each : held_) ::close(each);
  held_.clear();
}

}  // namespace peal::launcher
