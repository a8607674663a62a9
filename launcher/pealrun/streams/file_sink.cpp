#include "streams/file_sink.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace peal::launcher {

file_sink::file_sink(std::string name, int descriptor)
    : name_{std::move(name)}, descriptor_{descriptor} {}

file_sink::~file_sink() { close(); }

// Returns how many bytes are written.
std::size_t file_sink::write(std::string_view text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t done = ::write(descriptor_, text.data() + written, text.size() - written);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      if (problem_ == 0) problem_ = done < 0 ? errno : ENOSPC;
      break;
    }
    written += static_cast<std::size_t>(done);
  }
  return written;
}

void file_sink::put(std::string_view text) {
  if (unmarked_ > 0) {
    const std::string mark = fmt::format("\n[pealrun: {} bytes are missing here]\n", unmarked_);
    if (write(mark) < mark.size()) {
      lost_ += text.size();
      unmarked_ += text.size();
      return;
    }
    unmarked_ = 0;
  }
  const std::size_t missing = text.size() - write(text);
  lost_ += missing;
  unmarked_ += missing;
}

void file_sink::close() {
  if (descriptor_ < 0) return;
  if (::close(descriptor_) != 0 && problem_ == 0) problem_ = errno;
  descriptor_ = -1;
}

}  // namespace peal::launcher
