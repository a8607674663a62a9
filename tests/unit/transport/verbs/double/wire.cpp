#include "unit/transport/verbs/double/wire.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <thread>

#include "unit/transport/verbs/double/objects.hpp"

namespace peal::verbs_double {

namespace {

[[noreturn]] void refuse_name(const std::string& name) {
  throw std::system_error{errno, std::generic_category(), "no socket for VERBS_DOUBLE=" + name};
}

struct address {
  sockaddr_un at{};
  socklen_t bytes = 0;
};

address address_of(const std::string& name, std::uint32_t process) {
  // The first byte is 0: a name that is in no folder.
  const std::string all = "verbs_double/" + name + "/" + std::to_string(process);
  address made;
  made.at.sun_family = AF_UNIX;
  const std::size_t length = all.copy(made.at.sun_path + 1, sizeof made.at.sun_path - 1);
  made.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  return made;
}

int stream() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

void append(std::vector<std::byte>& to, const void* data, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(data);
  to.insert(to.end(), begin, begin + bytes);
}

constexpr std::uint32_t most = (1u << (24 - wire::own_bits)) - 1;  // processes

}  // namespace

wire::wire(const std::string& name)
    : name_{name},
      // So that the number of a process that has ended is not soon another's.
      self_{static_cast<std::uint32_t>(getpid()) % most},
      listener_{stream()},
      wake_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
  for (std::uint32_t tried = 0;; ++tried, self_ = (self_ + 1) % most) {
    const address own = address_of(name_, self_);
    if (bind(listener_, reinterpret_cast<const sockaddr*>(&own.at), own.bytes) == 0) break;
    if (errno != EADDRINUSE || tried == most) refuse_name(name_);
  }
  if (listen(listener_, SOMAXCONN) != 0) refuse_name(name_);
  // Two threads may see one connection, and one of them accepts it.
  fcntl(listener_, F_SETFL, O_NONBLOCK);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread{[this] { run(); }}.detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

wire::link* wire::find(std::uint32_t process) {
  const auto found = std::ranges::find(links_, process, &link::process);
  return found == links_.end() ? nullptr : &*found;
}

wire::link* wire::connect(std::uint32_t process) {
  const int made = stream();
  const address there = address_of(name_, process);
  if (made < 0) return nullptr;
  if (::connect(made, reinterpret_cast<const sockaddr*>(&there.at), there.bytes) != 0) {
    close(made);
    return nullptr;
  }
  fcntl(made, F_SETFL, O_NONBLOCK);
  links_.push_back({process, made, {}, {}});
  append(links_.back().out, &self_, sizeof self_);
  wake();
  return &links_.back();
}

bool wire::send(std::uint32_t process, const packet& what, const std::vector<std::byte>& data) {
  link* by = find(process);
  if (!by) by = connect(process);
  if (!by) return false;
  packet head = what;
  head.bytes = data.size();
  append(by->out, &head, sizeof head);
  append(by->out, data.data(), data.size());
  if (!flush(*by)) {
    lose(by->socket);
    return false;
  }
  if (by->out.empty()) return true;
  wake();
  return true;
}

void wire::answer(packet to, ibv_wc_status how, const std::vector<std::byte>& data) {
  if (to.what != packet::absent) to.what = packet::done;
  to.status = static_cast<std::uint32_t>(how);
  std::swap(to.to, to.from);
  (void)send((to.to >> own_bits) - 1, to, data);
}

bool wire::flush(link& by) {
  while (by.written < by.out.size()) {
    const ssize_t sent = ::send(by.socket, by.out.data() + by.written, by.out.size() - by.written,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    by.written += static_cast<std::size_t>(sent);
  }
  by.out.clear();
  by.written = 0;
  return true;
}

void wire::wake() const {
  const std::uint64_t one = 1;
  (void)!write(wake_, &one, sizeof one);
}

void wire::accept() {
  const int made = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (made < 0) return;
  links_.push_back({unknown, made, {}, {}});
  wake();
}

bool wire::read(link& from) {
  std::vector<std::byte> piece(std::size_t{1} << 17);
  bool open = true;
  for (int turns = 0; turns < 8; ++turns) {
    const ssize_t found = recv(from.socket, piece.data(), piece.size(), MSG_DONTWAIT);
    if (found < 0 && errno == EINTR) continue;
    open = found > 0 || (found < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
    if (found <= 0) break;
    append(from.in, piece.data(), static_cast<std::size_t>(found));
  }
  std::size_t at = 0;
  if (from.process == unknown && from.in.size() >= sizeof from.process) {
    std::memcpy(&from.process, from.in.data(), sizeof from.process);
    at = sizeof from.process;
  }
  // What is taken may be answered, which may add a link, and so move this one.
  const int socket = from.socket;
  std::vector<std::byte> in = std::move(from.in);
  from.in.clear();
  while (in.size() - at >= sizeof(packet)) {
    packet head;
    std::memcpy(&head, in.data() + at, sizeof head);
    if (in.size() - at - sizeof head < head.bytes) break;
    const auto begin = in.begin() + static_cast<std::ptrdiff_t>(at + sizeof head);
    const std::vector<std::byte> data(begin, begin + static_cast<std::ptrdiff_t>(head.bytes));
    at += sizeof head + head.bytes;
    take(head, data);
  }
  in.erase(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(at));
  const auto still = std::ranges::find(links_, socket, &link::socket);
  if (still == links_.end()) return true;  // lost meanwhile
  still->in = std::move(in);
  return open;
}

void wire::lose(int socket) {
  const auto gone = std::ranges::find(links_, socket, &link::socket);
  if (gone == links_.end()) return;
  const std::uint32_t process = gone->process;
  close(socket);
  links_.erase(gone);
  if (process != unknown) lose_process(process);
}

void wire::wait(int milliseconds) {
  std::vector<pollfd> ready;
  {
    const lock hold{guard()};
    ready = {{listener_, POLLIN, 0}, {wake_, POLLIN, 0}};
    for (const link& each : links_)
      ready.push_back(
          {each.socket, static_cast<short>(each.out.empty() ? POLLIN : POLLIN | POLLOUT), 0});
  }
  if (::poll(ready.data(), ready.size(), milliseconds) <= 0) return;
  const lock hold{guard()};
  // Only the thread, which looks at everything then.
  std::uint64_t woken = 0;
  if (milliseconds != 0) (void)!::read(wake_, &woken, sizeof woken);
  if (ready[0].revents != 0) accept();
  for (std::size_t each = 2; each < ready.size(); ++each) {
    if (ready[each].revents == 0) continue;
    const auto of = std::ranges::find(links_, ready[each].fd, &link::socket);
    if (of == links_.end()) continue;
    if (!flush(*of) || !read(*of)) lose(ready[each].fd);
  }
}

void wire::run() {
  for (;;) {
    bool waiting = false;
    {
      const lock hold{guard()};
      everything().go_on();
      waiting = somebody_waits();
    }
    wait(waiting ? 1 : -1);
  }
}

}  // namespace peal::verbs_double
