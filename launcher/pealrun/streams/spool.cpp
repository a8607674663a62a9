#include "streams/spool.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace peal::launcher {

namespace {

constexpr std::size_t most_in_memory = 1 << 20;

int nameless_file() {
  const char* set = std::getenv("TMPDIR");
  const std::string folder = set != nullptr && *set != '\0' ? set : "/tmp";
  if (const int made = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600); made >= 0)
    return made;
  // Not every file system has files without names.
  std::string name = folder + "/pealrun-input.XXXXXX";
  const int made = ::mkostemp(name.data(), O_CLOEXEC);
  if (made >= 0) ::unlink(name.c_str());
  return made;
}

}  // namespace

spool::~spool() {
  if (file_ >= 0) ::close(file_);
}

std::uint64_t spool::end() const noexcept { return filed_ + memory_.size(); }

void spool::append(std::string_view bytes) {
  memory_ += bytes;
  if (memory_.size() > most_in_memory) write_to_file();
}

// The file begins with the byte at `begin_`.
void spool::write_to_file() {
  if (file_ < 0) file_ = nameless_file();
  if (file_ < 0) return;
  std::size_t written = 0;
  while (written < memory_.size()) {
    const ssize_t done = ::pwrite(file_, memory_.data() + written, memory_.size() - written,
                                  static_cast<off_t>(filed_ - begin_));
    if (done <= 0) break;
    written += static_cast<std::size_t>(done);
    filed_ += static_cast<std::uint64_t>(done);
  }
  memory_.erase(0, written);
}

std::size_t spool::read(std::uint64_t at, char* to, std::size_t size) const {
  if (at < filed_) {
    const ssize_t got =
        ::pread(file_, to, static_cast<std::size_t>(std::min<std::uint64_t>(size, filed_ - at)),
                static_cast<off_t>(at - begin_));
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  const auto skipped = static_cast<std::size_t>(at - filed_);
  const std::size_t some = std::min(size, memory_.size() - skipped);
  std::memcpy(to, memory_.data() + skipped, some);
  return some;
}

// The file is emptied once nobody needs anything of it.
void spool::forget_before(std::uint64_t at) {
  if (at < filed_) return;
  memory_.erase(0, static_cast<std::size_t>(at - filed_));
  if (file_ >= 0 && filed_ > begin_) [[maybe_unused]]
    const int cut = ::ftruncate(file_, 0);
  begin_ = filed_ = at;
}

bool spool::full() {
  if (memory_.size() > most_in_memory) write_to_file();
  return memory_.size() > most_in_memory;
}

}  // namespace peal::launcher
