// transport/verbs/verbs_transport.hpp
// Messages over an RDMA device: eager ones by SEND, large ones by READ of the receiver, their
// beginning by SEND.
//
// Where no network joins all processes there is one such transport for each port that leads to some
// of them; the first one hands on what concerns the peers of another.
//
// How the parts stand together: sender.hpp (out), payloads.hpp (large payloads), endpoint.hpp (what
// connections share), connector.hpp (connections on first use), datagrams.hpp (messages to peers
// without one), promoter.hpp (which peers have one), device.hpp. Includes no verbs header, so that
// no file above needs one.
//
// Layer    transport/verbs: may include transport/contract.hpp, memory/, topology/, base/.
// Threads  as the contract says.
// Errors   the constructor throws errc::no_device, errc::locked_memory; a connection that breaks
//          stands in `lost`, until peer_failed.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "peal/counter.hpp"
#include "transport/contract.hpp"

namespace peal {

class machine;

struct verbs_options {
  verbs_settings set{};
  unsigned local_index = 0;  // of this process on its node: equally near devices are dealt out
  // Processes of its node: what a device has not without end is shared out among them.
  unsigned local_size = 1;
  unsigned cpus = 2;  // of its node
  // For tests that show what the unmap hooks are for: cached all the same.
  bool without_hooks = false;
  std::uint32_t send_depth = 0;  // of a queue pair for messages; 0: what suits
  std::uint32_t window = 0;      // messages under way to one peer; 0: what suits
  std::size_t kept_pushes = 0;  // most bytes that are kept of what all peers send so; 0: what suits
  // For tests in simulated time: what time it is; null: std::chrono::steady_clock.
  std::uint64_t (*nanoseconds)() noexcept = nullptr;
  // After which a link that was left out is tried for the first time.
  std::chrono::milliseconds until_return{4000};
  // What ends a sleep of this process from another thread; null: it never sleeps.
  wakeup* bell = nullptr;
};

class verbs_transport final : public transport {
 public:
  /// `peers`: of the job. The sink outlives the transport.
  verbs_transport(sink&, const machine&, peer_id self, std::uint32_t peers, const verbs_options&);
  ~verbs_transport() override;

  /// What the other processes must know, as bytes to be carried to them; and what they told, by
  /// rank (empty: nothing). Before the first message.
  [[nodiscard]] std::string address() const;
  void meet(const std::vector<std::string>& everyone);

  /// Begins a connection where there is none yet, or goes as a datagram.
  [[nodiscard]] bool send(peer_id to, envelope e, const void* payload) noexcept override;
  [[nodiscard]] bool send_eager(peer_id to, envelope e, const void* payload) noexcept override;
  [[nodiscard]] bool wants_eager(peer_id to) const noexcept override;
  void set_wants_eager(bool) noexcept override;
  remote_region expose(peer_id to, const void* data, std::size_t bytes) noexcept override;
  [[nodiscard]] bool packs_on_the_way(peer_id) const noexcept override { return true; }
  remote_region expose_packed(peer_id to, const detail::packer&,
                              std::size_t bytes) noexcept override;
  void withdraw(peer_id to, const remote_region&) noexcept override;
  void start_fetch(fetch&) noexcept override;
  bool poll() noexcept override;
  bool arm() noexcept override;
  void disarm() noexcept override;
  void rang(int descriptor) noexcept override;
  [[nodiscard]] std::chrono::steady_clock::time_point wakes_at() const noexcept override;
  /// Appends what was counted since the start. Control path.
  void report(std::vector<counter>&) const;
  void peer_failed(peer_id) noexcept override;
  /// The last call but the destructor: this process takes part no more, which peers see in
  /// has_left. Waits until the peers' adapters have everything, as long as an adapter may be
  /// silent.
  void leave() noexcept;
  [[nodiscard]] bool has_left(peer_id) const noexcept override;

  void flush() noexcept override;
  void hold_together(batching) noexcept override;
  [[nodiscard]] bool holds_messages() const noexcept override;
  /// Whether everything sent as a datagram has been taken by the peers that live. Until then this
  /// process must go on polling.
  [[nodiscard]] bool settled() const noexcept;

  /// Peers whose connection broke, or could not be made, since the last call.
  [[nodiscard]] std::vector<peer_id> lost() noexcept;
  /// There is reason to doubt that this peer is reached. Looks at the way to it now, and not when
  /// it is its turn; `lost` tells what is found. False: messages go to it, and nothing here finds
  /// out whether it is there, since one that computes does not answer either.
  [[nodiscard]] bool look_at(peer_id) noexcept;

  /// For tests: a peer's queue pairs go into the error state, as if the device had given them up.
  /// Nothing where they are made for the first time.
  void break_connection(peer_id) noexcept;
  /// The same of one rail, not the first, alone.
  void break_rail(peer_id, std::uint8_t rail) noexcept;

 private:
  struct open_ports;
  struct state;
  verbs_transport(std::unique_ptr<open_ports>, bool cold);
  void begin(bool cold);
  void split(bool cold);
  /// Null: this one.
  [[nodiscard]] verbs_transport* other_to(peer_id which) const noexcept {
    return via_.empty() || via_[which] == 0 ? nullptr : further_[via_[which] - 1u].get();
  }
  void add_further(std::vector<counter>&) const;
  void begin_to_leave() noexcept;
  /// Whether something is still on its way to a peer.
  [[nodiscard]] bool is_leaving() noexcept;

  std::unique_ptr<open_ports> open_ports_;  // outlives the state
  std::unique_ptr<state> state_;
  std::vector<std::unique_ptr<verbs_transport>> further_;
  std::vector<std::uint8_t> via_;  // by peer: 0 is this one; empty where there is no other one
};

}  // namespace peal
