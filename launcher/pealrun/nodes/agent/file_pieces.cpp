#include "nodes/agent/file_pieces.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "nodes/agent/answer_lines.hpp"

namespace peal::launcher {

namespace {

namespace fs = std::filesystem;

// Together with its head, of at most 64, a piece fits a line.
constexpr std::size_t data_bytes = 512;
static_assert(data_bytes + 64 <= answer_piece);

/// Reads from there on as much as there is, up to the room.
std::size_t read_at(int file, char* into, std::size_t room, off_t at) {
  std::size_t all = 0;
  while (all < room) {
    const ssize_t got = ::pread(file, into + all, room - all, at + static_cast<off_t>(all));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    all += static_cast<std::size_t>(got);
  }
  return all;
}

}  // namespace

int rank_of_file(std::string_view name) {
  constexpr std::string_view begin = "rank.", events = ".events";
  if (!name.starts_with(begin)) return -1;
  name.remove_prefix(begin.size());
  if (name.ends_with(events)) name.remove_suffix(events.size());
  int rank = -1;
  const auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), rank);
  return failed == std::errc{} && end == name.data() + name.size() && rank >= 0 ? rank : -1;
}

// The first piece of a file has its size and nothing else.
void read_pieces(const std::string& folder, const std::function<void(const std::string&)>& put) {
  std::error_code failed;
  for (fs::directory_iterator each{folder, failed}, end; !failed && each != end;
       each.increment(failed)) {
    const std::string name = each->path().filename();
    if (rank_of_file(name) < 0) continue;
    const int file = ::open(each->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat about{};
    if (file >= 0 && ::fstat(file, &about) == 0 && S_ISREG(about.st_mode)) {
      put(fmt::format("{} {}\n", name, about.st_size));
      std::array<char, data_bytes * 128> part{};
      off_t at = 0;
      std::size_t got = 0;
      while ((got = read_at(file, part.data(), part.size(), at)) > 0) {
        for (std::size_t k = 0; k < got; k += data_bytes) {
          const std::string_view data{part.data() + k, std::min(data_bytes, got - k)};
          if (data.find_first_not_of('\0') != std::string_view::npos)
            put(fmt::format("{} {}\n{}", name, at + static_cast<off_t>(k), data));
        }
        at += static_cast<off_t>(got);
      }
    }
    if (file >= 0) ::close(file);
  }
}

file_writer::~file_writer() {
  if (file_ >= 0) ::close(file_);
}

void file_writer::open(const std::string& name) {
  if (name == name_) return;
  if (file_ >= 0) ::close(file_);
  name_.clear();
  const std::string path = folder_ + "/" + name;
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file_ < 0) throw std::system_error{errno, std::generic_category(), path};
  name_ = name;
}

std::string file_writer::put(std::string_view piece) {
  const std::size_t space = piece.find(' '), line = piece.find('\n');
  off_t at = -1;
  if (space < line && line != std::string_view::npos) {
    const auto [end, failed] = std::from_chars(piece.data() + space + 1, piece.data() + line, at);
    if (failed != std::errc{} || end != piece.data() + line) at = -1;
  }
  const std::string name{piece.substr(0, space)};
  if (at < 0 || rank_of_file(name) < 0)
    throw std::runtime_error{"no piece of a rank's file has come from a node"};
  open(name);
  piece.remove_prefix(line + 1);
  const ssize_t done =
      piece.empty() ? ::ftruncate(file_, at) : ::pwrite(file_, piece.data(), piece.size(), at);
  if (done < 0 || (!piece.empty() && done != static_cast<ssize_t>(piece.size())))
    throw std::system_error{done < 0 ? errno : ENOSPC, std::generic_category(),
                            folder_ + "/" + name};
  return name;
}

}  // namespace peal::launcher
