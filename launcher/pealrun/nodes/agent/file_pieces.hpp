// launcher/pealrun/nodes/agent/file_pieces.hpp
// Files of ranks (record/layout.hpp) on their way from a node to pealrun, in pieces. What is zero
// is left out, which is most of them.
//
// Layer    launcher.
// Units    bytes.
// Threads  one.
// Errors   a file that cannot be read is left out; `file_writer` throws std::runtime_error where a
//          piece is none, and std::system_error where it cannot be written.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace peal::launcher {

/// Hands over all files of ranks in that folder, piece by piece.
void read_pieces(const std::string& folder, const std::function<void(const std::string&)>& put);

/// Puts pieces into files of a folder.
class file_writer {
 public:
  explicit file_writer(std::string folder) : folder_{std::move(folder)} {}
  ~file_writer();
  file_writer(const file_writer&) = delete;
  file_writer& operator=(const file_writer&) = delete;

  /// Returns the name of the file.
  std::string put(std::string_view piece);

 private:
  void open(const std::string& name);

  std::string folder_, name_;
  int file_ = -1;
};

/// Whether ranks name a file so: rank.N and rank.N.events. The rank; -1: they do not.
[[nodiscard]] int rank_of_file(std::string_view name);

}  // namespace peal::launcher
