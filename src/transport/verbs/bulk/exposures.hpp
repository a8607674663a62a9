// transport/verbs/bulk/exposures.hpp
// What this process has exposed to its peers, each exposure with a number. A peer can ask for parts
// of what was exposed to it, and for nothing else.
//
// Addresses and keys travel with an announcement, and a device checks them for peers that read. But
// what a peer asks this process to write or to send is done by this process, with all its rights.
// So it is looked up here, and no address that came over the wire is believed. A number tells the
// place of an exposure and how often that place was used before, so that a question that comes late
// does not find another exposure.
//
// Layer    transport/verbs.
// Units    bytes.
// Threads  one at a time.
// Errors   none: what was not exposed is not found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "transport/contract.hpp"

namespace peal::verbs {

class packed_payload;
struct registration;

struct exposure {
  peer_id to = 0;
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  // Null: its memory could not be registered, or is piece by piece (pieces/further_keys.hpp).
  registration* held = nullptr;
  std::shared_ptr<packed_payload> packed = nullptr;  // null: all of it is there
  bool in_blocks = false;  // `data` is the first of them: nothing is written from there
};

/// What there is for a peer's question about an exposure.
enum class exposure_answer : std::uint8_t {
  found,
  over,  // there was one of that number
  never  // not to this peer, not so long, or none of that number
};

class exposures {
 public:
  /// Its number: never 0, the highest three bits are not set, and it does not come again before
  /// 2^29 others had its place.
  [[nodiscard]] std::uint64_t add(const exposure& what) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(places_.size()));
      places_.emplace_back();
    }
    const std::uint32_t at = free_.back();
    free_.pop_back();
    places_[at].what = what;
    places_[at].used = true;
    return number_of(at);
  }
  /// Null: there is none.
  [[nodiscard]] const exposure* find(std::uint64_t number) const noexcept {
    const auto at = static_cast<std::uint32_t>(number - 1);
    return at < places_.size() && places_[at].used && number_of(at) == number ? &places_[at].what
                                                                              : nullptr;
  }
  /// The same for a peer that asks for [at, at + bytes) of it: `into` is what was found.
  [[nodiscard]] exposure_answer find(std::uint64_t number, peer_id by, std::uint64_t at,
                                     std::uint64_t bytes, const exposure*& into) const noexcept {
    const exposure* const found = find(number);
    if (!found) return was(number) ? exposure_answer::over : exposure_answer::never;
    if (found->to != by || at > found->bytes || bytes > found->bytes - at || bytes == 0)
      return exposure_answer::never;
    into = found;
    return exposure_answer::found;
  }
  void remove(std::uint64_t number) noexcept {
    if (!find(number)) return;
    const auto at = static_cast<std::uint32_t>(number - 1);
    places_[at].what = {};
    places_[at].used = false;
    places_[at].generation = (places_[at].generation + 1) & 0x1fffffff;
    free_.push_back(at);
  }

 private:
  struct place {
    exposure what;
    std::uint32_t generation = 0;
    bool used = false;
  };
  /// Whether it was dealt out and taken back, as far as generations tell.
  [[nodiscard]] bool was(std::uint64_t number) const noexcept {
    const auto at = static_cast<std::uint32_t>(number - 1);
    return at < places_.size() && number >> 32 < places_[at].generation;
  }
  [[nodiscard]] std::uint64_t number_of(std::uint32_t at) const noexcept {
    return std::uint64_t{places_[at].generation} << 32 | (at + 1u);
  }

  std::vector<place> places_;
  std::vector<std::uint32_t> free_;
};

}  // namespace peal::verbs
