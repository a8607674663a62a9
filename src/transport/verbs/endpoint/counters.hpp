// transport/verbs/endpoint/counters.hpp
// What the data path counts, and how users are told.
//
// Layer    transport/verbs.
// Threads  one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "peal/counter.hpp"
#include "transport/verbs/device/interface.hpp"
#include "transport/verbs/wire.hpp"

namespace peal::verbs {

class device;
struct registration_counters;
struct datagram_counters;

/// Everything since the start. A doorbell is one ibv_post_send.
struct counters {
  std::uint64_t messages = 0;  // sent
  std::uint64_t requests = 0;  // work requests that sent them
  std::uint64_t doorbells = 0;
  std::uint64_t controls = 0;  // doorbells of what is no message: credits, signs of life, goodbyes
  std::uint64_t signaled = 0;
  std::uint64_t eager_bytes = 0;
  std::uint64_t reads = 0;
  std::uint64_t read_doorbells = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t writes = 0;
  std::uint64_t write_bytes = 0;
  std::array<std::uint64_t, most_rails> rail_bytes{};  // of READs and WRITEs
  // The same, by the number of the queue pair among those of a connection and rail.
  std::array<std::uint64_t, most_bulk> queue_bytes{};
  std::uint64_t rails_left_out = 0;
  std::uint64_t rails_back = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t staged_bytes = 0;
  std::uint64_t pushed_bytes = 0;
  std::uint64_t pushes_dropped = 0;
  std::uint64_t connections = 0;
  std::uint64_t promotions = 0;  // of peers to which messages went as datagrams
  std::uint64_t demotions = 0;
  std::uint64_t promotion_looks = 0;  // at connections, for one that is to end
  std::uint64_t interruptions = 0;    // connections that broke,
  std::uint64_t reconnections = 0;    // and that were made again
  std::uint64_t packets_again = 0;    // sent again then
  std::uint64_t doubts = 0;           // peers that another rank does not reach, looked at
  std::uint64_t handshakes_repeated = 0;
  std::uint64_t device_events = 0;
  std::uint64_t receives_low = 0;      // times that the shared receive queue ran low
  std::uint64_t credits_asked = 0;     // packets that asked peers for credits, and
  std::uint64_t credits_given_up = 0;  // credits that peers gave up
  std::uint64_t port_errors = 0;
  std::uint64_t handshakes_stale = 0;  // that came twice, or late
  // Packets that are not of this job, or make no sense.
  std::uint64_t packets_refused = 0;
};

/// With several rails, what each of them moved as well.
void report(const counters&, const registration_counters&, const datagram_counters&,
            const std::vector<device>& rails, std::vector<counter>& into);

}  // namespace peal::verbs
