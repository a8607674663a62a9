// transport/verbs/bulk/writer.hpp
// Shares of large payloads that the sender's device writes into the receiver's memory: so the
// sender's CPU does the work where devices are emulated, and reads and writes go on at the same
// time.
//
// The receiver asks; the sender writes in parts, over bulk queue pairs (one of each rail) that
// carry no READs, and when its device says that all have arrived, it tells so in a message. The
// source stays exposed meanwhile, since the receiver answers the announcement later than that.
//
// That a WRITE was acknowledged does not say that it can be seen: it may still be on the way from
// that adapter to the memory when the message comes through another one. So each further rail that
// was used carries a notice too, a SEND behind the WRITEs on their own queue pair, and the receiver
// waits for all of them; but not for those of a link that it has left out, whose queue pair is
// destroyed.
//
// Layer    transport/verbs.
// Units    bytes.
// Threads  one at a time.
// Errors   told to fetch::done by the caller of abandon.
// Source   ibv_post_send(3), IBV_WR_RDMA_WRITE; InfiniBand specification, 9.5, o9-20 (a completed
//          receive follows earlier WRITEs of its queue pair in memory).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "transport/verbs/bulk/bulk_chain.hpp"
#include "transport/verbs/bulk/exposures.hpp"
#include "transport/verbs/bulk/fetch_progress.hpp"
#include "transport/verbs/bulk/payload_header.hpp"
#include "transport/verbs/bulk/pieces/packed_payload.hpp"
#include "transport/verbs/device/interface.hpp"
#include "transport/verbs/eager/interface.hpp"

namespace peal::verbs {

class connections;

/// What a peer has asked for.
struct write_job {
  peer_id to = 0;
  std::uint64_t number = 0;
  std::uint64_t exposed = 0;             // exposures.hpp
  std::uint64_t source = 0, target = 0;  // addresses
  registration* from = nullptr;
  std::array<std::uint32_t, most_rails> remote_keys{};
  std::uint64_t bytes = 0, posted = 0, arrived = 0;
  std::vector<bulk_part> again;  // what was posted in vain
  // Of a payload that is packed meanwhile: its parts are packed before they are posted.
  std::shared_ptr<packed_payload> packed;
  std::uint64_t begin = 0;  // of the share
  std::uint8_t used = 0;    // a bit for each link, but the first, over which something was written
  std::uint8_t unnoticed = 0;  // those whose notice has not been posted, once all has arrived
  std::uint8_t noticing = 0;   // notices under way

  /// Nothing more is to be posted, and nothing under way.
  [[nodiscard]] bool over() const noexcept {
    return arrived == bytes && unnoticed == 0 && noticing == 0;
  }
  [[nodiscard]] bool has_parts() const noexcept { return posted < bytes || !again.empty(); }
};

class writer {
 public:
  writer(endpoint& endpoint, registration_cache& cache, connections& connections, sender& out,
         const exposures& to_peers, spare_buffers& buffers, queue_failures& told)
      : endpoint_{endpoint},
        cache_{cache},
        connections_{connections},
        sender_{out},
        exposures_{to_peers},
        buffers_{buffers},
        failures_{told} {}

  /// Asks for the share [begin, end) of a payload; `begin` is a multiple of a page. False: it
  /// cannot be written, and nothing happened.
  [[nodiscard]] bool start(connection&, fetch&, std::size_t begin, std::size_t end) noexcept;
  /// A peer asks for a share of what was exposed to it. What is being written already is not
  /// written twice.
  [[nodiscard]] outcome asked(connection& from, const payload_header&,
                              const write_source&) noexcept;
  /// A peer has written one.
  [[nodiscard]] outcome arrived(connection& from, const payload_header&) noexcept;
  /// The oldest part of this bulk queue pair has arrived; it was a write, or a notice.
  void completed(connection&, bulk_queue&) noexcept;
  /// A notice has come.
  void noticed(const connection& from, const bulk_queue&, std::uint32_t number) noexcept;
  /// A link was left out here: no notice is waited for there.
  void expect_no_notices(const connection& from, std::uint8_t link) noexcept;

  /// Whether anything to or from this peer has been asked for and not told of.
  [[nodiscard]] bool under_way(peer_id with) const noexcept;
  /// Something is being written, or has yet to be, here or there.
  [[nodiscard]] bool moves(peer_id with) const noexcept;
  [[nodiscard]] bool busy() const noexcept { return !notes_.empty() || !jobs_.empty(); }
  /// Something waits to be posted, and no completion of a write will come and see to it.
  [[nodiscard]] bool starved() const noexcept;
  /// Sends and posts what can be. True when something was.
  bool step() noexcept;

  /// A link was left out: what was under way there is written again over the other links, by
  /// `step`.
  static void write_again(bulk_queue&) noexcept;
  /// All queue pairs to the peer are destroyed, and what they wrote can be seen at the peer when
  /// they are there again: notices that have not come, or gone, are waited for no more.
  void interrupt(peer_id) noexcept;
  /// The connection goes on: the same for notices of the peer's.
  void go_on(peer_id) noexcept;
  /// Forgets the peer; adds its fetches to `ending`. Requires: its queue pairs are destroyed.
  void abandon(peer_id, std::vector<fetch*>& ending) noexcept;

 private:
  struct share {
    peer_id from;
    fetch* of;
    std::uint64_t begin, bytes;
    registration* into;
    std::byte* target;                      // ours when the fetch lands nowhere
    bool told = false;                      // that all is written
    std::uint8_t noticed = 0, awaited = 0;  // a bit for each link
  };
  struct note {
    peer_id to;
    payload_header what;
    write_source source;  // in a question
  };
  [[nodiscard]] bool post(write_job&) noexcept;
  [[nodiscard]] bool post(write_job&, connection&, std::size_t which) noexcept;
  [[nodiscard]] bool tell() noexcept;
  void post_notices(write_job&) noexcept;
  template <class Which>
  void end_jobs(Which) noexcept;
  void let_go(share&) noexcept;
  using shares = std::unordered_map<std::uint64_t, share>;
  void written(shares::iterator) noexcept;
  void noticed(shares::iterator, std::uint8_t links) noexcept;

  endpoint& endpoint_;
  registration_cache& cache_;
  connections& connections_;
  sender& sender_;
  const exposures& exposures_;
  spare_buffers& buffers_;
  queue_failures& failures_;
  std::uint64_t last_number_ = 0;
  shares shares_;
  std::list<write_job> jobs_;  // in place, since parts under way point to them
  std::deque<note> notes_;     // for which there was no room yet
};

}  // namespace peal::verbs
