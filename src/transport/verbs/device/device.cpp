#include "transport/verbs/device/device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/log.hpp"
#include "peal/error.hpp"
#include "transport/verbs/device/inventory.hpp"

namespace peal::verbs {

namespace {

[[noreturn]] void fail(std::string_view what) { throw error(errc::no_device, std::string{what}); }

/// RXE_VENDOR_ID of the kernel.
constexpr std::uint32_t vendor_of_soft_roce = 0xffffff;
/// Soft-RoCE counts every gap in a request as a try in vain until the whole request is through, and
/// pays for many losses with a timer. On a link that loses one packet in twenty and reorders one in
/// ten, 2 MiB in parts of 256 KiB broke the connection (written) or did not come within 150 s
/// (read); in parts of 16 KiB they took 10 s and 0.8 s. That costs 6 to 14 % of the bandwidth from
/// 256 KiB on where nothing is lost.
constexpr std::uint64_t longest_on_soft_roce = 16 << 10;

}  // namespace

std::vector<port_facts> list_ports(const machine& here) {
  std::vector<port_facts> found;
  for (const device_report& each : inventory(here)) {
    if (!each.problem.empty())
      log_info("RDMA device {} cannot be opened: {}", each.name, each.problem);
    found.insert(found.end(), each.ports.begin(), each.ports.end());
  }
  return found;
}

std::vector<chosen_port> choose_here(const machine& here, const choice_wishes& wishes) {
  const std::vector<port_facts> ports = list_ports(here);
  rails_result result = choose_rails(ports, wishes);
  if (result.rails.empty()) fail(result.problem);
  std::vector<chosen_port> made;
  for (choice& each : result.rails) made.push_back({ports[each.port], std::move(each)});
  return made;
}

std::vector<device> open_rails(const machine& here, const choice_wishes& wishes) {
  // A forked child must not share pinned pages with us. Newer kernels copy them for the child;
  // elsewhere libibverbs has to be asked, before anything is registered, and then withholds the
  // pages from the child, which is worse: what else lies there is missing too.
  if (ibv_is_fork_initialized() == IBV_FORK_DISABLED) ibv_fork_init();
  std::vector<device> made;
  for (const chosen_port& each : choose_here(here, wishes))
    made.emplace_back(each, wishes.local_index);
  return made;
}

device::device(const chosen_port& chosen, unsigned vector) {
  const port_facts& best = chosen.port;
  name_ = best.name();
  gid_ = chosen.how.gid;
  port_number_ = static_cast<std::uint8_t>(best.port);

  int count = 0;
  const device_list all{ibv_get_device_list(&count)};
  const auto found = std::find_if(all.get(), all.get() + count, [&](ibv_device* each) {
    return best.device == ibv_get_device_name(each);
  });
  if (found != all.get() + count) context_.reset(ibv_open_device(*found));
  if (!context_)
    fail(fmt::format("RDMA device {} cannot be opened: {}", name_, std::strerror(errno)));
  if (ibv_query_device(context_.get(), &limits_) != 0 ||
      ibv_query_port(context_.get(), port_number_, &port_) != 0)
    fail(fmt::format("RDMA device {} does not tell its limits: {}", name_, std::strerror(errno)));
  domain_.reset(ibv_alloc_pd(context_.get()));
  if (!domain_)
    fail(fmt::format("RDMA device {} gives no protection domain: {}", name_, std::strerror(errno)));
  channel_ = std::make_unique<completion_channel>(context_.get(), vector);
  log_info("RDMA device {} ({}), GID {} is {}", name_, chosen.how.reason, gid_.index,
           to_text(gid_.bytes));
}

bool device::soft_roce() const noexcept { return limits_.vendor_id == vendor_of_soft_roce; }

std::uint64_t device::longest_part() const noexcept {
  const std::uint64_t most = port_.max_msg_sz;
  return soft_roce() ? std::min(most, longest_on_soft_roce) : most;
}

rail_address device::address() const noexcept {
  const auto reads = [](int limit) { return static_cast<std::uint8_t>(std::clamp(limit, 0, 16)); };
  rail_address made;
  made.gid = gid_.bytes;
  made.lid = port_.lid;
  made.mtu = static_cast<std::uint8_t>(port_.active_mtu);
  made.link_layer = port_.link_layer;
  made.network_bits = gid_.network_bits;
  made.reads_out = reads(limits_.max_qp_init_rd_atom);
  made.reads_in = reads(limits_.max_qp_rd_atom);
  return made;
}

ibv_ah_attr device::route_to(const gid_bytes& gid, std::uint16_t lid) const noexcept {
  ibv_ah_attr route{};
  route.port_num = port_number_;
  route.dlid = lid;
  // RoCE has no address but the GID. On InfiniBand a GID is needed only to cross subnets, but costs
  // 40 bytes in each packet.
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
