#include "transport/verbs/endpoint/counters.hpp"

#include <fmt/format.h>

#include "transport/verbs/datagram/interface.hpp"
#include "transport/verbs/device/interface.hpp"

namespace peal::verbs {

void report(const counters& from, const registration_counters& of_cache,
            const datagram_counters& of_mail, const std::vector<device>& rails,
            std::vector<counter>& into) {
  const auto add = [&](const char* name, std::uint64_t value, std::string_view meaning) {
    into.push_back({name, value, meaning});
  };
  add("verbs.messages", from.messages, "eager messages and announcements sent");
  add("verbs.requests", from.requests,
      "work requests that sent them: several messages may share one");
  add("verbs.doorbells", from.doorbells,
      "posts that rang a doorbell for them: several work requests may share one");
  add("verbs.controls", from.controls,
      "doorbells of what is no message: credits returned by themselves, signs of life, ends");
  add("verbs.signaled", from.signaled, "work requests that asked for a completion");
  add("verbs.eager_bytes", from.eager_bytes, "bytes sent with their envelopes");
  add("verbs.reads", from.reads, "RDMA READs of large messages");
  add("verbs.read_doorbells", from.read_doorbells, "posts that rang a doorbell for READs");
  add("verbs.read_bytes", from.read_bytes, "bytes fetched by READ");
  add("verbs.writes", from.writes, "RDMA WRITEs of large messages");
  add("verbs.write_bytes", from.write_bytes,
      "bytes of large messages written into their receivers' memory");
  for (std::size_t each = 0; each < from.queue_bytes.size(); ++each)
    into.push_back(
        {fmt::format("verbs.queue_bytes.{}", each), from.queue_bytes[each],
         "bytes of large messages read or written over the bulk queue pairs of this number"});
  add("verbs.block_bytes", from.block_bytes,
      "bytes of large messages read from where their blocks lie, or put there, without packing");
  add("verbs.staged_bytes", from.staged_bytes,
      "bytes of large messages sent through slots, since their memory could not be registered");
  add("verbs.pushed_bytes", from.pushed_bytes,
      "bytes of large messages sent behind their announcements, unasked");
  add("verbs.pushes_dropped", from.pushes_dropped,
      "beginnings of large messages that came before they were wanted, and found no room");
  add("verbs.connections", from.connections, "connections made");
  add("verbs.promotions", from.promotions,
      "connections made to peers to which messages had gone as datagrams");
  add("verbs.demotions", from.demotions, "connections that were ended for others");
  add("verbs.promotion_looks", from.promotion_looks,
      "connections looked at to find those that are used least");
  add("verbs.interruptions", from.interruptions, "connections that broke");
  add("verbs.reconnections", from.reconnections, "connections that broke and were made again");
  add("verbs.doubts", from.doubts,
      "looks at the way to a peer since another rank said that it does not reach it");
  add("verbs.packets_again", from.packets_again,
      "packets sent again over connections that were made again");
  add("verbs.handshakes_repeated", from.handshakes_repeated, "handshake packets sent again");
  add("verbs.handshakes_stale", from.handshakes_stale,
      "handshake packets dropped since they came twice, or later than one that was sent after "
      "them");
  add("verbs.packets_refused", from.packets_refused,
      "packets dropped: of another job, forged, or senseless");
  add("verbs.registrations", of_cache.registered, "memory regions registered");
  add("verbs.registration_hits", of_cache.hits, "uses of a region that was registered already");
  add("verbs.registrations_evicted", of_cache.evicted,
      "unused regions that were given up to make room for others");
  add("verbs.registrations_forgotten", of_cache.forgotten,
      "regions that were given up since their memory went away");
  add("verbs.datagrams", of_mail.packets, "packets of messages to peers without a connection");
  add("verbs.datagram_bytes", of_mail.bytes, "bytes in them");
  add("verbs.datagram_messages", of_mail.messages, "messages in them");
  add("verbs.datagrams_repeated", of_mail.repeated, "such packets sent again");
  add("verbs.acknowledgements", of_mail.acknowledgements,
      "acknowledgements of such packets that went by themselves");
  std::uint64_t wakeups = 0, without_locks = 0, thread_domains = 0;
  for (const device& each : rails) {
    wakeups += each.channel().events();
    without_locks += each.channel().without_locks();
    if (each.posts_without_locks()) ++thread_domains;
  }
  add("verbs.queues_without_locks", without_locks,
      "completion queues that are polled without locks, since the device could do without");
  add("verbs.thread_domains", thread_domains,
      "devices whose queues take no locks when something is posted, since they could do without");
  add("verbs.wakeups", wakeups, "times that completions woke this process, or would have");
  add("verbs.device_events", from.device_events,
      "what devices told unasked, of queue pairs and ports");
  add("verbs.port_errors", from.port_errors, "times that a port went down");
  add("verbs.receives_low", from.receives_low,
      "times that the device told that its shared receive queue ran low");
  add("verbs.credits_asked", from.credits_asked,
      "packets that asked an idle peer to give up credits, for others");
  add("verbs.credits_given_up", from.credits_given_up, "credits that peers gave up");
  if (rails.size() == 1) return;
  for (std::size_t each = 0; each < rails.size(); ++each)
    into.push_back({fmt::format("verbs.rail_bytes.{}", rails[each].name()), from.rail_bytes[each],
                    "bytes of large messages read or written over this device"});
  add("verbs.rails_left_out", from.rails_left_out,
      "devices given up on the way to a peer, since they failed; counted for each peer");
  add("verbs.rails_back", from.rails_back, "devices that are used again on the way to a peer");
}

}  // namespace peal::verbs
