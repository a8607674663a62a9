#include "transport/verbs/endpoint/settings.hpp"

#include <algorithm>
#include <chrono>

#include "transport/verbs/endpoint/receive_budget.hpp"

namespace peal::verbs {

namespace {

/// Peers that may be connected at a time.
std::size_t expected_connections(const settings& set) noexcept {
  return std::min<std::size_t>(std::max<std::size_t>(set.peers, 2) - 1, set.max_rc);
}

}  // namespace

// Receives never take more than their part, and what sends have grows only as far as theirs, each
// by whole slabs: so neither finds the other one's memory taken.
std::size_t most_sends(const settings& set) noexcept {
  const std::size_t slack = 2 * slot_pool::per_slab;
  return std::max<std::size_t>(set.slots / 4, slack + slot_pool::per_slab) - slack;
}

std::size_t most_receives(const settings& set) noexcept { return set.slots - set.slots / 4; }

std::size_t most_receives(const device& on, const settings& set) noexcept {
  const auto limit = [](int value) { return static_cast<std::size_t>(std::max(value, 0)); };
  return std::min(
      {limit(on.limits().max_srq_wr), limit(on.limits().max_cqe) / 2, most_receives(set)});
}

std::uint64_t steady_nanoseconds() noexcept {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

std::uint32_t own_window(const settings& set) noexcept {
  const std::size_t share = most_receives(set) / expected_connections(set);
  const std::size_t fits = std::max(share, receive_budget::smallest + receive_budget::uncounted) -
                           receive_budget::uncounted;
  return static_cast<std::uint32_t>(std::min<std::size_t>(set.window, fits));
}

settings fitted(settings wishes, const std::vector<device>& rails) noexcept {
  const device& on = rails.front();
  const auto deepest = static_cast<std::uint32_t>(std::max(on.limits().max_qp_wr, 4));
  wishes.send_depth = std::clamp<std::uint32_t>(wishes.send_depth, 4, deepest);
  // Where each peer has a receive queue of its own, that must hold the window and two more.
  wishes.window = std::clamp<std::uint32_t>(wishes.window, 1, deepest - 2);
  for (const device& each : rails) {
    wishes.read_depth = std::min(wishes.read_depth,
                                 static_cast<std::uint32_t>(std::max(each.limits().max_qp_wr, 4)));
    wishes.read_pieces = std::min(
        wishes.read_pieces, static_cast<std::uint32_t>(std::max(
                                std::min(each.limits().max_sge, each.limits().max_sge_rd), 1)));
  }
  return wishes;
}

// A completion queue holds all that may be under way (endpoint::grow_completions); one queue pair
// is the handshake's.
std::uint32_t most_connections(const std::vector<device>& rails, const settings& set,
                               unsigned ranks_of_node, bool srq) noexcept {
  const auto limit = [](int value) { return static_cast<std::size_t>(std::max(value, 1)); };
  const auto pairs_of = [&](const device& each) {
    return limit(each.limits().max_qp) / ranks_of_node;
  };
  const device& on = rails.front();
  const std::size_t bulk = set.bulk * set.read_depth, sends = set.send_depth + bulk,
                    receives = (srq ? set.window : own_window(set)) + receive_budget::uncounted;
  const std::size_t entries = limit(on.limits().max_cqe), reserve = srq ? receive_reserve : 0;
  std::size_t by_entries = entries > reserve ? (entries - reserve) / (sends + receives) : 0;
  // No more receives are posted than the shared queue, and memory, allow.
  const std::size_t most = srq ? most_receives(on, set) : most_receives(set);
  if (srq && entries > most) by_entries = std::max(by_entries, (entries - most) / sends);
  const std::size_t least = receive_budget::smallest + receive_budget::uncounted,
                    by_receives = srq ? (most - std::min(most, reserve)) / least : most / receives;
  std::size_t made = std::min(
      {by_entries, by_receives, pairs_of(on) > 0 ? (pairs_of(on) - 1) / (1 + set.bulk) : 0});
  for (std::size_t each = 1; each < rails.size(); ++each) {
    // One connection more than there are.
    const std::size_t held = limit(rails[each].limits().max_cqe) / (bulk + set.read_depth);
    made = std::min({made, pairs_of(rails[each]) / set.bulk, held > 0 ? held - 1 : 0});
  }
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(made, 1, 1'000'000));
}

}  // namespace peal::verbs
