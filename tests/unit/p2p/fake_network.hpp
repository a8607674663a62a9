// unit/p2p/fake_network.hpp
// Ranks of one process joined by a transport that does what a test tells it: when there is space,
// whose messages come first, when a fetch ends.
//
// Messages of one sender keep their order; those of different senders are delivered in an order
// drawn from a seed.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "p2p/messaging.hpp"
#include "peal/error.hpp"
#include "transport/contract.hpp"

namespace peal::test {

struct packet {
  envelope head;
  std::vector<std::byte> payload;
};

class fake_network;

class fake_port final : public transport {
 public:
  static constexpr std::size_t eager = 64, longest = 256;

  fake_port(fake_network& network, peer_id self)
      : transport{eager, longest}, network_{network}, self_{self} {}

  bool send(peer_id to, envelope e, const void* payload) noexcept override;
  bool wants_eager(peer_id to) const noexcept override;
  bool send_packed(peer_id to, envelope e, const detail::packer&) noexcept override;
  bool takes_long(peer_id, const void*, std::size_t) const noexcept override;
  void set_wants_eager(bool wants) noexcept override { wants_ = wants; }
  remote_region expose(peer_id to, const void* data, std::size_t bytes) noexcept override;
  bool packs_on_the_way(peer_id) const noexcept override;
  remote_region expose_packed(peer_id to, const detail::packer&,
                              std::size_t bytes) noexcept override;
  void withdraw(peer_id to, const remote_region&) noexcept override;
  void start_fetch(fetch&) noexcept override;
  bool holds_messages() const noexcept override;
  bool poll() noexcept override;
  void peer_failed(peer_id) noexcept override;

  sink* to = nullptr;

 private:
  friend class fake_network;

  bool deliver() noexcept;
  bool copy() noexcept;
  void finish(fetch&) noexcept;

  fake_network& network_;
  peer_id self_;
  bool wants_ = true;
  bool polling_ = false;
  std::vector<fetch*> fetches_;
};

class fake_network {
 public:
  explicit fake_network(std::uint32_t ranks, unsigned seed = 0)
      : random{seed}, queues_(ranks, std::vector<std::deque<packet>>(ranks)) {
    for (peer_id i = 0; i < ranks; ++i) ports.push_back(std::make_unique<fake_port>(*this, i));
  }

  // What a test may change.
  std::size_t space = 1000000;       // packets under way from one rank to another
  bool fetch_at_once = false;        // a fetch ends within start_fetch
  bool hold_fetches = false;         // no fetch ends
  bool takes_long = false;           // messages between the two eager limits go as they are
  bool packs = false;                // payloads can be packed on their way
  bool holds = false;                // says that messages wait to leave with others
  std::error_code fetch_error;       // what the next fetches end with
  std::size_t packets_a_poll = 100;  // most packets that one poll delivers
  // sees every packet before it is delivered
  std::function<void(peer_id to, peer_id from, const packet&)> watch;

  // What a test may ask.
  [[nodiscard]] std::size_t exposed() const { return exposed_.size(); }
  [[nodiscard]] std::size_t under_way(peer_id from, peer_id to) const {
    return queues_[to][from].size();
  }
  std::map<envelope_kind, std::size_t> delivered;
  std::size_t fetched_bytes = 0;

  std::mt19937 random;
  std::vector<std::unique_ptr<fake_port>> ports;

 private:
  friend class fake_port;
  std::vector<std::vector<std::deque<packet>>> queues_;  // [to][from]
  std::map<std::uint64_t, std::pair<const void*, std::size_t>> exposed_;
  std::uint64_t next_region_ = 1;
};

inline bool fake_port::send(peer_id to, envelope e, const void* payload) noexcept {
  std::deque<packet>& queue = network_.queues_[to][self_];
  if (queue.size() >= network_.space || (e.bytes() > eager && !network_.takes_long)) return false;
  packet sent{e, std::vector<std::byte>(e.bytes())};
  if (e.bytes() > 0) std::memcpy(sent.payload.data(), payload, e.bytes());
  queue.push_back(std::move(sent));
  return true;
}

inline bool fake_port::send_packed(peer_id to, envelope e, const detail::packer& from) noexcept {
  if (!wants_eager(to)) return false;
  std::vector<std::byte> payload(e.bytes());
  from.pack(from, 0, payload.data(), payload.size());
  return send(to, e, payload.data());
}
inline bool fake_port::takes_long(peer_id, const void*, std::size_t) const noexcept {
  return network_.takes_long;
}
inline bool fake_port::wants_eager(peer_id to) const noexcept { return network_.ports[to]->wants_; }

inline remote_region fake_port::expose(peer_id, const void* data, std::size_t bytes) noexcept {
  EXPECT_GT(bytes, 0u);
  remote_region made;
  made.words[0] = network_.next_region_++;
  network_.exposed_[made.words[0]] = {data, bytes};
  return made;
}

inline bool fake_port::holds_messages() const noexcept { return network_.holds; }

inline bool fake_port::packs_on_the_way(peer_id) const noexcept { return network_.packs; }

inline remote_region fake_port::expose_packed(peer_id to, const detail::packer& from,
                                              std::size_t bytes) noexcept {
  remote_region made = expose(to, &from, bytes);
  made.words[1] = 1;
  return made;
}

inline void fake_port::withdraw(peer_id, const remote_region& gone) noexcept {
  EXPECT_EQ(network_.exposed_.erase(gone.words[0]), 1u);
}

inline void fake_port::start_fetch(fetch& wanted) noexcept {
  EXPECT_GT(wanted.bytes, 0u);
  if (network_.fetch_at_once) finish(wanted);
  else fetches_.push_back(&wanted);
}

inline void fake_port::finish(fetch& over) noexcept {
  if (!network_.fetch_error) {
    const auto region = network_.exposed_.find(over.where.words[0]);
    ASSERT_NE(region, network_.exposed_.end()) << "fetched after it was withdrawn";
    ASSERT_LE(over.bytes, region->second.second);
    if (over.where.words[1] != 0) {
      const auto& from = *static_cast<const detail::packer*>(region->second.first);
      from.pack(from, 0, over.into, over.bytes);
    } else {
      std::memcpy(over.into, region->second.first, over.bytes);
    }
    network_.fetched_bytes += over.bytes;
  }
  over.done(over, network_.fetch_error);
}

inline bool fake_port::deliver() noexcept {
  std::vector<std::deque<packet>>& queues = network_.queues_[self_];
  std::vector<peer_id> ready;
  for (peer_id from = 0; from < queues.size(); ++from)
    if (!queues[from].empty()) ready.push_back(from);
  if (ready.empty()) return false;
  const peer_id from = ready[network_.random() % ready.size()];
  const packet taken = std::move(queues[from].front());
  queues[from].pop_front();
  ++network_.delivered[taken.head.kind()];
  if (network_.watch) network_.watch(self_, from, taken);
  to->arrived(from, taken.head, taken.payload.data());
  return true;
}

inline bool fake_port::copy() noexcept {
  if (fetches_.empty() || network_.hold_fetches) return false;
  const std::size_t which = network_.random() % fetches_.size();
  fetch& over = *fetches_[which];
  fetches_.erase(fetches_.begin() + static_cast<std::ptrdiff_t>(which));
  finish(over);
  return true;
}

inline bool fake_port::poll() noexcept {
  EXPECT_FALSE(polling_) << "polled from within poll";
  polling_ = true;
  bool moved = copy();
  for (std::size_t i = 0; i < network_.packets_a_poll && deliver(); ++i) moved = true;
  polling_ = false;
  return moved;
}

inline void fake_port::peer_failed(peer_id dead) noexcept {
  network_.queues_[dead][self_].clear();
  std::vector<fetch*> ending;
  std::erase_if(fetches_, [&](fetch* each) {
    if (each->from != dead) return false;
    ending.push_back(each);
    return true;
  });
  for (fetch* each : ending) each->done(*each, errc::peer_failed);
}

/// One rank of a fake job: an engine and messages over its port.
class fake_rank final : public router {
 public:
  fake_rank(fake_network& network, peer_id self, messaging_options options)
      : port{*network.ports[self]}, messages{progress, *this, with_self(options, self)} {
    port.to = &messages;
    messages.add(port);
  }
  transport& route(peer_id) noexcept override { return port; }

  fake_port& port;
  engine progress;
  messaging messages;

 private:
  static messaging_options with_self(messaging_options options, peer_id self) {
    options.self = self;
    return options;
  }
};

/// Ranks 0 … n-1, each with a team of all of them.
class fake_job {
 public:
  explicit fake_job(std::uint32_t ranks, unsigned seed = 0, messaging_options options = {})
      : network{ranks, seed} {
    options.peers = ranks;
    std::vector<peer_id> everyone;
    for (peer_id i = 0; i < ranks; ++i) everyone.push_back(i);
    for (peer_id i = 0; i < ranks; ++i) {
      members_.push_back(std::make_unique<fake_rank>(network, i, options));
      worlds_.push_back(std::make_unique<team>(0, static_cast<int>(i), everyone));
    }
  }

  messaging& operator[](int rank) { return at(rank).messages; }
  fake_rank& at(int rank) { return *members_[static_cast<std::size_t>(rank)]; }
  const team& world(int rank) { return *worlds_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int size() const { return static_cast<int>(members_.size()); }

  /// Polls every rank in turn until none moves anything.
  void settle() {
    for (bool moved = true; moved;) {
      moved = false;
      for (auto& each : members_) moved |= each->progress.progress();
    }
  }
  void poll(int rank) { at(rank).progress.progress(); }

  // Short forms in context 0.
  operation& send(int from, int to, int tag, const void* data, std::size_t bytes,
                  completion_hook hook = {}) {
    return (*this)[from].start_send(world(from), 0, data, bytes, to, tag, hook);
  }
  operation& receive(int at, int from, int tag, void* data, std::size_t capacity,
                     completion_hook hook = {}) {
    return (*this)[at].start_recv(world(at), 0, data, capacity, from, tag, hook);
  }

  fake_network network;

 private:
  std::vector<std::unique_ptr<fake_rank>> members_;
  std::vector<std::unique_ptr<team>> worlds_;
};

inline bool over(const operation& asked) { return asked.finished.load(); }

inline std::vector<std::byte> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::byte> made(bytes);
  std::uint32_t word = seed * 2654435761u + 1;
  for (std::byte& each : made) {
    word = word * 1664525u + 1013904223u;
    each = static_cast<std::byte>(word >> 24);
  }
  return made;
}

}  // namespace peal::test
