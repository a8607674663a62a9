#include "transport/verbs/device/inventory.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <hwloc.h>
#include <hwloc/openfabrics-verbs.h>
#include <ifaddrs.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "topology/machine.hpp"
#include "transport/verbs/device/device.hpp"

namespace peal::verbs {

namespace {

/// Whether hwloc finds the device beside cores that this process may use; true where the system
/// does not say.
bool is_near(const machine& here, ibv_device* which) {
  hwloc_bitmap_t cores = hwloc_bitmap_alloc();
  const int told = hwloc_ibv_get_device_cpuset(here.handle(), which, cores);
  const bool near =
      told != 0 || hwloc_bitmap_iszero(cores) ||
      std::any_of(here.cores().begin(), here.cores().end(), [&](const std::vector<int>& core) {
        return hwloc_bitmap_isset(cores, static_cast<unsigned>(core.front()));
      });
  hwloc_bitmap_free(cores);
  return near;
}

/// How many bits of this GID name a network: its interface's address tells. 0: no interface has it.
std::uint8_t network_bits_of(const ifaddrs* interfaces, const gid_bytes& gid) noexcept {
  for (const ifaddrs* each = interfaces; each; each = each->ifa_next) {
    if (!each->ifa_addr || !each->ifa_netmask) continue;
    gid_bytes address{}, mask{};
    unsigned before = 0;
    if (each->ifa_addr->sa_family == AF_INET) {
      before = 96;
      address[10] = address[11] = 0xff;
      std::memcpy(address.data() + 12,
                  &reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr, 4);
      std::memcpy(mask.data() + 12,
                  &reinterpret_cast<const sockaddr_in*>(each->ifa_netmask)->sin_addr, 4);
    } else if (each->ifa_addr->sa_family == AF_INET6) {
      std::memcpy(address.data(), &reinterpret_cast<const sockaddr_in6*>(each->ifa_addr)->sin6_addr,
                  16);
      std::memcpy(mask.data(), &reinterpret_cast<const sockaddr_in6*>(each->ifa_netmask)->sin6_addr,
                  16);
    }
    if (address != gid) continue;
    for (const std::uint8_t byte : mask) before += static_cast<unsigned>(std::popcount(byte));
    return static_cast<std::uint8_t>(before);
  }
  return 0;
}

std::vector<gid_entry> gids_of(ibv_context* context, int port, const ibv_port_attr& attributes) {
  ifaddrs* interfaces = nullptr;
  if (getifaddrs(&interfaces) != 0) interfaces = nullptr;
  const handle<ifaddrs, freeifaddrs> listed{interfaces};
  std::vector<ibv_gid_entry> table(static_cast<std::size_t>(std::max(attributes.gid_tbl_len, 0)));
  std::vector<gid_entry> found;
  const ssize_t count = ibv_query_gid_table(context, table.data(), table.size(), 0);
  for (ssize_t each = 0; each < count; ++each) {
    const ibv_gid_entry& entry = table[static_cast<std::size_t>(each)];
    if (entry.port_num != static_cast<std::uint32_t>(port)) continue;
    gid_entry made;
    made.index = static_cast<int>(entry.gid_index);
    made.kind = kind_of(entry);
    std::memcpy(made.bytes.data(), entry.gid.raw, made.bytes.size());
    made.network_bits = network_bits_of(interfaces, made.bytes);
    made.interface = entry.ndev_ifindex;
    found.push_back(made);
  }
  return found;
}

/// By index, without what is empty behind the last one.
std::vector<std::uint16_t> pkeys_of(ibv_context* context, int port,
                                    const ibv_port_attr& attributes) {
  std::vector<std::uint16_t> found;
  for (int each = 0; each < attributes.pkey_tbl_len; ++each) {
    std::uint16_t key = 0;
    if (ibv_query_pkey(context, static_cast<std::uint8_t>(port), each, &key) != 0) break;
    found.push_back(ntohs(key));
  }
  while (!found.empty() && found.back() == 0) found.pop_back();
  return found;
}

constexpr int bytes_of(ibv_mtu mtu) noexcept {
  return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096 ? 128 << mtu : 0;
}

// The codes of a port's width and speed: InfiniBand specification, 14.2.5.6 (PortInfo), the data
// rate of an endpoint without its coding.
double gigabits_of(const ibv_port_attr& port) noexcept {
  int lanes = 0;
  switch (port.active_width) {
    case 1: lanes = 1; break;
    case 2: lanes = 4; break;
    case 4: lanes = 8; break;
    case 8: lanes = 12; break;
    case 16: lanes = 2; break;
    default: break;
  }
  switch (port.active_speed) {
    case 1: return 2.5 * lanes;
    case 2: return 5.0 * lanes;
    case 4:
    case 8: return 10.0 * lanes;
    case 16: return 14.0 * lanes;
    case 32: return 25.0 * lanes;
    case 64: return 50.0 * lanes;
    case 128: return 100.0 * lanes;
    default: return 0;
  }
}

std::string_view name_of(ibv_port_state state) noexcept {
  switch (state) {
    case IBV_PORT_DOWN: return "down";
    case IBV_PORT_INIT: return "waits for its subnet manager";
    case IBV_PORT_ARMED: return "armed";
    case IBV_PORT_ACTIVE: return "active";
    case IBV_PORT_ACTIVE_DEFER: return "active, deferred";
    default: return "in an unknown state";
  }
}

port_report report_port(ibv_context* context, int port, const ibv_port_attr& attributes) {
  port_report made;
  made.port = port;
  made.active = attributes.state == IBV_PORT_ACTIVE;
  made.ethernet = attributes.link_layer == IBV_LINK_LAYER_ETHERNET;
  made.gids = gids_of(context, port, attributes);
  made.state = name_of(attributes.state);
  made.mtu = bytes_of(attributes.active_mtu);
  made.most_mtu = bytes_of(attributes.max_mtu);
  made.lid = attributes.lid;
  made.manager = attributes.sm_lid;
  made.lmc = attributes.lmc;
  made.needs_grh = (attributes.flags & IBV_QPF_GRH_REQUIRED) != 0;
  made.pkeys = pkeys_of(context, port, attributes);
  made.gigabits = gigabits_of(attributes);
  made.longest_message = attributes.max_msg_sz;
  return made;
}

device_report report_device(const machine& here, ibv_device* which) {
  device_report made;
  made.name = ibv_get_device_name(which);
  const handle<ibv_context, ibv_close_device> opened{ibv_open_device(which)};
  ibv_device_attr limits{};
  if (!opened) {
    made.problem = std::strerror(errno);
    return made;
  }
  if (const int failed = ibv_query_device(opened.get(), &limits); failed != 0) {
    made.problem = std::strerror(failed);
    return made;
  }
  made.firmware = limits.fw_ver;
  made.longest_registration = limits.max_mr_size;
  made.queue_pairs = limits.max_qp;
  made.queue_depth = limits.max_qp_wr;
  made.completions = limits.max_cqe;
  made.shared_receives = limits.max_srq > 0 ? limits.max_srq_wr : 0;
  made.pieces = limits.max_sge;
  made.reads = limits.max_qp_init_rd_atom;
  const bool near = is_near(here, which);
  for (int port = 1; port <= limits.phys_port_cnt; ++port) {
    ibv_port_attr attributes{};
    if (ibv_query_port(opened.get(), static_cast<std::uint8_t>(port), &attributes) != 0) continue;
    made.ports.push_back(report_port(opened.get(), port, attributes));
    made.ports.back().device = made.name;
    made.ports.back().near = near;
  }
  return made;
}

}  // namespace

gid_kind kind_of(const ibv_gid_entry& entry) noexcept {
  return entry.gid_type == IBV_GID_TYPE_IB        ? gid_kind::infiniband
         : entry.gid_type == IBV_GID_TYPE_ROCE_V1 ? gid_kind::roce_v1
                                                  : gid_kind::roce_v2;
}

std::vector<device_report> inventory(const machine& here) {
  std::vector<device_report> found;
  int count = 0;
  const device_list all{ibv_get_device_list(&count)};
  for (int each = 0; all && each < count; ++each)
    found.push_back(report_device(here, all.get()[each]));
  return found;
}

}  // namespace peal::verbs
