// launcher/pealrun/streams/sink.hpp
// Where lines of ranks go: pealrun's own output and errors, or a file.
//
// Layer    launcher.
// Units    bytes.
// Threads  one.
// Errors   what cannot be written each kind of sink tells in its own way; nothing throws.
#pragma once

#include <string_view>

namespace peal::launcher {

class sink {
 public:
  static constexpr int no_stream = -1;
  static constexpr int ended_stream = -2;  // it has left its line unfinished

  sink() = default;
  virtual ~sink() = default;
  sink(const sink&) = delete;
  sink& operator=(const sink&) = delete;

  /// Takes all of the text.
  virtual void put(std::string_view text) = 0;
  /// Whether the ranks shall wait, since what was taken is not written yet.
  [[nodiscard]] virtual bool full() const noexcept = 0;

  int open_line = no_stream;  // the stream whose line has begun and not ended
  int streams = 0;            // that lead here
};

}  // namespace peal::launcher
