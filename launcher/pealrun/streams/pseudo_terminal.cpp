#include "streams/pseudo_terminal.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>

namespace peal::launcher {

std::optional<pseudo_terminal> open_pseudo_terminal(int like) {
  const int ours = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (ours < 0) return std::nullopt;
  std::array<char, 64> name{};
  int theirs = -1;
  if (::grantpt(ours) == 0 && ::unlockpt(ours) == 0 &&
      ::ptsname_r(ours, name.data(), name.size()) == 0)
    theirs = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios modes{};
  if (theirs < 0 || ::tcgetattr(theirs, &modes) != 0) {
    ::close(ours);
    if (theirs >= 0) ::close(theirs);
    return std::nullopt;
  }
  ::cfmakeraw(&modes);
  ::tcsetattr(theirs, TCSANOW, &modes);
  copy_window(like, theirs);
  return pseudo_terminal{ours, theirs};
}

bool copy_window(int from, int to) {
  winsize wanted{}, found{};
  if (::ioctl(from, TIOCGWINSZ, &wanted) != 0 || ::ioctl(to, TIOCGWINSZ, &found) != 0) return false;
  if (wanted.ws_row == found.ws_row && wanted.ws_col == found.ws_col) return false;
  return ::ioctl(to, TIOCSWINSZ, &wanted) == 0;
}

}  // namespace peal::launcher
