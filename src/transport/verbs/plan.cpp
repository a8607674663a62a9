#include "transport/verbs/plan.hpp"

#include <algorithm>

#include "base/log.hpp"

namespace peal::verbs {

choice_wishes wishes_of(const verbs_settings& from) {
  choice_wishes made;
  made.device = from.device;
  if (from.gid >= 0) made.gid = from.gid;
  made.local_index = from.local_index;
  return made;
}

settings settings_of(const verbs_settings& from, const std::vector<device>& rails, std::uint32_t peers) {
  settings made;
  made.peers = peers;
  made.rendezvous = from.rendezvous == "read"    ? rendezvous_mode::read
                    : from.rendezvous == "write" ? rendezvous_mode::write
                    : from.rendezvous == "both"  ? rendezvous_mode::both
                                                 : rendezvous_mode::automatic;
  made.halves = cpus_for_halves::of(rails.front().soft_roce(), from.cpus, from.local_size);
  if (made.rendezvous == rendezvous_mode::automatic && !made.halves.any()) made.rendezvous = rendezvous_mode::read;
  const unsigned for_writes = made.rendezvous == rendezvous_mode::read ? 0 : 1;
  made.bulk = std::clamp<unsigned>(from.bulk + for_writes, 1, most_bulk);
  made.coalesce = from.coalesce;
  made.shared_receives = from.shared_receives;
  made.silence = from.silence;
  made.push = from.push;
  if (from.kept_pushes != 0) made.kept = from.kept_pushes;
  if (from.send_depth != 0) made.send_depth = from.send_depth;
  if (from.window != 0) made.window = from.window;
  return fitted(made, rails);
}

promotion_rules rules_of(const verbs_settings& from, const lane& shared, std::uint32_t peers) {
  promotion_rules made;
  const std::uint32_t room = most_connections(shared.rails, shared.set, from.local_size, shared.shared());
  made.most = std::min(from.most_connections, room);
  if (made.most < std::min(from.most_connections, peers - 1))
    log_info("{} has {} queue pairs for {} ranks of this node, and {} completions a queue: at most {} connections a rank", shared.on.name(),
             shared.on.limits().max_qp, from.local_size, shared.on.limits().max_cqe, room);
  made.after = from.promote;
  made.cold = from.always_promote || peers > made.most + 1;
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
    made.emplace_back(rails[each].name(), "/sys/class/infiniband", "port." + rails[each].name() + ".");
  return made;
}

}  // namespace peal::verbs
