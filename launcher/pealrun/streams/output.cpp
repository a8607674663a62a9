#include "streams/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

namespace peal::launcher {

namespace {

// Lines that have not ended are kept until all of them take this much; then those longer than
// `long_line` are written in pieces. Else a rank that never ends its line would fill our memory.
constexpr std::size_t most_unfinished = 64 << 20;
constexpr std::size_t long_line = 1 << 20;
// Beyond this the ranks wait: the process that reads our output is slower than they are.
constexpr std::size_t most_waiting = 4 << 20;

}  // namespace

tagged_output::~tagged_output() { stop_reading(); }

int tagged_output::open(int rank, int to) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw std::system_error{errno, std::generic_category(), "pipe"};
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  streams_.push_back({rank, ends[0], to, {}});
  return ends[1];
}

bool tagged_output::full(int to) const {
  return waiting_[to].text.size() - waiting_[to].written > most_waiting;
}

void tagged_output::add_to(std::vector<pollfd>& list) const {
  for (const stream& each : streams_)
    if (!full(each.to)) list.push_back({each.from, POLLIN, 0});
  for (const int to : {STDOUT_FILENO, STDERR_FILENO})
    if (!waiting_[to].text.empty()) list.push_back({to, POLLOUT, 0});
}

// The list has the streams in their order, without those that `add_to` left out.
void tagged_output::serve(const std::vector<pollfd>& list) {
  auto next = streams_.begin();
  for (const pollfd& each : list) {
    if (each.revents == 0) continue;
    if (each.events == POLLOUT && each.fd <= STDERR_FILENO) write(each.fd);
    if (each.events != POLLIN) continue;
    while (next != streams_.end() && next->from != each.fd) ++next;
    if (next == streams_.end()) break;
    read(*next);
  }
  std::erase_if(streams_, [](const stream& each) { return each.from < 0; });
}

void tagged_output::read(stream& from) {
  std::array<char, 65536> bytes;  // what a pipe holds
  const ssize_t got = ::read(from.from, bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  std::size_t looked_at = from.part.size();  // there is no end of a line
  if (got > 0) from.part.append(bytes.data(), static_cast<std::size_t>(got));
  unfinished_ += from.part.size() - looked_at;
  std::string& out = waiting_[from.to].text;
  const auto emit = [&](std::size_t start, std::size_t end) {
    fmt::format_to(std::back_inserter(out), "[{}] ", from.rank);
    out.append(from.part, start, end - start).push_back('\n');
  };
  std::size_t start = 0;
  for (std::size_t end; (end = from.part.find('\n', looked_at)) != std::string::npos;
       start = looked_at = end + 1)
    emit(start, end);
  from.part.erase(0, start);
  unfinished_ -= start;
  if ((unfinished_ > most_unfinished && from.part.size() > long_line) ||
      (got <= 0 && !from.part.empty())) {
    emit(0, from.part.size());
    unfinished_ -= from.part.size();
    from.part = {};
  }
  if (got <= 0) {
    ::close(from.from);
    from.from = -1;
  }
}

// Poll promises room for PIPE_BUF bytes, so writing no more than that at a time never blocks, and
// pealrun goes on answering signals. It is asked right before each write, since output and errors
// may lead into one pipe, where the one takes the room that the other was promised. The descriptors
// are shared with the process that started us: making them nonblocking would reach further than us.
void tagged_output::write(int to) {
  pollfd room{to, POLLOUT, 0};
  if (::poll(&room, 1, 0) <= 0) return;
  queue& out = waiting_[to];
  std::size_t size = std::min<std::size_t>(out.text.size() - out.written, PIPE_BUF);
  // Whole lines where they fit, so that other writers to the same pipe do not part them.
  const auto next = std::string_view{out.text}.substr(out.written, size);
  if (const auto end = next.rfind('\n'); end != std::string_view::npos) size = end + 1;
  const ssize_t written = ::write(to, out.text.data() + out.written, size);
  if (written < 0) {
    if (errno == EINTR || errno == EAGAIN) return;
    broken_ = errno;
    out = {};
    return;
  }
  out.written += static_cast<std::size_t>(written);
  // Moving the rest to the front costs as much as the rest is long, so that is done when as much
  // has gone.
  if (out.written * 2 >= out.text.size()) {
    out.text.erase(0, out.written);
    out.written = 0;
  }
}

void tagged_output::stop_reading() {
  for (const stream& each : streams_) ::close(each.from);
  streams_.clear();
}

bool tagged_output::idle() const noexcept {
  return waiting_[STDOUT_FILENO].text.empty() && waiting_[STDERR_FILENO].text.empty();
}

bool tagged_output::finished() const noexcept { return streams_.empty() && idle(); }

}  // namespace peal::launcher
