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

/// From the system's source of random numbers.
std::uint64_t random_word();

class addresses {
 public:
  addresses(peer_id self, const std::vector<device>& rails);

  /// What other processes must know of this one; `job` is what this process would have as the
  /// secret.
  [[nodiscard]] const address& own() const noexcept { return own_; }
  [[nodiscard]] address& own() noexcept { return own_; }
  /// The addresses of all processes, by rank; the job's secret is that of the first process that
  /// has told an address. Before the first message. A process that has told none cannot be reached.
  ///
  /// In each address, the own one too, the rails are put in order: first the one for messages
  /// (network.hpp), then those for parts of large ones; what else was told is spare. Where the own
  /// rails, as they were told, stand now.
  std::vector<std::uint8_t> meet(std::vector<std::optional<address>> everyone);
  /// A rail of this process, or all of a peer's, are somewhere else now. True when that is news.
  bool moved(std::uint8_t own_rail, const rail_address& now) noexcept;
  bool moved(peer_id, const std::array<rail_place, most_rails>& now) noexcept;

  [[nodiscard]] peer_id self() const noexcept { return self_; }
  [[nodiscard]] const secret& job() const noexcept { return job_; }
  /// Null: it has told none.
  [[nodiscard]] const address* of(peer_id which) const noexcept {
    return which < everyone_.size() && everyone_[which] ? &*everyone_[which] : nullptr;
  }
  /// The rails of this process and of that one that reach each other; both find the same.
  /// Requires: it has told an address.
  [[nodiscard]] std::vector<rail_pair> links_to(peer_id) const;

 private:
  const peer_id self_;
  address own_;
  secret job_{};
  std::vector<std::optional<address>> everyone_;
};

}  // namespace peal::verbs
