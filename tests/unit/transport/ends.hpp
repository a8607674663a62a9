// tests/unit/transport/ends.hpp
// Both ends of a transport in one process, with sinks that write down what arrives.
//
// Threads  an end is driven by one thread; two ends may be driven by two.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/variables.hpp"
#include "memory/node_heap.hpp"
#include "memory/node_segment.hpp"
#include "peal/detail/core.hpp"
#include "peal/error.hpp"
#include "topology/machine.hpp"
#include "transport/contract.hpp"
#include "transport/self/self_transport.hpp"
#include "transport/shm/shm_transport.hpp"
#include "transport/verbs/verbs_transport.hpp"

namespace peal::test {

struct arrival {
  peer_id from;
  envelope head;
  std::vector<std::byte> payload;
};

/// Keeps a copy of everything, and remembers whether a payload was misaligned.
struct recorder final : sink {
  std::vector<arrival> got;
  bool aligned = true;
  std::function<void(const arrival&)> also;

  void arrived(peer_id from, envelope head, const std::byte* payload) noexcept override {
    if (head.bytes() > 0 && reinterpret_cast<std::uintptr_t>(payload) % 16 != 0) aligned = false;
    arrival each{from, head, {}};
    if (head.bytes() > 0) each.payload.assign(payload, payload + head.bytes());
    if (also) also(each);
    got.push_back(std::move(each));
  }
};

inline envelope message(std::size_t bytes, std::uint32_t number) {
  return envelope::make(number, 1, 2, envelope_kind::eager, bytes);
}

/// A pattern that differs from message to message.
inline std::vector<std::byte> pattern(std::size_t bytes, std::uint64_t seed) {
  std::vector<std::byte> data(bytes);
  std::uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  for (std::byte& each : data) {
    state = state * 6364136223846793005 + 1442695040888963407;
    each = static_cast<std::byte>(state >> 56);
  }
  return data;
}

inline std::string unique_name() {
  static std::atomic<int> count{0};
  return "peal-test-" + std::to_string(getpid()) + "-" + std::to_string(count++);
}

inline std::string segment_directory() {
  const char* set = std::getenv("PEAL_SHM_DIR");
  return set != nullptr ? set : "/dev/shm";
}

struct node_options {
  int count = 2;
  shm_options settings;
  std::vector<shm_options> settings_of = {};  // of each process, instead
  std::size_t heap_bytes = std::size_t{256} << 20;
  std::size_t most_committed = std::numeric_limits<std::size_t>::max();
};

/// The processes of a node, all in this one.
class shm_node {
 public:
  struct end {
    std::unique_ptr<node_segment> segment;
    recorder arrivals;
    std::unique_ptr<node_heap> heap;
    std::unique_ptr<shm_transport> transport;
  };

  explicit shm_node(const node_options& options) {
    const std::string name = unique_name();
    std::vector<peer_id> peers;
    for (int each = 0; each < options.count; ++each) peers.push_back(peer(each));
    for (int each = 0; each < options.count; ++each) {
      const segment_plan plan{.directory = segment_directory(),
                              .job_name = name,
                              .index = each,
                              .count = options.count,
                              .front_bytes = shm_transport::front_bytes(),
                              .slices = shm_transport::slices(options.count),
                              .transport_bytes = shm_transport::transport_bytes(options.count),
                              .heap_bytes = options.heap_bytes,
                              .most_committed = options.most_committed};
      ends_.push_back(std::make_unique<end>());
      end& made = *ends_.back();
      made.segment = std::make_unique<node_segment>(plan);
      made.heap = std::make_unique<node_heap>(*made.segment);
      made.transport = std::make_unique<shm_transport>(
          *made.segment, made.arrivals, peers,
          options.settings_of.empty() ? options.settings
                                      : options.settings_of[static_cast<std::size_t>(each)]);
    }
    ends_[0]->segment->unlink();
  }

  /// World ranks need not be local indices.
  static peer_id peer(int index) { return static_cast<peer_id>(10 + 3 * index); }
  end& operator[](int index) { return *ends_[static_cast<std::size_t>(index)]; }

 private:
  std::vector<std::unique_ptr<end>> ends_;
};

/// Two processes that talk over an RDMA device, both in this one.
struct verbs_pair {
  /// `bells`: of both; null: they never sleep.
  explicit verbs_pair(verbs_options settings, wakeup* bells = nullptr) {
    for (peer_id each : {0u, 1u}) {
      if (bells) settings.bell = &bells[each];
      ends[each].emplace(arrivals[each], here, each, 2, settings);
    }
    for (auto& each : ends) each->meet({ends[0]->address(), ends[1]->address()});
  }
  machine here;
  recorder arrivals[2];
  std::optional<verbs_transport> ends[2];
};

/// Null where there is no RDMA device.
/// As PEAL_VERBS_RENDEZVOUS names it.
inline rendezvous_mode rendezvous_named(std::string_view name) {
  job_settings made;
  if (!find_variable("PEAL_VERBS_RENDEZVOUS")->fill(made, name))
    throw std::invalid_argument{std::string{name}};
  return made.verbs.rendezvous;
}

inline std::unique_ptr<verbs_pair> make_verbs_pair(const verbs_options& settings = {},
                                                   wakeup* bells = nullptr) {
  try {
    return std::make_unique<verbs_pair>(settings, bells);
  } catch (const error& problem) {
    if (problem.code() != errc::no_device) throw;
    return nullptr;
  }
}
inline constexpr const char* no_device_here =
    "needs an RDMA device: tests/lab/run -- PROGRAM runs it where there is one (after "
    "tests/lab/setup)";

/// Long enough for a loaded machine under a sanitizer; only a failing test waits for it.
inline constexpr std::chrono::seconds patience{240};

/// Calls `turn` until `done`; false when patience ends.
template <class Turn, class Done>
bool until(Turn turn, Done done) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!done()) {
    turn();
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

/// A fetch and what became of it.
struct tracked_fetch : fetch {
  int calls = 0;
  std::error_code error;

  tracked_fetch(peer_id sender, const remote_region& region, void* target, std::size_t length) {
    from = sender;
    where = region;
    into = target;
    bytes = length;
    context = this;
    done = [](fetch& f, std::error_code e) noexcept {
      auto& self = *static_cast<tracked_fetch*>(f.context);
      ++self.calls;
      self.error = e;
    };
  }
};

/// Writes down what it takes, and how often each byte came.
struct absorbing_fetch : tracked_fetch {
  std::vector<std::byte> data;
  std::vector<int> times;
  bool aligned = true;

  absorbing_fetch(peer_id sender, const remote_region& region, std::size_t length)
      : tracked_fetch{sender, region, nullptr, length}, data(length), times(length) {
    absorb = [](fetch& f, const std::byte* piece, std::size_t at, std::size_t count) noexcept {
      auto& self = *static_cast<absorbing_fetch*>(f.context);
      self.aligned =
          self.aligned && at % 4096 == 0 && (count % 4096 == 0 || at + count == self.bytes);
      if (at + count > self.bytes) std::abort();
      std::memcpy(self.data.data() + at, piece, count);
      for (std::size_t each = at; each < at + count; ++each) ++self.times[each];
    };
  }
};

/// Packs what it has, and writes down how often each byte was wanted.
struct counting_packer : detail::packer {
  const std::vector<std::byte>& data;
  mutable std::vector<int> times;

  explicit counting_packer(const std::vector<std::byte>& all) : data{all}, times(all.size()) {
    pack = [](const packer& self, std::size_t at, void* to, std::size_t bytes) noexcept {
      const auto& from = static_cast<const counting_packer&>(self);
      if (at + bytes > from.data.size()) std::abort();
      std::memcpy(to, from.data.data() + at, bytes);
      for (std::size_t each = at; each != at + bytes; ++each) ++from.times[each];
    };
  }
  [[nodiscard]] bool each_once() const {
    return std::ranges::all_of(times, [](int each) { return each == 1; });
  }
};

}  // namespace peal::test
