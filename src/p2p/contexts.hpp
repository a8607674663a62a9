// p2p/contexts.hpp
// The queues of every context that has had a message or a receive.
//
// Layer    p2p.
// Threads  one at a time.
// Errors   ends the process when there is no memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "base/cache_line.hpp"
#include "p2p/matching.hpp"

namespace peal {

struct alignas(cache_line) context_state {  // its own lines: another thread may be at the next one
  explicit context_state(std::uint32_t context) : id{context} {}

  const std::uint32_t id;
  posted_queue posted;
  unexpected_queue unexpected;
  std::size_t failures_told = 0;  // how many of the failures heard of its users know
  bool revoked = false;           // its users have given it up: see messaging::revoke
};

class context_table {
 public:
  /// Made when it is asked for first: a message may come before the communicator that it belongs
  /// to.
  [[gnu::always_inline]] context_state& at(std::uint32_t context) noexcept {
    context_state* const used = recent(context);
    return used ? *used : find(context);
  }
  /// Null when it was not asked for lately.
  [[gnu::always_inline]] context_state* recent(std::uint32_t context) noexcept {
    // As a rule it is that of the last message, and a guess spares the time that a place takes.
    if (context_state* const used = last_; used->id == context) [[likely]]
      return used;
    context_state* const used = recent_[place(context)];
    return used && used->id == context ? last_ = used : nullptr;
  }
  /// Null when it was never asked for.
  context_state* known(std::uint32_t context) noexcept {
    const auto found = all_.find(context);
    return found == all_.end() ? nullptr : found->second.get();
  }
  void erase(std::uint32_t context) noexcept {
    if (last_->id == context) last_ = &none_;
    if (context_state*& used = recent_[place(context)]; used && used->id == context) used = nullptr;
    all_.erase(context);
  }
  template <class Visitor>
  void for_each(Visitor&& visit) {
    for (auto& [context, state] : all_) visit(*state);
  }

 private:
  [[gnu::noinline]] context_state& find(std::uint32_t context) noexcept {
    std::unique_ptr<context_state>& state = all_[context];
    if (!state) state = std::make_unique<context_state>(context);
    recent_[place(context)] = last_ = state.get();
    return *state;
  }

  static constexpr unsigned place_bits = 4;
  /// The first context of each communicator is a multiple of contexts_of_one, and those that one
  /// process deals are as far apart as there are ranks. A multiplication spreads all of these.
  static std::size_t place(std::uint32_t context) noexcept {
    return context * 0x9e37'79b1U >> (32 - place_bits);
  }

  /// Has the number of no communicator, so that `last_` is never null.
  context_state none_{~std::uint32_t{0}};
  context_state* last_ = &none_;
  std::array<context_state*, std::size_t{1} << place_bits> recent_{};
  std::unordered_map<std::uint32_t, std::unique_ptr<context_state>> all_;
};

}  // namespace peal
