#include "streams/descriptor_sink.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace peal::launcher {

namespace {

// Beyond this the ranks wait: the process that reads our output is slower than they are.
constexpr std::size_t most_waiting = 4 << 20;
// Written to a file in one call. A file is always ready.
constexpr std::size_t piece_of_file = 1 << 20;
// Pieces that are written before something else has its turn.
constexpr int pieces_in_turn = 64;

// https://no-color.org: any value but an empty one.
bool colours_wanted() {
  const char* forbidden = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return (forbidden == nullptr || *forbidden == '\0') && terminal != nullptr && *terminal != '\0' &&
         std::string_view{terminal} != "dumb";
}

}  // namespace

// The descriptor is shared with the process that started us: making it nonblocking would reach
// further than us. So a terminal or a pipe is opened once more, where that is allowed.
descriptor_sink::descriptor_sink(int descriptor)
    : to_{descriptor},
      terminal_{::isatty(descriptor) != 0},
      colours_{terminal_ && colours_wanted()} {
  ::fstat(descriptor, &status_);
  if (terminal_ || S_ISFIFO(status_.st_mode))
    own_ = ::open(fmt::format("/proc/self/fd/{}", descriptor).c_str(),
                  O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (own_ >= 0) to_ = own_;
}

descriptor_sink::~descriptor_sink() {
  if (own_ >= 0) ::close(own_);
}

bool descriptor_sink::stops_writers() const noexcept {
  termios modes{};
  return terminal_ && ::tcgetattr(to_, &modes) == 0 && (modes.c_lflag & TOSTOP) != 0;
}

bool descriptor_sink::pipe() const noexcept {
  return S_ISFIFO(status_.st_mode) || S_ISSOCK(status_.st_mode);
}

bool descriptor_sink::regular_file() const noexcept { return S_ISREG(status_.st_mode); }

bool descriptor_sink::same_as(const descriptor_sink& other) const noexcept {
  return status_.st_dev == other.status_.st_dev && status_.st_ino == other.status_.st_ino;
}

bool descriptor_sink::full() const noexcept { return text_.size() - written_ > most_waiting; }

void descriptor_sink::put(std::string_view text) {
  if (error_ == 0) text_ += text;
}

// Poll promises room for PIPE_BUF bytes in a pipe, so writing no more than that at a time never
// blocks, even where the descriptor could not be opened once more. It is asked right before each
// write, since others may write to the same pipe.
void descriptor_sink::write() {
  const std::size_t most = regular_file() ? piece_of_file : PIPE_BUF;
  for (int pieces = 0; pieces < pieces_in_turn && written_ < text_.size(); ++pieces) {
    pollfd room{to_, POLLOUT, 0};
    if (::poll(&room, 1, 0) <= 0) break;
    std::size_t size = std::min(text_.size() - written_, most);
    // Whole lines where they fit, so that other writers to the same pipe do not part them.
    const auto next = std::string_view{text_}.substr(written_, size);
    if (const auto end = next.rfind('\n'); end != std::string_view::npos) size = end + 1;
    const ssize_t done = ::write(to_, text_.data() + written_, size);
    if (done < 0) {
      if (errno == EINTR || errno == EAGAIN) break;
      error_ = errno;
      text_ = {};
      written_ = 0;
      return;
    }
    written_ += static_cast<std::size_t>(done);
  }
  // Moving the rest to the front costs as much as the rest is long, so that is done when as much
  // has gone.
  if (written_ * 2 >= text_.size()) {
    text_.erase(0, written_);
    written_ = 0;
  }
}

}  // namespace peal::launcher
