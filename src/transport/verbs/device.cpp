#include "transport/verbs/device.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <hwloc/openfabrics-verbs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/log.hpp"
#include "peal/error.hpp"
#include "topology/machine.hpp"

namespace peal::verbs {

namespace {

using device_list = handle<ibv_device*, ibv_free_device_list>;

device_list list_devices(int& count) {
  count = 0;
  device_list found{ibv_get_device_list(&count)};
  if (!found) count = 0;
  return found;
}

/// Whether hwloc finds the device beside cores that this process may use; true where the system does not say.
bool is_near(const machine& here, ibv_device* which) {
  hwloc_bitmap_t cores = hwloc_bitmap_alloc();
  const int told = hwloc_ibv_get_device_cpuset(here.handle(), which, cores);
  const bool near =
      told != 0 || hwloc_bitmap_iszero(cores) || std::any_of(here.cores().begin(), here.cores().end(), [&](const std::vector<int>& core) {
        return hwloc_bitmap_isset(cores, static_cast<unsigned>(core.front()));
      });
  hwloc_bitmap_free(cores);
  return near;
}

std::vector<gid_entry> gids_of(ibv_context* context, int port, const ibv_port_attr& attributes) {
  std::vector<ibv_gid_entry> table(static_cast<std::size_t>(std::max(attributes.gid_tbl_len, 0)));
  std::vector<gid_entry> found;
  const ssize_t count = ibv_query_gid_table(context, table.data(), table.size(), 0);
  for (ssize_t each = 0; each < count; ++each) {
    const ibv_gid_entry& entry = table[static_cast<std::size_t>(each)];
    if (entry.port_num != static_cast<std::uint32_t>(port)) continue;
    gid_entry made;
    made.index = static_cast<int>(entry.gid_index);
    made.kind = entry.gid_type == IBV_GID_TYPE_IB        ? gid_kind::infiniband
                : entry.gid_type == IBV_GID_TYPE_ROCE_V1 ? gid_kind::roce_v1
                                                         : gid_kind::roce_v2;
    std::memcpy(made.bytes.data(), entry.gid.raw, made.bytes.size());
    found.push_back(made);
  }
  return found;
}

void survey_device(const machine& here, ibv_device* which, std::vector<port_facts>& into) {
  const handle<ibv_context, ibv_close_device> opened{ibv_open_device(which)};
  ibv_device_attr limits{};
  if (!opened || ibv_query_device(opened.get(), &limits) != 0) {
    log_info("RDMA device {} cannot be opened: {}", ibv_get_device_name(which), std::strerror(errno));
    return;
  }
  for (int port = 1; port <= limits.phys_port_cnt; ++port) {
    ibv_port_attr attributes{};
    if (ibv_query_port(opened.get(), static_cast<std::uint8_t>(port), &attributes) != 0) continue;
    port_facts made;
    made.device = ibv_get_device_name(which);
    made.port = port;
    made.active = attributes.state == IBV_PORT_ACTIVE;
    made.ethernet = attributes.link_layer == IBV_LINK_LAYER_ETHERNET;
    made.near = is_near(here, which);
    made.gids = gids_of(opened.get(), port, attributes);
    into.push_back(std::move(made));
  }
}

[[noreturn]] void fail(std::string_view what) { throw error(errc::no_device, std::string{what}); }

}  // namespace

std::vector<port_facts> survey(const machine& here) {
  std::vector<port_facts> found;
  int count = 0;
  const device_list all = list_devices(count);
  for (int each = 0; each < count; ++each) survey_device(here, all.get()[each], found);
  return found;
}

device::device(const machine& here, const choice_wishes& wishes) {
  // A forked child must not share pinned pages with us. Newer kernels copy them for the child; elsewhere libibverbs has to be asked, before
  // anything is registered.
  ibv_fork_init();
  const std::vector<port_facts> ports = survey(here);
  const choice_result result = choose(ports, wishes);
  if (!result.chosen) fail(result.problem);
  const port_facts& best = ports[result.chosen->port];
  name_ = best.name();
  gid_ = result.chosen->gid;
  port_number_ = static_cast<std::uint8_t>(best.port);

  int count = 0;
  const device_list all = list_devices(count);
  const auto found = std::find_if(all.get(), all.get() + count, [&](ibv_device* each) { return best.device == ibv_get_device_name(each); });
  if (found != all.get() + count) context_.reset(ibv_open_device(*found));
  if (!context_) fail(fmt::format("RDMA device {} cannot be opened: {}", name_, std::strerror(errno)));
  if (ibv_query_device(context_.get(), &limits_) != 0 || ibv_query_port(context_.get(), port_number_, &port_) != 0)
    fail(fmt::format("RDMA device {} does not tell its limits: {}", name_, std::strerror(errno)));
  domain_.reset(ibv_alloc_pd(context_.get()));
  if (!domain_) fail(fmt::format("RDMA device {} gives no protection domain: {}", name_, std::strerror(errno)));
  log_info("RDMA device {} ({}), GID {} is {}", name_, result.chosen->reason, gid_.index, to_text(gid_.bytes));
}

ibv_ah_attr device::route_to(const gid_bytes& gid, std::uint16_t lid) const noexcept {
  ibv_ah_attr route{};
  route.port_num = port_number_;
  route.dlid = lid;
  // RoCE has no address but the GID. On InfiniBand a GID is needed only to cross subnets, but costs 40 bytes in each packet.
  const bool other_subnet = std::memcmp(gid.data(), gid_.bytes.data(), 8) != 0;
  if (ethernet() || other_subnet) {
    route.is_global = 1;
    std::memcpy(route.grh.dgid.raw, gid.data(), gid.size());
    route.grh.sgid_index = static_cast<std::uint8_t>(gid_.index);
    route.grh.hop_limit = 64;  // the usual for IP: routers lower it
  }
  return route;
}

}  // namespace peal::verbs
