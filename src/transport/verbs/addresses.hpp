// transport/verbs/addresses.hpp
// How every process of the job is reached, and what proves that a packet comes from one of them.
//
// Layer    transport/verbs. Written at the start only.
// Threads  one at a time.
// Errors   none.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "transport/verbs/wire.hpp"

namespace peal::verbs {

class addresses {
 public:
  addresses(peer_id self, const std::vector<device>& rails);

  /// What other processes must know of this one; `job` is what this process would have as the
  /// secret.
  [[nodiscard]] const address& own() const noexcept { return own_; }
  [[nodiscard]] address& own() noexcept { return own_; }
  /// The addresses of all processes, by rank; the job's secret is that of the first process that
  /// has told an address, so it is one although rank 0 may have no device. Before the first
  /// message. A process that has told none cannot be reached.
  ///
  /// In each address, the own one too, the rails are put in order: first the one for messages
  /// (network.hpp), then those for parts of large ones; what else was told is spare. Where the own
  /// rails, as they were told, stand now.
  ///
  /// Where no network has all of them, and another port than that leads to some best, all stays as
  /// it was told: `by_pair`.
  std::vector<std::uint8_t> meet(std::vector<std::optional<address>> everyone);
  [[nodiscard]] bool by_pair() const noexcept { return !ways_.empty(); }
  /// By rank, the ports for what is told between it and this process. Requires: by_pair.
  [[nodiscard]] const std::vector<std::optional<way>>& ways() const noexcept { return ways_; }
  /// As for a job of those that are reached by this port: it, and theirs, stand first, and nothing
  /// else is used. `main`: with those that no port reaches, for what is said of them.
  [[nodiscard]] addresses over(std::uint8_t own_port, bool main) const;
  /// A rail of this process, or all of a peer's, are somewhere else now. True when that is news.
  bool moved(std::uint8_t own_rail, const rail_address& now) noexcept;
  bool moved(peer_id, const std::array<rail_place, most_rails>& now) noexcept;

  [[nodiscard]] peer_id self() const noexcept { return self_; }
  [[nodiscard]] const secret& job() const noexcept { return job_; }
  /// Requires: `meet`.
  [[nodiscard]] const authenticator& proof() const noexcept { return *proof_; }
  /// Null: it has told none.
  [[nodiscard]] const address* of(peer_id which) const noexcept {
    return which < everyone_.size() && everyone_[which] ? &*everyone_[which] : nullptr;
  }
  /// The rails of this process and of that one that reach each other; both find the same.
  /// Requires: it has told an address.
  [[nodiscard]] std::vector<rail_pair> links_to(peer_id) const;

 private:
  bool find_ways(const std::vector<std::span<const rail_address>>& told,
                 const std::vector<std::uint8_t>& chosen);

  const peer_id self_;
  address own_;
  secret job_{};
  std::optional<authenticator> proof_;
  std::vector<std::optional<address>> everyone_;
  std::vector<std::optional<way>> ways_;  // by_pair only
};

}  // namespace peal::verbs
