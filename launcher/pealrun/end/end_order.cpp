#include "end/end_order.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>
#include <string>

namespace peal::launcher {

end_order::end_order(int ranks)
    : set_{::epoll_create1(EPOLL_CLOEXEC)}, descriptors_(static_cast<std::size_t>(ranks), -1) {}

end_order::~end_order() {
  for (const int each : descriptors_)
    if (each >= 0) ::close(each);
  if (set_ >= 0) ::close(set_);
}

void end_order::add(int rank, pid_t pid) {
  int& descriptor = descriptors_[static_cast<std::size_t>(rank)];
  descriptor = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));  // close-on-exec by itself
  if (descriptor < 0) return;
  epoll_event wanted{};
  wanted.events = EPOLLIN | EPOLLET;  // an end is told once
  wanted.data.u32 = static_cast<std::uint32_t>(rank);
  if (::epoll_ctl(set_, EPOLL_CTL_ADD, descriptor, &wanted) == 0) return;
  ::close(descriptor);
  descriptor = -1;
}

std::vector<int> end_order::look() {
  std::vector<int> told;
  std::array<epoll_event, 64> ended{};
  for (;;) {
    const int count = ::epoll_wait(set_, ended.data(), static_cast<int>(ended.size()), 0);
    for (int each = 0; each < count; ++each)
      told.push_back(static_cast<int>(ended[static_cast<std::size_t>(each)].data.u32));
    if (count < static_cast<int>(ended.size())) return told;
  }
}

bool dying(pid_t pid) {
  constexpr unsigned long exiting = 0x4;  // PF_EXITING
  std::ifstream file{fmt::format("/proc/{}/stat", pid)};
  std::string text;
  std::getline(file, text);
  const auto name_end = text.rfind(')');  // the name may hold anything
  if (name_end == std::string::npos) return false;
  std::istringstream fields{text.substr(name_end + 1)};
  std::string skipped;
  for (int each = 0; each < 6; ++each) fields >> skipped;  // state ... tpgid
  unsigned long flags = 0;
  return (fields >> flags) && (flags & exiting) != 0;
}

}  // namespace peal::launcher
