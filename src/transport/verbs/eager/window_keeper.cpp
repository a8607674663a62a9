#include "transport/verbs/eager/window_keeper.hpp"

#include <algorithm>

#include "transport/verbs/connections.hpp"

namespace peal::verbs {

namespace {

/// Each time that a peer lacked credits.
constexpr std::size_t places_a_look = 8;

}  // namespace

void window_keeper::look() noexcept {
  endpoint_.asked_for_credits();
  const std::size_t places = connections_.places();
  for (std::size_t each = std::min(places_a_look, places); each > 0; --each) {
    next_ = next_ + 1 < places ? next_ + 1 : 0;
    connection* const at = connections_.at_place(next_);
    if (at && at->is_in_use()) look_at(*at);
  }
}

void window_keeper::look_at(connection& which) noexcept {
  eager_channel& its = which.eager;
  if (its.seen_anew(which.lifetime.heard_epoch())) {
    its.asked_back = false;
    return;
  }
  credits& of = its.credits;
  if (of.window() <= idle_window) return;
  if (const auto less = std::min<std::size_t>(of.owed(), of.window() - idle_window); less > 0) {
    of.narrow(less);
    endpoint_.shrank_window(less);
  }
  if (of.unreturned() <= idle_window || its.asked_back) return;
  its.asked_back = sender_.ask_back(which);
  endpoint_.counters.credits_asked += its.asked_back;
}

bool window_keeper::heard(connection& from, std::uint32_t said) noexcept {
  if (said & immediate::asks_back) sender_.give_up_credits(from, idle_window);
  if (!(said & immediate::gives_up)) return true;
  const std::uint32_t count = said & immediate::credit_bits;
  if (!endpoint_.shared() || !from.eager.credits.gave_up(count)) return false;
  endpoint_.shrank_window(count);
  endpoint_.counters.credits_given_up += count;
  return true;
}

}  // namespace peal::verbs
