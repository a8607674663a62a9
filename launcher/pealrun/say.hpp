// launcher/pealrun/say.hpp
// A line of pealrun's own on standard error.
//
// Layer    launcher.
// Errors   a line that cannot be written is lost.
#pragma once

#include <unistd.h>

#include <string>

namespace peal::launcher {

/// In one write, so that it is not mixed with lines of ranks.
inline void say(const std::string& line) {
  const std::string whole = "pealrun: " + line + "\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, whole.data(), whole.size());
}

}  // namespace peal::launcher
