// peal/stats.hpp
// What the transports have counted: work requests, doorbells, bytes by protocol, registrations.
// Always there, without a special build.
//
// Units    each counter's meaning says; bytes and pieces, never rates.
// Threads  as the environment was asked for. A snapshot is the caller's own.
// Errors   errc::not_started after the environment.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <peal/communicator.hpp>
#include <peal/counter.hpp>
#include <peal/detail/core.hpp>

namespace peal {

/// Counters at one moment, in the order in which they are printed. Which there are depends on the
/// transports in use.
class stats {
 public:
  /// For the library.
  explicit stats(std::vector<counter> found) : all_{std::move(found)} {}

  /// 0 when there is no counter with this name.
  [[nodiscard]] std::uint64_t operator[](std::string_view name) const noexcept {
    for (const counter& each : all_)
      if (each.name == name) return each.value;
    return 0;
  }
  /// @{
  /// As those of a container of counters.
  [[nodiscard]] auto begin() const noexcept { return all_.begin(); }
  [[nodiscard]] auto end() const noexcept { return all_.end(); }
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  /// @}

 private:
  std::vector<counter> all_;
};

/// What this process has counted since its environment began. Local: no other rank is asked.
[[nodiscard]] inline stats counters(
    const communicator&, const std::source_location& where = std::source_location::current()) {
  return stats{detail::job_counters(where)};
}

}  // namespace peal
