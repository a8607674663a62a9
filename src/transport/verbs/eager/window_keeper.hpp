// transport/verbs/eager/window_keeper.hpp
// Gets credits back from peers that do not use them, for others that do.
//
// When the receives do not suffice for what busy peers could send (receive_budget.hpp), the
// connections are looked at in turn, a few at each poll. A peer of which nothing was heard since
// the last look keeps a small window: what it has spent is not returned, and it is asked to give up
// what it has left. It gets a larger window again when it sends.
//
// Layer    transport/verbs.
// Units    packets.
// Threads  one at a time.
// Errors   a peer that gives up more than it can have: said by `heard`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/verbs/eager/sender.hpp"

namespace peal::verbs {

class connections;

class window_keeper {
 public:
  /// The window of a peer that is idle.
  static constexpr std::uint16_t idle_window = 4;

  window_keeper(endpoint& endpoint, connections& connections, sender& out)
      : endpoint_{endpoint}, connections_{connections}, sender_{out} {}

  [[nodiscard]] bool busy() const noexcept { return endpoint_.wants_credits_back(); }
  void poll() noexcept {
    if (busy()) look();
  }
  /// A packet that asks for credits, or gives some up. False: it makes no sense.
  [[nodiscard]] bool heard(connection& from, std::uint32_t said) noexcept;

 private:
  void look() noexcept;
  void look_at(connection&) noexcept;

  endpoint& endpoint_;
  connections& connections_;
  sender& sender_;
  std::size_t next_ = 0;  // place whose turn it is
};

}  // namespace peal::verbs
