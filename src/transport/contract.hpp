// transport/contract.hpp
// What p2p asks of whatever carries messages, and what it offers in return. Every transport passes
// the same test suite.
//
// Layer    transport: may include memory/, progress/, bootstrap/, topology/, base/.
// Units    bytes.
// Threads  all calls are made by one thread at a time (p2p serializes). From within sink::arrived
//          and fetch::done, p2p may call everything but poll and peer_failed: send, start_fetch,
//          expose and withdraw among them.
// Errors   nothing throws; what fails later is told to the sink.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <utility>
#include <vector>

#include "progress/engine.hpp"

namespace peal::detail {
struct packer;
struct strided_blocks;
}  // namespace peal::detail

namespace peal {

class short_path;
struct short_run;

/// A process of the job as transports see it: its rank in the world.
using peer_id = std::uint32_t;

enum class envelope_kind : std::uint8_t {
  eager,     // the payload is the message
  announce,  // the payload says where the message lies: p2p/rendezvous.hpp
  fetched,   // answer to announce: the receiver has what it wants
};

/// The 16 bytes that travel before every payload. Two words, so that they are passed in registers:
/// a store and reload of an envelope through memory costs more than building it.
struct envelope {
  std::uint64_t match = 0;  // context << 32 | tag
  std::uint64_t rest = 0;   // source rank in the communicator << 32 | kind << 24 | payload bytes

  static constexpr std::size_t max_payload = (1u << 24) - 1;

  static constexpr envelope make(std::uint32_t context, std::int32_t tag, std::uint32_t source,
                                 envelope_kind kind, std::size_t bytes) noexcept {
    return {
        std::uint64_t{context} << 32 | static_cast<std::uint32_t>(tag),
        std::uint64_t{source} << 32 | std::uint64_t{static_cast<std::uint8_t>(kind)} << 24 | bytes};
  }
  constexpr std::uint32_t context() const noexcept {
    return static_cast<std::uint32_t>(match >> 32);
  }
  constexpr std::int32_t tag() const noexcept { return static_cast<std::int32_t>(match); }
  constexpr std::uint32_t source() const noexcept { return static_cast<std::uint32_t>(rest >> 32); }
  constexpr envelope_kind kind() const noexcept {
    return static_cast<envelope_kind>(rest >> 24 & 0xff);
  }
  constexpr std::size_t bytes() const noexcept { return rest & max_payload; }
};
static_assert(sizeof(envelope) == 16);

/// Where a payload lies, in words that only the transport which wrote them understands; it travels
/// inside an announcement.
struct remote_region {
  std::array<std::uint64_t, 5> words{};
};
static_assert(sizeof(remote_region) == 40);

/// A payload on its way to the receiver. p2p owns it and keeps it in place until `done` is called.
struct fetch {
  peer_id from = 0;
  remote_region where;
  void* into = nullptr;   // with `absorb`: memory in which pieces may lie meanwhile, or null
  std::size_t bytes = 0;  // how much to fetch, from the start of the region; never 0
  /// Instead of a copy to `into`: takes the bytes [at, at + length) of the payload, each once, in
  /// any order, called from poll() or start_fetch() and before `done`. `at` is a multiple of 4096;
  /// only the piece at the end has another length. Null: copy.
  void (*absorb)(fetch&, const std::byte* data, std::size_t at,
                 std::size_t length) noexcept = nullptr;
  /// With `absorb`: where the transport may put what it does not give to `absorb`. Null: nowhere.
  const detail::strided_blocks* blocks = nullptr;
  [[nodiscard]] bool lands_nowhere() const noexcept { return absorb != nullptr && into == nullptr; }
  // Called once, from poll() or from start_fetch() itself.
  void (*done)(fetch&, std::error_code) noexcept = nullptr;
  void* context = nullptr;                 // p2p's
  fetch* next = nullptr;                   // the transport's, while under way
  std::array<std::uint64_t, 8> scratch{};  // the transport's, while under way
};

/// What arrives goes here. Calls come from transport::poll only.
class sink {
 public:
  /// A message of a peer, in the order in which that peer sent them. The payload (16-byte aligned)
  /// is gone after the call.
  virtual void arrived(peer_id from, envelope, const std::byte* payload) noexcept = 0;
  /// Several short messages of a peer at a time, where they lie. Takes those at the beginning that
  /// have arrived and need nothing unusual, and returns how many; the others come by `arrived`.
  virtual std::uint32_t arrived_short(const short_run&) noexcept { return 0; }

 protected:
  ~sink() = default;
};

/// What leaves together.
enum class batching : std::uint8_t {
  none,
  of_several_peers,  // one message to each of several peers; over connections that spares nothing
  of_one_peer        // several messages to a peer are among them
};

/// What carries messages. It is polled, and sleeps, as every source of progress: of poll, arm,
/// disarm, rang and wakes_at progress_source says what they do.
class transport : public progress_source {
 public:
  virtual ~transport() = default;

  /// Longest payload that `send` takes.
  [[nodiscard]] std::size_t eager_limit() const noexcept { return eager_limit_; }
  /// Longest payload that `send_eager` takes. Beyond `eager_limit` it is for the peer to say:
  [[nodiscard]] std::size_t longest_eager() const noexcept { return longest_eager_; }
  /// Whether `send` takes this payload, too, which `send_eager` found no room for. False: it is to
  /// be announced.
  [[nodiscard]] virtual bool takes_long(peer_id, const void* /*payload*/,
                                        std::size_t /*bytes*/) const noexcept {
    return false;
  }
  /// What the engine is to watch.
  [[nodiscard]] const std::vector<int>& descriptors() const noexcept { return descriptors_; }

  // ---- messages
  /// Sends envelope and payload (`e.bytes()` of them) in order after everything sent to this peer
  /// before. False: no space at the moment, nothing happened; try again after a poll.
  [[nodiscard]] virtual bool send(peer_id to, envelope e, const void* payload) noexcept = 0;
  /// Whether the receiver still wants payloads unasked. False: it holds as many unexpected bytes as
  /// it may; announce instead.
  [[nodiscard]] virtual bool wants_eager(peer_id to) const noexcept = 0;
  /// Both in one call, which is what most messages are: `send`, and false also when the receiver
  /// wants none unasked.
  [[nodiscard]] virtual bool send_eager(peer_id to, envelope e, const void* payload) noexcept {
    return wants_eager(to) && send(to, e, payload);
  }
  /// The same for a payload that is packed as it is sent, of more than `eager_limit`.
  [[nodiscard]] virtual bool send_packed(peer_id, envelope, const detail::packer&) noexcept {
    return false;
  }
  /// Where short messages to that peer are written without a call. Stays in place as long as the
  /// transport, and takes none while it has no room. Null: there is no such path.
  [[nodiscard]] virtual short_path* short_path_to(peer_id) noexcept { return nullptr; }
  /// Before the first message: those that leave by a short path are added there in some poll
  /// after. relaxed: other programs read it.
  virtual void count_short_in(std::atomic<std::uint64_t>& /*messages*/) noexcept {}
  /// The other side of wants_eager, for every sender: `false` when this process holds too much
  /// unexpected payload.
  virtual void set_wants_eager(bool) noexcept = 0;

  // ---- messages that leave together. Every poll sends what waits, too.
  /// From here on messages wait for others to leave with, even the first to a peer, where that
  /// spares a doorbell; `none`: they leave.
  virtual void hold_together(batching) noexcept {}
  /// Sends what waits to leave with other messages.
  virtual void flush() noexcept {}
  /// Whether messages wait so: `send` took them.
  [[nodiscard]] virtual bool holds_messages() const noexcept { return false; }

  // ---- large payloads
  /// Makes [data, data + bytes) fetchable by `to` until `withdraw`.
  virtual remote_region expose(peer_id to, const void* data, std::size_t bytes) noexcept = 0;
  /// Whether a payload can be packed while `to` fetches it.
  [[nodiscard]] virtual bool packs_on_the_way(peer_id) const noexcept { return false; }
  /// As expose, of one that is packed so. Requires: packs_on_the_way.
  virtual remote_region expose_packed(peer_id, const detail::packer&, std::size_t) noexcept {
    return {};
  }
  virtual void withdraw(peer_id to, const remote_region&) noexcept = 0;
  /// Begins to copy a peer's exposed payload into local memory. A fetch never fails for lack of
  /// space.
  virtual void start_fetch(fetch&) noexcept = 0;

  // ---- ends
  /// The peer is dead: drops what waits for it, ends fetches from it with errc::peer_failed. What
  /// it sent before still arrives.
  virtual void peer_failed(peer_id) noexcept = 0;
  /// Whether the peer is known to take part no more. What it sent before still arrives.
  [[nodiscard]] virtual bool has_left(peer_id) const noexcept { return false; }

 protected:
  explicit transport(std::size_t eager_limit) noexcept : transport{eager_limit, eager_limit} {}
  transport(std::size_t eager_limit, std::size_t longest_eager) noexcept
      : eager_limit_{eager_limit}, longest_eager_{longest_eager} {}
  /// Once, while it is made.
  void watch(std::vector<int> descriptors) noexcept { descriptors_ = std::move(descriptors); }

 private:
  const std::size_t eager_limit_, longest_eager_;
  std::vector<int> descriptors_;
};

}  // namespace peal
