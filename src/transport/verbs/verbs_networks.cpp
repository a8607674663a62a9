// Jobs that no network joins: a transport for each port that leads to some of the processes.
#include <algorithm>
#include <array>
#include <utility>

#include "base/log.hpp"
#include "transport/verbs/verbs_state.hpp"

namespace peal {

using namespace verbs;

verbs_transport::open_ports::open_ports(open_ports& all, std::uint8_t port, verbs::addresses over)
    : out{all.out},
      self{all.self},
      peers{all.peers},
      from{all.from},
      addresses{std::move(over)},
      told{all.told} {
  const std::size_t used = all.rails.size();
  rails.push_back(std::move(port < used ? all.rails[port] : all.spare[port - used]));
  doors.push_back(std::move(port < used ? all.doors[port] : all.spare_doors[port - used]));
  doors[0].port->moved(rails[0]);
}

verbs_transport::verbs_transport(std::unique_ptr<open_ports> on, bool cold)
    : transport{verbs::eager_limit}, open_ports_{std::move(on)} {
  begin(cold);
}

/// No network joins all: a transport for each port that leads to some.
void verbs_transport::split(bool cold) {
  log_info("each two ranks use the best network that both have, since no network joins all");
  state_.reset();
  const std::unique_ptr<open_ports> all = std::move(open_ports_);
  std::array<std::size_t, verbs::most_rails> peers_of{};
  for (peer_id each = 0; each < all->peers; ++each)
    if (const auto& how = all->addresses.ways()[each]; how && each != all->self)
      ++peers_of[how->own];
  const auto main =
      static_cast<std::uint8_t>(std::ranges::max_element(peers_of) - peers_of.begin());
  const auto part = [&](std::uint8_t port) {
    return std::make_unique<open_ports>(*all, port, all->addresses.over(port, port == main));
  };
  open_ports_ = part(main);
  std::array<std::uint8_t, verbs::most_rails> via{};
  for (std::uint8_t port = 0; port < all->addresses.own().rail_count; ++port) {
    if (port == main || peers_of[port] == 0) continue;
    further_.push_back(std::unique_ptr<verbs_transport>{new verbs_transport{part(port), cold}});
    via[port] = static_cast<std::uint8_t>(further_.size());
  }
  if (!further_.empty()) {
    via_.resize(all->peers);
    for (peer_id each = 0; each < all->peers; ++each)
      if (const auto& how = all->addresses.ways()[each]) via_[each] = via[how->own];
  }
  begin(cold);
}

/// What the ports of other networks have counted is added to what has the same name.
void verbs_transport::add_further(std::vector<counter>& into) const {
  std::vector<counter> more;
  for (const auto& each : further_) each->report(more);
  for (counter& each : more) {
    const auto same = std::ranges::find(into, each.name, &counter::name);
    if (same == into.end()) into.push_back(std::move(each));
    else same->value += each.value;
  }
}

}  // namespace peal
