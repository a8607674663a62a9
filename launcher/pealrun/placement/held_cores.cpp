#include "placement/held_cores.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

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

}  // namespace

core_turn::core_turn() {
  for (int attempt = 0; attempt < 200 && (held_ = take_name("peal-cores-turn")) < 0; ++attempt)
    ::usleep(500);
}

core_turn::~core_turn() {
  if (held_ >= 0) ::close(held_);
}

held_cores::~held_cores() { release(); }

bool held_cores::hold(const std::vector<int>& threads) {
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

void held_cores::release() {
  for (const int each : held_) ::close(each);
  held_.clear();
}

}  // namespace peal::launcher
