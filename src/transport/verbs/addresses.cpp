#include "transport/verbs/addresses.hpp"

#include <algorithm>

namespace peal::verbs {

addresses::addresses(peer_id self, const std::vector<device>& rails) : self_{self} {
  own_.rail_count = static_cast<std::uint8_t>(rails.size());
  for (std::size_t each = 0; each < rails.size(); ++each) own_.rails[each] = rails[each].address();
  own_.incarnation = random_word();
  own_.job = random_secret();
}

namespace {

/// Which rail of this address, as it was told, is to stand where.
std::vector<std::uint8_t> order_of(const address& of, std::uint8_t first) {
  std::vector<std::uint8_t> made{first};
  for (const bool parts : {true, false})
    for (std::uint8_t each = 0; each < of.rail_count; ++each)
      if (each != first && parts == ((of.rails[each].flags & rail_address::carries_parts) != 0))
        made.push_back(each);
  return made;
}

void put_in_order(address& of, const std::vector<std::uint8_t>& order) {
  const auto before = of.rails;
  of.spare_count = 0;
  for (std::size_t each = 0; each < order.size(); ++each) {
    of.rails[each] = before[order[each]];
    if (each > 0 && (of.rails[each].flags & rail_address::carries_parts) == 0) ++of.spare_count;
  }
}

}  // namespace

/// Whether some are reached best by other ports than all have chosen together. Each pair finds the
/// same on both sides, whatever others of its row say.
bool addresses::find_ways(const std::vector<std::span<const rail_address>>& told,
                          const std::vector<std::uint8_t>& chosen) {
  const bool one_network = in_one_network(told, chosen);
  bool differs = false;
  for (std::size_t each = 0; each < told.size(); ++each) {
    ways_.push_back(way_between(own_.told(), told[each], self_ < each));
    if (each == self_ || !ways_.back()) continue;
    const way& best = *ways_.back();
    const bool same = best.own == chosen[self_] && best.remote == chosen[each];
    differs |= !same && (!one_network || reach_of(own_.told()[chosen[self_]],
                                                  told[each][chosen[each]]) == reach::none);
  }
  if (!differs) ways_.clear();
  return differs;
}

std::vector<std::uint8_t> addresses::meet(std::vector<std::optional<address>> everyone) {
  everyone_ = std::move(everyone);
  const auto first = std::ranges::find_if(
      everyone_, [](const std::optional<address>& each) { return each.has_value(); });
  job_ = first == everyone_.end() ? own_.job : (*first)->job;
  proof_.emplace(job_);
  own_.handshake_key = proof_->queue_key(self_, own_.incarnation);
  for (peer_id each = 0; each < everyone_.size(); ++each)
    if (address* const known = everyone_[each] ? &*everyone_[each] : nullptr)
      known->handshake_key = proof_->queue_key(each, known->incarnation);
  std::vector<std::span<const rail_address>> told;
  told.reserve(everyone_.size());
  for (const std::optional<address>& each : everyone_)
    told.push_back(each ? each->told() : std::span<const rail_address>{});
  const std::vector<std::uint8_t> chosen = first_rails(told);
  if (find_ways(told, chosen)) return order_of(own_, 0);
  for (std::size_t each = 0; each < everyone_.size(); ++each)
    if (everyone_[each]) put_in_order(*everyone_[each], order_of(*everyone_[each], chosen[each]));
  std::vector<std::uint8_t> own = order_of(own_, self_ < chosen.size() ? chosen[self_] : 0);
  put_in_order(own_, own);
  return own;
}

addresses addresses::over(std::uint8_t own_port, bool main) const {
  addresses made = *this;
  const auto use_only = [](address& of, std::uint8_t port) {
    put_in_order(of, order_of(of, port));
    of.spare_count = static_cast<std::uint8_t>(of.rail_count - 1);
  };
  use_only(made.own_, own_port);
  for (std::size_t each = 0; each < everyone_.size(); ++each) {
    const bool here = ways_[each] ? ways_[each]->own == own_port : main;
    if (!here) made.everyone_[each].reset();
    else if (made.everyone_[each])
      use_only(*made.everyone_[each], ways_[each] ? ways_[each]->remote : std::uint8_t{0});
  }
  return made;
}

std::vector<rail_pair> addresses::links_to(peer_id which) const {
  return match_rails(own_.used(), of(which)->used(), self_ < which);
}

bool addresses::moved(std::uint8_t own_rail, const rail_address& now) noexcept {
  rail_address& known = own_.rails[own_rail];
  if (known.gid == now.gid && known.lid == now.lid) return false;
  known.gid = now.gid;
  known.lid = now.lid;
  return true;
}

bool addresses::moved(peer_id which, const std::array<rail_place, most_rails>& now) noexcept {
  address& known = *everyone_[which];
  bool news = false;
  for (std::size_t each = 0; each < known.used().size(); ++each) {
    rail_address& rail = known.rails[each];
    if (rail.gid == now[each].gid && rail.lid == now[each].lid) continue;
    if (rail.gid != now[each].gid) rail.door = 0;  // it is where the port was
    rail.gid = now[each].gid;
    rail.lid = now[each].lid;
    news = true;
  }
  return news;
}

}  // namespace peal::verbs
