#include "transport/verbs/device/device_choice.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "transport/verbs/device/network.hpp"

namespace peal::verbs {

namespace {

bool is_ipv4_mapped(const gid_bytes& gid) noexcept {
  constexpr std::array<std::uint8_t, 12> prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::equal(prefix.begin(), prefix.end(), gid.begin());
}

bool is_zero(const gid_bytes& gid) noexcept {
  return std::all_of(gid.begin(), gid.end(), [](std::uint8_t each) { return each == 0; });
}

bool is_link_local(const gid_bytes& gid) noexcept {
  return gid[0] == 0xfe && (gid[1] & 0xc0) == 0x80;
}

std::string names_of(const std::vector<port_facts>& ports) {
  std::string all;
  for (const port_facts& each : ports) all += (all.empty() ? "" : ", ") + each.name();
  return all;
}

bool is_named(const port_facts& port, std::string_view name) {
  return port.device == name || port.name() == name;
}

bool is_wanted(const port_facts& port, std::string_view wanted) {
  if (wanted.empty()) return true;
  if (wanted.front() != '^') return is_named(port, wanted);
  for (wanted.remove_prefix(1);;) {
    const auto comma = wanted.find(',');
    if (is_named(port, wanted.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    wanted.remove_prefix(comma + 1);
  }
}

/// Of the best port's rate: a far port of the full rate has more than a near one of less.
constexpr double least_rate_in_network = 0.5;

}  // namespace

gid_class class_of(const gid_entry& entry) noexcept {
  if (is_zero(entry.bytes)) return gid_class::empty;
  switch (entry.kind) {
    case gid_kind::infiniband: return gid_class::infiniband;
    case gid_kind::roce_v1: return gid_class::v1;
    case gid_kind::roce_v2: break;
  }
  if (is_ipv4_mapped(entry.bytes)) return gid_class::v2_ipv4;
  return is_link_local(entry.bytes) ? gid_class::v2_link_local : gid_class::v2_ipv6;
}

std::string_view to_text(gid_class which) noexcept {
  switch (which) {
    case gid_class::v2_ipv4: return "RoCE v2, IPv4";
    case gid_class::v2_ipv6: return "RoCE v2, IPv6";
    case gid_class::v2_link_local: return "RoCE v2, link-local";
    case gid_class::v1: return "RoCE v1";
    case gid_class::infiniband: return "InfiniBand";
    case gid_class::empty: break;
  }
  return "empty";
}

std::string to_text(const gid_bytes& gid) {
  char text[INET6_ADDRSTRLEN] = "";
  if (is_ipv4_mapped(gid)) inet_ntop(AF_INET, gid.data() + 12, text, sizeof text);
  else inet_ntop(AF_INET6, gid.data(), text, sizeof text);
  return text;
}

const gid_entry* best_gid(const port_facts& port) noexcept {
  const gid_entry* best = nullptr;
  for (const gid_entry& each : port.gids) {
    const gid_class mine = class_of(each);
    if (mine == gid_class::empty || (mine == gid_class::infiniband) == port.ethernet) continue;
    if (!best || mine < class_of(*best)) best = &each;
  }
  return best;
}

std::optional<gid_entry> gid_of(const port_facts& port, const choice_wishes& wishes) {
  if (!wishes.gid) {
    const gid_entry* best = best_gid(port);
    return best ? std::optional{*best} : std::nullopt;
  }
  const auto found = std::find_if(port.gids.begin(), port.gids.end(),
                                  [&](const gid_entry& each) { return each.index == *wishes.gid; });
  return found != port.gids.end() && class_of(*found) != gid_class::empty ? std::optional{*found}
                                                                          : std::nullopt;
}

std::vector<std::size_t> in_turn(const std::vector<port_facts>& ports,
                                 std::vector<std::size_t> among) {
  std::vector<std::size_t> order;
  while (!among.empty()) {
    std::vector<std::size_t> later;
    std::vector<std::string> seen;
    for (const std::size_t each : among) {
      const bool again = std::find(seen.begin(), seen.end(), ports[each].device) != seen.end();
      (again ? later : order).push_back(each);
      seen.push_back(ports[each].device);
    }
    among = std::move(later);
  }
  return order;
}

bool same_network(const gid_bytes& one, const gid_bytes& other, std::uint8_t bits) noexcept {
  if (is_ipv4_mapped(one) != is_ipv4_mapped(other)) return false;
  const unsigned endpoint = bits != 0 ? bits : is_ipv4_mapped(one) ? 96 + 24 : 64;
  for (unsigned bit = 0; bit < endpoint && bit < 128; ++bit)
    if (((one[bit / 8] ^ other[bit / 8]) >> (7 - bit % 8) & 1) != 0) return false;
  return true;
}

std::optional<std::uint16_t> pkey_index(const port_facts& port,
                                        std::optional<std::uint16_t> wanted) {
  if (port.pkeys.empty()) return wanted ? std::nullopt : std::optional<std::uint16_t>{0};
  const auto first = [&](auto fits) -> std::optional<std::uint16_t> {
    const auto found = std::ranges::find_if(port.pkeys, fits);
    if (found == port.pkeys.end()) return std::nullopt;
    return static_cast<std::uint16_t>(found - port.pkeys.begin());
  };
  if (wanted) {
    const auto same = [&](std::uint16_t each) { return ((each ^ *wanted) & partition_bits) == 0; };
    const auto full =
        first([&](std::uint16_t each) { return same(each) && (each & full_member) != 0; });
    return full ? full : first([&](std::uint16_t each) { return each != 0 && same(each); });
  }
  // The partition of everyone, where this port is a full member of it; else the first of which it
  // is one.
  if (const auto all = first([](std::uint16_t each) { return each == 0xffff; })) return all;
  const auto full = first([](std::uint16_t each) { return (each & full_member) != 0; });
  return full ? full : std::optional<std::uint16_t>{0};
}

std::vector<std::size_t> usable_ports(const std::vector<port_facts>& ports,
                                      const choice_wishes& wishes, std::string& problem) {
  const auto nothing = [&](std::string why) {
    problem = std::move(why);
    return std::vector<std::size_t>{};
  };
  if (ports.empty())
    return nothing(
        "this machine has no RDMA device (ibv_devinfo lists none): load its driver, or give the "
        "container /dev/infiniband");
  std::vector<std::size_t> able, wanted;
  for (std::size_t each = 0; each < ports.size(); ++each)
    if (is_wanted(ports[each], wishes.device)) wanted.push_back(each);
  if (wanted.empty())
    return nothing(wishes.device.front() == '^'
                       ? fmt::format("PEAL_VERBS_DEVICE={}: no other device is left; there are {}",
                                     wishes.device, names_of(ports))
                       : fmt::format("PEAL_VERBS_DEVICE={}: there is no such device; there are {}",
                                     wishes.device, names_of(ports)));
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(able),
               [&](std::size_t each) { return ports[each].active; });
  if (able.empty())
    return nothing(fmt::format(
        "no port of {} is active: is the cable in, is the interface up (ip link), does "
        "a subnet manager run?",
        wishes.device.empty() || wishes.device.front() == '^' ? names_of(ports) : wishes.device));
  std::erase_if(able, [&](std::size_t each) { return !gid_of(ports[each], wishes); });
  if (able.empty()) {
    if (wishes.gid)
      return nothing(
          fmt::format("PEAL_VERBS_GID={}: no active port has a GID with that index", *wishes.gid));
    return nothing(
        "no active port has a usable GID: give its network interface an address (ip addr add)");
  }
  // RoCE has one partition.
  const auto has_pkey = [&](std::size_t each) {
    return ports[each].ethernet || pkey_index(ports[each], wishes.fabric.pkey);
  };
  if (std::ranges::none_of(able, has_pkey)) {
    std::string there;
    for (const std::size_t each : able)
      for (const std::uint16_t key : ports[each].pkeys)
        if (key != 0) there += fmt::format("{}{:#06x}", there.empty() ? "" : ", ", key);
    return nothing(
        fmt::format("PEAL_VERBS_PKEY={:#06x}: no active port is a member of that "
                    "partition; their P_Keys are {}",
                    *wishes.fabric.pkey, there.empty() ? "not told" : there));
  }
  std::erase_if(able, [&](std::size_t each) { return !has_pkey(each); });
  return able;
}

namespace {

/// Of the ports of one network, in the order of the list: whose turn it is, and why.
choice pick(const std::vector<port_facts>& ports, const choice_wishes& wishes,
            std::vector<std::size_t> among, std::vector<skipped_port>& skipped) {
  const auto skip = [&](auto which, std::string_view why) {
    std::erase_if(among, [&](std::size_t each) {
      if (!which(each)) return false;
      skipped.push_back({each, std::string{why}});
      return true;
    });
  };
  const auto rate = [&](std::size_t each) { return ports[each].gigabits; };
  // A far port costs part of the rate, a slow one the rest of it.
  const double best = rate(std::ranges::max(among, {}, rate));
  skip([&](std::size_t each) { return rate(each) < best * least_rate_in_network; },
       "another port of its network is more than twice as fast");
  // Two ports of one subnet never share a LID: these are two fabrics of the default prefix, and
  // nobody can tell which port of another node is in which. All ranks take the first.
  std::map<std::uint16_t, int> lids;
  for (const std::size_t each : among)
    if (!ports[each].ethernet && ports[each].lid != 0) ++lids[ports[each].lid];
  const bool two_fabrics =
      std::ranges::any_of(lids, [](const auto& each) { return each.second > 1; });
  const bool any_near =
      std::ranges::any_of(among, [&](std::size_t each) { return ports[each].near; });
  if (two_fabrics) {
    std::ranges::stable_sort(among, [&](auto a, auto b) {
      return std::tuple{-rate(a), ports[a].name()} < std::tuple{-rate(b), ports[b].name()};
    });
    const std::size_t first = among.front();
    skip([&](std::size_t each) { return each != first; },
         "it is in another fabric with the default prefix, which looks the same: give the fabrics "
         "prefixes of their own, or choose with PEAL_VERBS_DEVICE");
  } else {
    if (any_near)
      skip([&](std::size_t each) { return !ports[each].near; }, "a near port goes first");
    const double fastest = rate(std::ranges::max(among, {}, rate));
    skip([&](std::size_t each) { return rate(each) < fastest; }, "a faster port goes first");
  }
  const auto class_at = [&](std::size_t each) { return class_of(*gid_of(ports[each], wishes)); };
  const gid_class kind = class_at(std::ranges::min(among, {}, class_at));
  skip([&](std::size_t each) { return class_at(each) != kind; }, "another port has a better GID");
  const std::vector<std::size_t> order = in_turn(ports, among);
  choice made;
  made.port = order[wishes.local_index % order.size()];
  made.gid = *gid_of(ports[made.port], wishes);
  made.reason = fmt::format(
      "{}, {}{}{}",
      !wishes.device.empty() && wishes.device.front() != '^' ? "asked for by PEAL_VERBS_DEVICE"
      : any_near                                             ? "near"
                                                             : "active",
      to_text(kind), best > 0 ? fmt::format(", {:g} Gb/s", rate(made.port)) : "",
      order.size() > 1 ? fmt::format(", one of {} equally good", order.size()) : "");
  for (const std::size_t each : order)
    if (each != made.port)
      skipped.push_back({each, "equally good: other ranks of the node use it"});
  return made;
}

}  // namespace

ports_by_network choose_in_each_network(const std::vector<port_facts>& ports,
                                        const choice_wishes& wishes) {
  ports_by_network made;
  std::map<network, std::vector<std::size_t>> networks;
  for (const std::size_t each : usable_ports(ports, wishes, made.problem))
    networks[network_of(address_of(ports[each], *gid_of(ports[each], wishes), wishes))].push_back(
        each);
  for (const auto& [in, among] : networks)
    made.chosen.push_back(pick(ports, wishes, among, made.skipped));
  const auto worth = [&](const choice& each) {
    const port_facts& port = ports[each.port];
    return std::tuple{port.ethernet, -port.gigabits, class_of(each.gid), !port.near};
  };
  std::ranges::stable_sort(made.chosen, {}, worth);
  for (std::size_t each = 1; each < made.chosen.size(); ++each)
    made.chosen[each].role = choice_role::instead;
  for (; made.chosen.size() > most_rails; made.chosen.pop_back())
    made.skipped.push_back(
        {made.chosen.back().port, fmt::format("{} other networks go first", most_rails)});
  return made;
}

choice_result choose(const std::vector<port_facts>& ports, const choice_wishes& wishes) {
  ports_by_network made = choose_in_each_network(ports, wishes);
  if (made.chosen.empty()) return {{}, std::move(made.problem)};
  return {std::move(made.chosen.front()), {}};
}

rail_address address_of(const port_facts& port, const gid_entry& gid, const choice_wishes& wishes) {
  rail_address made;
  made.gid = gid.bytes;
  made.network_bits = gid.network_bits;
  made.link_layer = port.ethernet ? rail_address::ethernet : rail_address::infiniband;
  if (gid.kind == gid_kind::roce_v1) made.flags |= rail_address::roce_v1;
  if (port.needs_grh) made.flags |= rail_address::needs_grh;
  made.rate = static_cast<std::uint16_t>(std::clamp(port.gigabits * 10, 0.0, 65535.0));
  made.set_name(port.name());
  if (port.ethernet) return made;
  made.lid = port.lid;
  made.manager = port.manager;
  const auto key = pkey_index(port, wishes.fabric.pkey);
  if (key && *key < port.pkeys.size()) made.pkey = port.pkeys[*key];
  return made;
}

}  // namespace peal::verbs
