// launcher/pealrun/streams/file_sink.hpp
// A file that takes what a rank writes. Where it cannot be written, the job goes on without those
// bytes: they are counted, and the file says where they are missing once it can be written again.
//
// Layer    launcher.
// Units    bytes.
// Threads  one.
// Errors   `lost` and `problem` tell what was not written, and why.
#pragma once

#include <cstdint>
#include <string>

#include "streams/sink.hpp"

namespace peal::launcher {

class file_sink final : public sink {
 public:
  /// Takes the descriptor over. `name` is for messages.
  file_sink(std::string name, int descriptor);
  ~file_sink() override;

  void put(std::string_view text) override;
  [[nodiscard]] bool full() const noexcept override { return false; }
  /// A file in a network may only say now that it could not be written.
  void close();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }
  /// Of the first write, or the close, that failed; 0: none did.
  [[nodiscard]] int problem() const noexcept { return problem_; }

 private:
  std::size_t write(std::string_view text);

  std::string name_;
  int descriptor_;
  std::uint64_t lost_ = 0;
  std::uint64_t unmarked_ = 0;  // of them, those that the file does not tell of yet
  int problem_ = 0;
};

}  // namespace peal::launcher
