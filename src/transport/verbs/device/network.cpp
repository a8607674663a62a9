#include "transport/verbs/device/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace peal::verbs {

namespace {

std::uint8_t bits_of(const rail_address& of) noexcept {
  if (of.link_layer == rail_address::infiniband) return 64;
  if (of.network_bits != 0) return of.network_bits;
  return is_ipv4(of.gid) ? 96 + 24 : 64;
}

gid_bytes prefix_of(const gid_bytes& gid, unsigned bits) noexcept {
  gid_bytes made{};
  for (unsigned bit = 0; bit < bits && bit < 128; ++bit)
    made[bit / 8] |= static_cast<std::uint8_t>(gid[bit / 8] & 0x80 >> bit % 8);
  return made;
}

bool share_partition(std::uint16_t one, std::uint16_t other) noexcept {
  if (one == 0 || other == 0) return true;  // not told
  return ((one ^ other) & partition_bits) == 0 && ((one | other) & full_member) != 0;
}

/// Two members of one partition of which neither is a full one.
bool limited_both(std::uint16_t one, std::uint16_t other) noexcept {
  return ((one ^ other) & partition_bits) == 0 && !share_partition(one, other);
}

std::string list_of(std::span<const rail_address> ports) {
  std::string all;
  for (const rail_address& each : ports) all += (all.empty() ? "" : ", ") + to_text(each);
  return all.empty() ? "no port" : all;
}

}  // namespace

void rail_address::set_name(const std::string& from) noexcept {
  name.fill('\0');
  std::copy_n(from.begin(), std::min(from.size(), name.size()), name.begin());
}

std::string to_text(const rail_address& of) {
  const std::string name{of.name.begin(), std::ranges::find(of.name, '\0')};
  const network in = network_of(of);
  const unsigned bits = in.bits;
  const bool v4 = is_ipv4(of.gid);
  std::string made = name.empty() ? "a port (" : name + " (";
  made += of.link_layer == rail_address::infiniband ? "InfiniBand "
          : (of.flags & rail_address::roce_v1) != 0 ? "RoCE v1 "
                                                    : "RoCE ";
  made +=
      fmt::format("{}/{}", to_text(of.link_layer == rail_address::infiniband ? in.prefix : of.gid),
                  v4 && bits >= 96 ? bits - 96 : bits);
  if (of.link_layer == rail_address::infiniband && of.pkey != 0)
    made += fmt::format(", P_Key {:#06x}", of.pkey);
  if (of.rate != 0) made += fmt::format(", {:g} Gb/s", of.rate / 10.0);
  return made + ")";
}

network network_of(const rail_address& of) noexcept {
  network made;
  made.link_layer = of.link_layer;
  made.bits = bits_of(of);
  made.prefix = prefix_of(of.gid, made.bits);
  if (of.link_layer == rail_address::infiniband) {
    made.partition = of.pkey & partition_bits;
    if (is_link_local(of.gid)) made.manager = of.manager;
  } else if ((of.flags & rail_address::roce_v1) != 0) {
    made.version = 1;
  }
  return made;
}

reach reach_of(const rail_address& one, const rail_address& other) noexcept {
  if (one.link_layer != other.link_layer) return reach::none;
  const network here = network_of(one), there = network_of(other);
  const bool local = is_link_local(one.gid), other_local = is_link_local(other.gid);
  if (one.link_layer == rail_address::infiniband) {
    if (!share_partition(one.pkey, other.pkey)) return reach::none;
    if (here.prefix == there.prefix)
      return here.manager == 0 || there.manager == 0 || here.manager == there.manager
                 ? reach::same_network
                 : reach::perhaps;
    return local || other_local ? reach::none : reach::perhaps;
  }
  if (here.version != there.version || is_ipv4(one.gid) != is_ipv4(other.gid)) return reach::none;
  if (here == there) return reach::same_network;
  return here.version == 1 || local || other_local ? reach::none : reach::perhaps;
}

std::vector<std::uint8_t> first_rails(const std::vector<std::span<const rail_address>>& everyone) {
  struct tally {
    std::size_t ranks = 0;   // that have a port there
    std::size_t places = 0;  // where it stands with them, summed up
    const rail_address* one = nullptr;
    std::size_t last = 0;  // the rank that was counted last, plus one
  };
  std::map<network, tally> all;
  for (std::size_t rank = 0; rank < everyone.size(); ++rank)
    for (std::size_t place = 0; place < everyone[rank].size(); ++place) {
      tally& found = all[network_of(everyone[rank][place])];
      if (found.last == rank + 1) continue;
      found.last = rank + 1;
      ++found.ranks;
      found.places += place;
      if (!found.one) found.one = &everyone[rank][place];
    }
  std::vector<std::uint8_t> chosen(everyone.size());
  if (all.empty()) return chosen;
  // Where both are the same the first in the order of networks, InfiniBand before Ethernet.
  const auto best = std::ranges::min_element(
      all, {}, [](const auto& each) { return std::tuple{~each.second.ranks, each.second.places}; });
  for (std::size_t rank = 0; rank < everyone.size(); ++rank) {
    const auto place_of = [&](auto fits) {
      return static_cast<std::size_t>(std::ranges::find_if(everyone[rank], fits) -
                                      everyone[rank].begin());
    };
    std::size_t place =
        place_of([&](const rail_address& each) { return network_of(each) == best->first; });
    for (const reach enough : {reach::same_network, reach::perhaps})
      if (place == everyone[rank].size())
        place = place_of(
            [&](const rail_address& each) { return reach_of(each, *best->second.one) == enough; });
    chosen[rank] = static_cast<std::uint8_t>(place == everyone[rank].size() ? 0 : place);
  }
  return chosen;
}

bool in_one_network(const std::vector<std::span<const rail_address>>& everyone,
                    const std::vector<std::uint8_t>& chosen) noexcept {
  std::optional<network> found;
  for (std::size_t rank = 0; rank < everyone.size(); ++rank) {
    if (everyone[rank].empty()) continue;
    const network its = network_of(everyone[rank][chosen[rank]]);
    if (found && its != *found) return false;
    found = its;
  }
  return true;
}

std::optional<way> way_between(std::span<const rail_address> own,
                               std::span<const rail_address> remote, bool lower) noexcept {
  if (!lower) {
    const std::optional<way> found = way_between(remote, own, true);
    return found ? std::optional{way{found->remote, found->own}} : std::nullopt;
  }
  using rank = std::tuple<reach, std::size_t, std::size_t>;
  std::optional<way> best;
  rank best_rank;
  for (std::size_t one = 0; one < own.size(); ++one)
    for (std::size_t other = 0; other < remote.size(); ++other) {
      const reach how = reach_of(own[one], remote[other]);
      // Both sides have their best port first.
      const rank its{how, one + other, one};
      if (how == reach::none || (best && best_rank <= its)) continue;
      best = way{static_cast<std::uint8_t>(one), static_cast<std::uint8_t>(other)};
      best_rank = its;
    }
  return best;
}

std::string no_network(std::span<const rail_address> own, std::span<const rail_address> remote) {
  std::string made =
      fmt::format("no network joins {} there and {} here", list_of(remote), list_of(own));
  for (const rail_address& one : own)
    for (const rail_address& other : remote) {
      if (one.link_layer != rail_address::infiniband || one.link_layer != other.link_layer ||
          share_partition(one.pkey, other.pkey))
        continue;
      return made + fmt::format(
                        "; the P_Keys {:#06x} and {:#06x} {}: ask the administrator of the subnet "
                        "manager, or choose a partition of both with PEAL_VERBS_PKEY",
                        other.pkey, one.pkey,
                        limited_both(one.pkey, other.pkey) ? "are of limited members both"
                                                           : "are of different partitions");
    }
  return made + "; choose ports of one network with PEAL_VERBS_DEVICE or PEAL_VERBS_GID";
}

}  // namespace peal::verbs
