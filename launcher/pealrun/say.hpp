// launcher/pealrun/say.hpp
// A line of pealrun's own on standard error.
//
// Layer    launcher.
// Threads  the main thread.
// Errors   a line that cannot be written is lost.
#pragma once

#include <unistd.h>

#include <functional>
#include <string>

namespace peal::launcher {

/// Writes lines while ranks' lines go through pealrun, so that none stands within another.
inline std::function<void(const std::string&)> say_through;

/// In one write where ranks write themselves, so that it is not mixed with their lines.
inline void say(const std::string& line) {
  const std::string whole = "pealrun: " + line + "\n";
  if (say_through) return say_through(whole);
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, whole.data(), whole.size());
}

}  // namespace peal::launcher
