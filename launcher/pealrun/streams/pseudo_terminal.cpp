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
  if (winsize size{}; ::ioctl(like, TIOCGWINSZ, &size) == 0) ::ioctl(theirs, TIOCSWINSZ, &size);
  return pseudo_terminal{ours, theirs};
}

}  // namespace peal::launcher
