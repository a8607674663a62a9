#include "transport/verbs/datagram/kernel_prober.hpp"

#include <arpa/inet.h>
#include <linux/errqueue.h>
#include <linux/filter.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/log.hpp"

namespace peal::verbs {

namespace {

constexpr std::uint16_t quiet_port = 4791;

/// ::ffff:10.9.0.1 is 10.9.0.1.
constexpr std::array<std::uint8_t, 12> ipv4_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
union socket_address {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

/// Returns its length.
socklen_t write_address(socket_address& into, const gid_bytes& where, std::uint16_t port,
                        unsigned interface) noexcept {
  into = {};
  if (is_ipv4(where)) {
    into.v4.sin_family = AF_INET;
    into.v4.sin_port = htons(port);
    std::memcpy(&into.v4.sin_addr, where.data() + ipv4_prefix.size(), 4);
    return sizeof into.v4;
  }
  into.v6.sin6_family = AF_INET6;
  into.v6.sin6_port = htons(port);
  std::memcpy(&into.v6.sin6_addr, where.data(), where.size());
  if (IN6_IS_ADDR_LINKLOCAL(&into.v6.sin6_addr)) into.v6.sin6_scope_id = interface;
  return sizeof into.v6;
}

bool read_address(const socket_address& from, gid_bytes& where, std::uint16_t& port) noexcept {
  if (from.any.sa_family == AF_INET) {
    std::copy(ipv4_prefix.begin(), ipv4_prefix.end(), where.begin());
    std::memcpy(where.data() + ipv4_prefix.size(), &from.v4.sin_addr, 4);
    port = ntohs(from.v4.sin_port);
    return true;
  }
  if (from.any.sa_family != AF_INET6) return false;
  std::memcpy(where.data(), &from.v6.sin6_addr, where.size());
  port = ntohs(from.v6.sin6_port);
  return true;
}

/// Everything that comes is dropped before it takes memory.
void drop_everything(int socket) noexcept {
  sock_filter nothing{BPF_RET | BPF_K, 0, 0, 0};
  const sock_fprog program{1, &nothing};
  setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

}  // namespace

kernel_prober::kernel_prober(const gid_entry& own) : own_{own} {
  if (own_.kind == gid_kind::infiniband) return;
  door_ = make_socket(SOCK_DGRAM);
  if (door_ < 0) return;
  drop_everything(door_);
  const int on = 1;
  const bool v4 = is_ipv4(own_.bytes);
  socket_address mine;
  socklen_t length = write_address(mine, own_.bytes, 0, own_.interface);
  if (setsockopt(door_, v4 ? IPPROTO_IP : IPPROTO_IPV6, v4 ? IP_RECVERR : IPV6_RECVERR, &on,
                 sizeof on) == 0 &&
      bind(door_, &mine.any, length) == 0 && getsockname(door_, &mine.any, &length) == 0) {
    gid_bytes ignored;
    if (read_address(mine, ignored, number_)) return;
  }
  log_info("no UDP socket at {}: {}; peers without a connection cannot see the end of this process",
           to_text(own_.bytes), std::strerror(errno));
  close(door_);
  door_ = -1;
}

kernel_prober::~kernel_prober() {
  if (door_ >= 0) close(door_);
}

int kernel_prober::make_socket(int type) const noexcept {
  const int made =
      socket(is_ipv4(own_.bytes) ? AF_INET : AF_INET6, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  std::array<char, IF_NAMESIZE> name{};
  // With two adapters in one network another one's link would answer. Older kernels refuse this to
  // users.
  if (made >= 0 && own_.interface != 0 && if_indextoname(own_.interface, name.data()))
    (void)setsockopt(made, SOL_SOCKET, SO_BINDTODEVICE, name.data(),
                     static_cast<socklen_t>(std::strlen(name.data())));
  return made;
}

int kernel_prober::ask(const gid_bytes& node) noexcept {
  if (own_.kind == gid_kind::infiniband || is_ipv4(node) != is_ipv4(own_.bytes)) return -1;
  const int made = make_socket(SOCK_STREAM);
  if (made < 0) return -1;
  socket_address to;
  const socklen_t length = write_address(to, node, quiet_port, own_.interface);
  if (connect(made, &to.any, length) != 0 && errno == ECONNREFUSED) at_once_.push_back(made);
  return made;
}

bool kernel_prober::answered(int question) noexcept {
  if (std::ranges::find(at_once_, question) != at_once_.end()) return true;
  pollfd at{question, POLLOUT, 0};
  if (poll(&at, 1, 0) != 1) return false;
  int why = 0;
  socklen_t length = sizeof why;
  if (getsockopt(question, SOL_SOCKET, SO_ERROR, &why, &length) != 0) return false;
  // Without an error: connected, or it was never under way.
  return why == ECONNREFUSED || (why == 0 && (at.revents & (POLLHUP | POLLERR)) == 0);
}

void kernel_prober::end(int question) noexcept {
  std::erase(at_once_, question);
  close(question);
}

void kernel_prober::probe_process(const gid_bytes& node, std::uint16_t door) noexcept {
  if (door_ < 0 || is_ipv4(node) != is_ipv4(own_.bytes)) return;
  socket_address to;
  const socklen_t length = write_address(to, node, door, own_.interface);
  const char nothing = 0;
  // The first call may tell of an earlier refusal instead, which stands in the queue of errors too.
  for (int tries = 0; tries < 2; ++tries)
    if (sendto(door_, &nothing, 1, MSG_DONTWAIT, &to.any, length) >= 0) return;
}

bool kernel_prober::refused(gid_bytes& node, std::uint16_t& door) noexcept {
  while (door_ >= 0) {
    socket_address to{};
    char byte = 0;
    iovec data{&byte, 1};
    alignas(cmsghdr) std::array<char, 256> control;
    msghdr message{&to, sizeof to, &data, 1, control.data(), control.size(), 0};
    if (recvmsg(door_, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) return false;
    for (cmsghdr* each = CMSG_FIRSTHDR(&message); each; each = CMSG_NXTHDR(&message, each)) {
      const bool told = (each->cmsg_level == IPPROTO_IP && each->cmsg_type == IP_RECVERR) ||
                        (each->cmsg_level == IPPROTO_IPV6 && each->cmsg_type == IPV6_RECVERR);
      sock_extended_err what;
      if (!told) continue;
      std::memcpy(&what, CMSG_DATA(each), sizeof what);
      if (what.ee_errno == ECONNREFUSED && read_address(to, node, door)) return true;
    }
  }
  return false;
}

}  // namespace peal::verbs
