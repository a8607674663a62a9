// launcher/pealrun/streams/output_folder.hpp
// The folder of --output: rank.0.out and rank.0.err for each rank, numbers with as many digits as
// the last one has. Files of an earlier job are moved to a folder earlier.1, earlier.2, ... within.
//
// Layer    launcher.
// Threads  one.
// Errors   the constructor throws stop when the folder cannot be made or written, and when another
//          job writes to it.
// Source   flock(2): a job holds a lock on each file that it writes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "streams/file_sink.hpp"

namespace peal::launcher {

class output_folder {
 public:
  /// `merged`: one file a rank.
  output_folder(const std::string& name, int ranks, bool merged);

  /// `to` is 1 or 2.
  [[nodiscard]] file_sink& of(int rank, int to) const;
  [[nodiscard]] const std::vector<std::unique_ptr<file_sink>>& files() const noexcept {
    return files_;
  }
  /// Where files of an earlier job are now; empty when there were none.
  [[nodiscard]] const std::string& moved_to() const noexcept { return moved_to_; }

 private:
  void move_earlier_files(const std::string& folder);

  bool merged_;
  std::vector<std::unique_ptr<file_sink>> files_;
  std::string moved_to_;
};

}  // namespace peal::launcher
