// launcher/pealrun/streams/pseudo_terminal.hpp
// A terminal for the output of one rank, read here. A program that writes to a terminal writes each
// line at once, where it would fill a buffer first for a pipe.
//
// Layer    launcher.
// Threads  any.
// Errors   nothing where there is none to be had: a pipe will do.
// Source   pty(7): once the last descriptor of their end is closed and all is read, reading our end
//          fails with EIO.
#pragma once

#include <optional>

namespace peal::launcher {

struct pseudo_terminal {
  int ours;    // to be read
  int theirs;  // to be written
};

/// What is written arrives as it is, and its window is as large as that of `like`.
std::optional<pseudo_terminal> open_pseudo_terminal(int like);

/// Gives one the window of another. False: it has that size already, or there is none to ask.
bool copy_window(int from, int to);

}  // namespace peal::launcher
