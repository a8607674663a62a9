// comm/context_pool.hpp
// The context numbers that this process may give to new communicators, and those of the
// communicators that it is in.
//
// Numbers go in groups, one group for each communicator: group 0 is the world's, then there is one
// for each process, then a second one for each, and so on. So a number says which process gives it,
// and no two processes, nor two threads of one, offer the same. The first rank of a new
// communicator gives its number.
//
// A used number is given again when the unused ones have run out or very many used ones are free;
// the one that has been free longest goes first. The giver knows only that its own communicator has
// gone; the members of the new one must find that theirs has, too (`hold`). Processes that were
// members of the old communicator and are not of the new one do not matter: they have nothing to
// send to the others, which have given the old one up.
//
// Layer    comm.
// Threads  any.
// Errors   an offer with context 0: there is none left.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <vector>

#include "transport/contract.hpp"

namespace peal {

/// Of a communicator: its own, a multiple of this, and those that follow.
inline constexpr std::uint32_t contexts_of_one = 16;
/// Of these, the first one of detail::room.
inline constexpr std::uint32_t context_of_rooms = 6;

class context_pool {
 public:
  struct offer {
    std::uint32_t context = 0;  // the world's: none is left
    bool used_before = false;   // so that members must be asked
  };

  /// Numbers that are free and used before, from which on none more is begun: so that their list
  /// stays small, and a thread that has not come back from making the communicator has all the time
  /// it may need.
  static constexpr std::size_t most_free = 65'536;

  /// `most`: numbers that this process gives, no more than there are for each.
  context_pool(peer_id self, std::uint32_t processes, std::optional<std::size_t> most) noexcept;

  /// A number that is offered to no other caller meanwhile.
  [[nodiscard]] offer take();
  /// The same, but one that was not used before.
  [[nodiscard]] offer take_unused();
  /// One that was offered and is no communicator's.
  void give_back(const offer&);

  /// This process makes a communicator with this number; false when there is one with it here.
  [[nodiscard]] bool hold(std::uint32_t context);
  /// There will be no such communicator.
  void let_go(std::uint32_t context);
  /// It has gone. `sound`: none of its members is dead, so that nothing of it can come any more and
  /// its number may be used again.
  void free(std::uint32_t context, bool sound);

 private:
  [[nodiscard]] bool is_own(std::uint32_t context) const noexcept {
    return (context / contexts_of_one - 1) % processes_ == self_;
  }

  std::mutex lock_;
  const std::uint32_t self_;
  const std::uint32_t processes_;
  const std::uint32_t most_;
  std::uint32_t given_ = 0;            // own ones that were offered
  std::vector<std::uint32_t> unused_;  // offered in vain, never used
  std::deque<std::uint32_t> free_;     // used before, in order of their freeing
  // By communicators that this process is in, or that were spoilt.
  std::unordered_set<std::uint32_t> held_;
};

}  // namespace peal
