// peal/detail/communicator_handle.hpp
// The part of a communicator that its families of calls share: who is in it, and its state below the API.
//
// Errors   the calls of what was moved from throw errc::invalid_argument.
#pragma once

#include <source_location>
#include <utility>

#include <peal/detail/collective_tasks.hpp>
#include <peal/detail/core.hpp>

namespace peal::detail {

/// Move-only; gives the communicator back.
class communicator_handle {
 public:
  using place = std::source_location;

  [[nodiscard]] int rank(const place& where = place::current()) const { return rank_of(state(where)); }
  [[nodiscard]] int size(const place& where = place::current()) const { return size_of(state(where)); }

 protected:
  explicit communicator_handle(communicator_state& state) noexcept : state_{&state} {}
  communicator_handle(communicator_handle&& from) noexcept : state_{std::exchange(from.state_, nullptr)} {}
  communicator_handle& operator=(communicator_handle&& from) noexcept {
    std::swap(state_, from.state_);
    return *this;
  }
  ~communicator_handle() {
    if (state_) release(*state_);
  }

  [[nodiscard]] communicator_state& state(const place& where) const {
    if (!state_) [[unlikely]]
      fail(errc::invalid_argument, "this communicator was moved from", -1, where);
    return *state_;
  }
  [[nodiscard]] place_in_team team() const { return {rank(), size()}; }

 private:
  communicator_state* state_;
};

}  // namespace peal::detail
