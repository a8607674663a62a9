// comm/waits/wait_reporter.hpp
// Shows waits that last in the page of this process: for which message or collective, where the
// program is, and what lies here that nobody has taken.
//
// Layer    comm: may include p2p/, collective/, progress/, state/.
// Threads  as state::wait_observer says.
// Errors   none; a wait that finds no room is not shown.
#pragma once

#include <cstdint>

#include "collective/direct/direct_context.hpp"
#include "p2p/messaging.hpp"
#include "state/rank_state.hpp"
#include "state/wait_subject.hpp"

namespace peal {

class wait_reporter final : public state::wait_observer {
 public:
  explicit wait_reporter(state::rank_state& page) noexcept : page_{page} {}
  /// Before the first wait. `past_messages` may be null. Both must outlive this.
  void watch(messaging& messages, const direct::direct_context* past_messages) noexcept {
    messages_ = &messages;
    past_messages_ = past_messages;
  }

  void lasts(const state::wait_subject&, std::int64_t since,
             state::wait_entry*& entry) noexcept override;
  void over(state::wait_entry* entry) noexcept override { page_.remove(*entry); }

 private:
  void tell(const state::wait_subject&, state::wait_entry&) const noexcept;
  void tell_operation(const operation&, state::wait_entry&) const noexcept;
  void list_pending(state::wait_entry&) noexcept;
  void list_awaited(state::wait_entry&) const noexcept;

  state::rank_state& page_;
  messaging* messages_ = nullptr;
  const direct::direct_context* past_messages_ = nullptr;
};

}  // namespace peal
