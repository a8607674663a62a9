#include "transport/verbs/setup/configuration.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "transport/verbs/datagram/interface.hpp"

namespace peal::verbs {

namespace {

/// For one connection with a small window, and messages on their way out.
constexpr std::size_t fewest_slabs = 4;

}  // namespace

std::size_t slots_within(std::size_t pinned, const device& on, unsigned ranks_of_node,
                         std::uint32_t peers) noexcept {
  constexpr std::size_t slab = slot_pool::per_slab;
  const std::size_t port = port_plan::for_messages(on, ranks_of_node, peers, pinned).bytes();
  return std::max(pinned > port ? (pinned - port) / (slab * slot_bytes) : 0, fewest_slabs) * slab;
}

choice_wishes wishes_of(const verbs_settings& from, unsigned local_index) {
  choice_wishes made;
  made.device = from.device;
  if (from.gid) made.gid = static_cast<int>(*from.gid);
  made.local_index = local_index;
  made.fabric.service_level = static_cast<std::uint8_t>(from.service_level);
  made.fabric.traffic_class = static_cast<std::uint8_t>(from.traffic_class);
  made.fabric.hop_limit = static_cast<std::uint8_t>(from.hop_limit);
  made.fabric.pkey = from.pkey;
  if (from.mtu) made.fabric.mtu = static_cast<int>(*from.mtu);
  return made;
}

choice_wishes wishes_of(const verbs_options& from) { return wishes_of(from.set, from.local_index); }

settings settings_of(const verbs_options& from, const std::vector<device>& rails,
                     std::uint32_t peers) {
  settings made;
  static_cast<verbs_settings&>(made) = from.set;
  made.peers = peers;
  made.halves = cpus_for_halves::of(rails.front().soft_roce(), from.cpus, from.local_size);
  if (made.rendezvous == rendezvous_mode::automatic && !made.halves.any())
    made.rendezvous = rendezvous_mode::read;
  made.writes = made.rendezvous != rendezvous_mode::read;
  // A message over Soft-RoCE costs a CPU its packets, over however many queue pairs they go.
  const bool soft = rails.front().soft_roce();
  made.readers = static_cast<unsigned>(made.qps.value_or(1));
  made.most_readers = made.qps || soft ? made.readers : most_readers;
  made.bulk = made.readers + (made.writes ? 1 : 0);
  for (const device& each : rails)
    made.most_pairs =
        std::min(made.most_pairs, static_cast<std::size_t>(std::max(each.limits().max_qp, 0)) /
                                      std::max(from.local_size, 1u));
  made.most_connections = std::min<std::size_t>(peers - 1, made.max_rc);
  // An adapter fetches all of a message by itself, and copies nothing.
  made.most_pushed = made.push.value_or(soft ? usual_push : 0);
  // On Soft-RoCE each READ has packets of its own, which cost more than to pack.
  made.least_block = made.blocks.value_or(soft ? 0 : usual_blocks);
  if (from.nanoseconds) made.nanoseconds = from.nanoseconds;
  made.until_return = from.until_return;
  if (from.kept_pushes != 0) made.kept = from.kept_pushes;
  if (from.send_depth != 0) made.send_depth = from.send_depth;
  if (from.window != 0) made.window = from.window;
  made.slots = slots_within(from.set.pinned, rails.front(), from.local_size, peers);
  return fitted(made, rails);
}

promotion_rules rules_of(const verbs_options& from, const endpoint& endpoint, std::uint32_t peers) {
  promotion_rules made;
  const std::uint32_t room =
      most_connections(endpoint.rails, endpoint.set, from.local_size, endpoint.shared());
  const auto max_rc = static_cast<std::uint32_t>(from.set.max_rc);
  made.max_rc = std::min(max_rc, room);
  if (made.max_rc < std::min(max_rc, peers - 1))
    log_info(
        "{} has {} queue pairs for {} ranks of this node, and {} completions a queue: at most {} "
        "connections a rank",
        endpoint.on.name(), endpoint.on.limits().max_qp, from.local_size,
        endpoint.on.limits().max_cqe, room);
  made.promote = static_cast<std::uint32_t>(from.set.promote.value_or(usual_promote));
  made.cold = from.set.promote.has_value() || peers > made.max_rc + 1;
  return made;
}

std::vector<ibv_pd*> domains_of(const std::vector<device>& rails) {
  std::vector<ibv_pd*> made;
  for (const device& each : rails) made.push_back(each.domain());
  return made;
}

std::vector<port_counters> ports_of(const std::vector<device>& rails) {
  std::vector<port_counters> made{port_counters{rails.front().name()}};
  for (std::size_t each = 1; each < rails.size(); ++each)
    made.emplace_back(rails[each].name(), "/sys/class/infiniband",
                      "port." + rails[each].name() + ".");
  return made;
}

}  // namespace peal::verbs
