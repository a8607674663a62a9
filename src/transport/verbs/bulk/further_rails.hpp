// transport/verbs/bulk/further_rails.hpp
// The rails besides the first: completions of what moves over them, and what happens when one of
// them fails.
//
// A link consists of the queue pairs of one rail to one peer. A link that fails is left out, until
// it comes back (connect/pairs/link_returns.hpp). Its queue pairs are destroyed, so that nothing
// late is read or written over it; what was under way moves again over the other links; and the
// peer is told over the first rail. The peer leaves the link out too: so it does not take a payload
// for complete while an old WRITE may still be on its way. When the link that carries the messages
// fails the connection breaks.
//
// Layer    transport/verbs.
// Threads  one at a time.
// Errors   a link that fails is logged, and counted.
#pragma once

#include "transport/verbs/bulk/fetcher.hpp"
#include "transport/verbs/bulk/payload_header.hpp"
#include "transport/verbs/bulk/writer.hpp"
#include "transport/verbs/eager/interface.hpp"
#include "transport/verbs/peer_events.hpp"

namespace peal::verbs {

class connections;

class further_rails {
 public:
  further_rails(endpoint& endpoint, connections& connections, sender& out, fetcher& reads,
                writer& writes, peer_events& told)
      : endpoint_{endpoint},
        connections_{connections},
        sender_{out},
        fetcher_{reads},
        writer_{writes},
        events_{told} {}

  /// Takes completions, tells peers of links that were left out. True when something moved.
  bool poll() noexcept;
  /// The link of this queue pair failed. Not for the first one.
  void failed(connection&, const bulk_queue&, const char* cause) noexcept;
  /// The peer has left this link out.
  void told(connection&, std::uint32_t link) noexcept;

 private:
  void leave_out(connection&, std::uint32_t link) noexcept;
  [[nodiscard]] bool take(const ibv_wc&, std::uint8_t rail) noexcept;
  [[nodiscard]] bool tell() noexcept;

  endpoint& endpoint_;
  connections& connections_;
  sender& sender_;
  fetcher& fetcher_;
  writer& writer_;
  peer_events& events_;
};

}  // namespace peal::verbs
