// transport/verbs/setup/configuration.hpp
// What the devices allow of what the user has set, as the settings that are used.
//
// Layer    transport/verbs. Control path only.
// Threads  any.
// Errors   none.
#pragma once

#include <cstdint>
#include <vector>

#include "transport/verbs/connect/interface.hpp"
#include "transport/verbs/device/interface.hpp"
#include "transport/verbs/endpoint/interface.hpp"
#include "transport/verbs/verbs_transport.hpp"

namespace peal::verbs {

/// `local_index`: of the rank on its node.
choice_wishes wishes_of(const verbs_settings&, unsigned local_index);
choice_wishes wishes_of(const verbs_options&);

/// What was asked for, as far as the devices go.
settings settings_of(const verbs_options&, const std::vector<device>& rails, std::uint32_t peers);

/// Slots for messages that find room in so many bytes of pinned memory, beside a port for
/// datagrams.
std::size_t slots_within(std::size_t pinned, const device&, unsigned ranks_of_node,
                         std::uint32_t peers) noexcept;

/// How many of so many peers are connected, and when: what the devices have is shared out among the
/// ranks of the node.
promotion_rules rules_of(const verbs_options&, const endpoint&, std::uint32_t peers);

// Of each rail.
std::vector<ibv_pd*> domains_of(const std::vector<device>& rails);
std::vector<port_counters> ports_of(const std::vector<device>& rails);

}  // namespace peal::verbs
