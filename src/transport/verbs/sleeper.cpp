#include "transport/verbs/sleeper.hpp"

#include <algorithm>

namespace peal::verbs {

bool sleeper::arm() noexcept {
  sender_.flush();
  datagrams_.flush();
  // What a full queue refused is tried again at every poll, and so are the parts of payloads.
  if (!bell_ || sender_.holds() || datagrams_.holds() || payloads_.wants_polling() || !arm_all())
    return false;
  armed_ = true;
  look_at_everything();
  return true;
}

bool sleeper::arm_all() noexcept {
  return std::ranges::all_of(endpoint_.rails,
                             [](const device& each) { return each.channel().arm(); });
}

std::vector<int> sleeper::descriptors() const {
  std::vector<int> made = events_.descriptors();
  for (const device& each : endpoint_.rails) made.push_back(each.channel().descriptor());
  return made;
}

void sleeper::rang(int descriptor) noexcept {
  for (const device& each : endpoint_.rails) {
    if (each.channel().descriptor() == descriptor) each.channel().rang();
    if (each.context()->async_fd == descriptor) events_.read();
  }
}

void sleeper::disarm() noexcept {
  if (!armed_) return;
  armed_ = false;
  look_at_everything();
}

/// The next poll, which leaves nothing out.
void sleeper::look_at_everything() noexcept { endpoint_.epoch |= turns_between_looks - 1; }

sleeper::clock::time_point sleeper::due() const noexcept {
  return std::min({connector_.due(), datagrams_.due(), promoter_.due()});
}

sleeper::clock::time_point sleeper::wakes_at(clock::time_point probe_at) const noexcept {
  return std::min(probe_at, due());
}

void sleeper::wake() noexcept {
  if (!armed_) return;
  disarm();  // once
  bell_->ring();
}

}  // namespace peal::verbs
