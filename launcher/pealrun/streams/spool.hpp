// launcher/pealrun/streams/spool.hpp
// Bytes that were read and are still to be handed on, to readers of different speed. What is beyond
// a megabyte goes to a file without a name in the temporary folder, so that a slow reader neither
// fills the memory nor keeps the others waiting.
//
// Layer    launcher.
// Units    bytes; positions count from the first byte that was ever appended.
// Threads  one.
// Errors   a file that cannot be made or written shows as `full`; nothing throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace peal::launcher {

class spool {
 public:
  spool() = default;
  ~spool();
  spool(const spool&) = delete;
  spool& operator=(const spool&) = delete;

  void append(std::string_view bytes);
  /// One behind the last byte.
  [[nodiscard]] std::uint64_t end() const noexcept;
  /// Copies at most `size` bytes from a position on; returns how many.
  std::size_t read(std::uint64_t at, char* to, std::size_t size) const;
  /// Nobody needs what is before this position.
  void forget_before(std::uint64_t at);
  /// Nothing should be appended before readers have come further.
  [[nodiscard]] bool full();

 private:
  void write_to_file();

  std::uint64_t begin_ = 0;  // of what is kept
  std::uint64_t filed_ = 0;  // from `begin_` up to here it is in the file, the rest in memory
  int file_ = -1;
  std::string memory_;
};

}  // namespace peal::launcher
