// transport/verbs/connections.hpp
// All connections of this process: by peer, by queue pair, by what a completion names.
//
// Layer    transport/verbs.
// Threads  one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "transport/verbs/connection.hpp"

namespace peal::verbs {

class connections {
 public:
  explicit connections(std::uint32_t peers) : by_peer_(peers, 0) {}

  /// Null: none.
  [[nodiscard]] connection* of(peer_id peer) const noexcept {
    return by_peer_[peer] ? places_[by_peer_[peer] - 1].get() : nullptr;
  }
  /// Null: there was one, and it is gone; or it is another one's generation.
  [[nodiscard]] connection* of(work_id which) const noexcept {
    connection* found =
        which.connection() < places_.size() ? places_[which.connection()].get() : nullptr;
    return found && found->generation() == which.generation() ? found : nullptr;
  }
  /// Whose control queue pair, on this rail, has this number; null: none.
  [[nodiscard]] connection* of_queue(std::uint32_t number, std::uint8_t rail = 0) const noexcept {
    if (table_.empty()) return nullptr;
    number = key_of(number, rail);
    for (std::uint32_t at = number & mask();; at = (at + 1) & mask()) {
      if (table_[at].number == number) return table_[at].owner;
      if (!table_[at].owner) return nullptr;
    }
  }

  /// Requires: there is none to its peer, and its queue pairs are made.
  connection& add(std::unique_ptr<connection>);
  /// Its queue pairs are other ones now, or of no use: completions that name it are of old ones.
  void renew(connection&) noexcept;
  /// Its queue pairs are destroyed.
  void remove(connection&) noexcept;

  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  // ---- one after the other, a few at a time
  [[nodiscard]] std::size_t places() const noexcept { return places_.size(); }
  /// Null: none stands there.
  [[nodiscard]] connection* at_place(std::size_t which) const noexcept {
    return places_[which].get();
  }

  template <class Call>
  void for_each(Call&& call) {
    for (auto& each : places_)
      if (each) call(*each);
  }

 private:
  struct entry {
    std::uint32_t number = 0;
    connection* owner = nullptr;
  };
  /// Numbers are a device's own, and have 24 bits.
  static constexpr std::uint32_t key_of(std::uint32_t number, std::uint8_t rail) noexcept {
    return number | std::uint32_t{rail} << 24;
  }
  [[nodiscard]] std::uint32_t mask() const noexcept {
    return static_cast<std::uint32_t>(table_.size() - 1);
  }
  void index() noexcept;

  std::vector<std::uint32_t> by_peer_;  // place + 1: four bytes for a peer never talked to
  std::vector<std::unique_ptr<connection>> places_;
  std::vector<std::uint8_t> generations_;
  std::vector<std::uint32_t> free_;
  std::vector<entry> table_;  // a power of two, at most half full
  std::size_t count_ = 0;
};

}  // namespace peal::verbs
