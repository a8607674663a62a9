// peal/collectives/barrier.hpp
// barrier: no rank goes on before all have come.
//
// Units    ranks of the communicator.
// Errors   as peal/communicator.hpp says.
#pragma once

#include <source_location>

#include <peal/detail/collectives/forms.hpp>

namespace peal {

namespace detail {
/// Nothing is moved.
class barrier_step {
 public:
  static void refresh(const location&) noexcept {}
  static collective_call first() noexcept { return {}; }
  static void take(const location&) noexcept {}
  static void view() noexcept {}
  [[nodiscard]] static bool is_over_with_its_operation() noexcept { return true; }
};
}  // namespace detail

/// Calls of communicator.
template <class Communicator>
class barrier_calls {
 public:
  /// Where a call stands in the program, which its error names.
  using place = std::source_location;

  /// @{
  /// At once, as a request, or as a plan.
  void barrier(const place& where = place::current()) const { make<detail::when::now>(where); }
  request<> ibarrier(const place& where = place::current()) const {
    return make<detail::when::later>(where);
  }
  plan<> barrier_plan(const place& where = place::current()) const {
    return make<detail::when::planned>(where);
  }
  /// @}

 private:
  template <detail::when When>
  auto make(const place& where) const {
    return detail::perform<When>(static_cast<const Communicator&>(*this).call_at(where),
                                 [] { return detail::barrier_step{}; });
  }
};

}  // namespace peal
