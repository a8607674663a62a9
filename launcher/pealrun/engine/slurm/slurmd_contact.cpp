#include "engine/slurm/slurmd_contact.hpp"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/slurm/slurm_step.hpp"

namespace peal::launcher {

namespace {

// Of one attempt; Slurm's own TCPTimeout is as long.
constexpr int connect_patience = 2000;  // milliseconds
constexpr int connect_attempts = 2;

// Of "NodeName=n1 Arch=x86_64 ...".
std::string field_in(const std::string& text, const std::string& name) {
  const std::string wanted = " " + name + "=";
  const std::size_t found = text.find(wanted);
  if (found == std::string::npos) return {};
  const std::size_t begin = found + wanted.size();
  return text.substr(begin, text.find_first_of(" \n", begin) - begin);
}

// True only where the other side, or the way there, is known not to be there.
bool is_refused(const addrinfo& where) {
  const int to = ::socket(where.ai_family, where.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
                          where.ai_protocol);
  if (to < 0) return false;
  int problem = ::connect(to, where.ai_addr, where.ai_addrlen) == 0 ? 0 : errno;
  if (problem == EINPROGRESS) {
    pollfd done{to, POLLOUT, 0};
    socklen_t size = sizeof problem;
    if (::poll(&done, 1, connect_patience) == 0) problem = ETIMEDOUT;
    else if (::getsockopt(to, SOL_SOCKET, SO_ERROR, &problem, &size) != 0) problem = 0;
  }
  ::close(to);
  return problem == ECONNREFUSED || problem == ETIMEDOUT || problem == EHOSTUNREACH ||
         problem == EHOSTDOWN;
}

}  // namespace

std::optional<slurmd_place> place_of_slurmd(const std::string& text) {
  slurmd_place found{field_in(text, "NodeAddr"), field_in(text, "Port")};
  // It is not written where it is Slurm's own.
  if (found.port.empty()) found.port = "6818";
  if (found.address.empty()) return std::nullopt;
  return found;
}

bool nobody_listens(const slurmd_place& place) {
  addrinfo wanted{}, *list = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  if (::getaddrinfo(place.address.c_str(), place.port.c_str(), &wanted, &list) != 0) return false;
  bool refused = true;
  for (int attempt = 0; refused && attempt < connect_attempts; ++attempt)
    refused = is_refused(*list);
  ::freeaddrinfo(list);
  return refused;
}

bool slurmd_is_gone(const std::string& node) {
  const auto place = place_of_slurmd(told_of_node(node));
  return place && nobody_listens(*place);
}

}  // namespace peal::launcher
