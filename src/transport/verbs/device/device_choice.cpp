#include "transport/verbs/device/device_choice.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>

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

bool is_wanted(const port_facts& port, const std::string& wanted) {
  return wanted.empty() || port.device == wanted || port.name() == wanted;
}

choice_result nothing(std::string problem) { return {{}, std::move(problem)}; }

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

choice_result choose(const std::vector<port_facts>& ports, const choice_wishes& wishes) {
  if (ports.empty())
    return nothing(
        "this machine has no RDMA device (ibv_devinfo lists none): load its driver, or give the "
        "container /dev/infiniband");
  std::vector<std::size_t> able, wanted;
  for (std::size_t each = 0; each < ports.size(); ++each)
    if (is_wanted(ports[each], wishes.device)) wanted.push_back(each);
  if (wanted.empty())
    return nothing(fmt::format("PEAL_VERBS_DEVICE={}: there is no such device; there are {}",
                               wishes.device, names_of(ports)));
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(able),
               [&](std::size_t each) { return ports[each].active; });
  if (able.empty())
    return nothing(
        fmt::format("no port of {} is active: is the cable in, is the interface up (ip link), does "
                    "a subnet manager run?",
                    wishes.device.empty() ? names_of(ports) : wishes.device));
  std::erase_if(able, [&](std::size_t each) { return !gid_of(ports[each], wishes); });
  if (able.empty()) {
    if (wishes.gid)
      return nothing(
          fmt::format("PEAL_VERBS_GID={}: no active port has a GID with that index", *wishes.gid));
    return nothing(
        "no active port has a usable GID: give its network interface an address (ip addr add)");
  }
  const bool any_near =
      std::any_of(able.begin(), able.end(), [&](std::size_t each) { return ports[each].near; });
  if (any_near) std::erase_if(able, [&](std::size_t each) { return !ports[each].near; });
  // Kinds of GID are not mixed among equals: the best that any port has.
  const auto class_at = [&](std::size_t each) { return class_of(*gid_of(ports[each], wishes)); };
  const gid_class best = class_at(*std::min_element(
      able.begin(), able.end(), [&](auto a, auto b) { return class_at(a) < class_at(b); }));
  std::erase_if(able, [&](std::size_t each) { return class_at(each) != best; });
  const std::vector<std::size_t> order = in_turn(ports, able);
  choice made;
  made.port = order[wishes.local_index % order.size()];
  made.gid = *gid_of(ports[made.port], wishes);
  made.reason = fmt::format(
      "{}, {}{}",
      !wishes.device.empty() ? "asked for by PEAL_VERBS_DEVICE"
      : any_near             ? "near"
                             : "active",
      to_text(best), order.size() > 1 ? fmt::format(", one of {} equally good", order.size()) : "");
  return {std::move(made), {}};
}

}  // namespace peal::verbs
