#include "transport/verbs/device/device.hpp"

#include <arpa/inet.h>
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
  for (const skipped_port& each : result.skipped)
    log_info("RDMA device {} is not used: {}", ports[each.port].name(), each.reason);
  for (choice& each : result.rails) made.push_back({ports[each.port], std::move(each), wishes});
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
  how_ = chosen.how;
  wishes_ = chosen.wishes;
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
  make_queue_domain();
  channel_ = std::make_unique<completion_channel>(context_.get(), vector);
  mtu_ = port_.active_mtu;
  if (wishes_.fabric.mtu)
    while (mtu_ > IBV_MTU_256 && 128 << mtu_ > *wishes_.fabric.mtu)
      mtu_ = static_cast<ibv_mtu>(mtu_ - 1);
  pkey_index_ =
      peal::verbs::pkey_index(best, best.ethernet ? std::nullopt : wishes_.fabric.pkey).value_or(0);
  // With a mask a port has several LIDs, to which switches may give different ways.
  if (port_.lmc > 0)
    path_bits_ =
        static_cast<std::uint8_t>(wishes_.local_index % (1u << std::min<int>(port_.lmc, 7)));
  address_ = address_of(best, gid_, wishes_);
  complete_address();
}

/// Providers lock a queue at each post, since threads may share it, and let it share the page of
/// its doorbell with others. A thread domain does away with both.
void device::make_queue_domain() noexcept {
  ibv_td_init_attr plain{};
  thread_domain_.reset(ibv_alloc_td(context_.get(), &plain));
  if (thread_domain_) {
    ibv_parent_domain_init_attr wanted{};
    wanted.pd = domain_.get();
    wanted.td = thread_domain_.get();
    queue_domain_.reset(ibv_alloc_parent_domain(context_.get(), &wanted));
  }
  if (!queue_domain_)
    log_debug("{} has no thread domain ({}); its queues take locks", name_, std::strerror(errno));
}

void device::complete_address() noexcept {
  const auto reads = [](int limit) { return static_cast<std::uint8_t>(std::clamp(limit, 0, 16)); };
  address_.mtu = static_cast<std::uint8_t>(mtu_);
  address_.link_layer = port_.link_layer;
  address_.lid = ethernet() ? std::uint16_t{0} : static_cast<std::uint16_t>(port_.lid + path_bits_);
  address_.manager = ethernet() ? std::uint16_t{0} : port_.sm_lid;
  if ((port_.flags & IBV_QPF_GRH_REQUIRED) != 0) address_.flags |= rail_address::needs_grh;
  if (how_.role == choice_role::parts || wishes_.device.starts_with("all") ||
      (!wishes_.device.starts_with('^') && wishes_.device.find(',') != std::string::npos))
    address_.flags |= rail_address::carries_parts;
  address_.reads_out = reads(limits_.max_qp_init_rd_atom);
  address_.reads_in = reads(limits_.max_qp_rd_atom);
}

/// The same GID may stand at another index when it comes back; else what stands at its index now.
/// Where that is empty an address was taken away, and another may come.
void device::read_gid(int table_length) noexcept {
  std::vector<ibv_gid_entry> table(static_cast<std::size_t>(std::max(table_length, 0)));
  const ssize_t count = ibv_query_gid_table(context_.get(), table.data(), table.size(), 0);
  const gid_entry before = gid_;
  bool same = false;
  for (ssize_t each = 0; each < count && !same; ++each) {
    const ibv_gid_entry& entry = table[static_cast<std::size_t>(each)];
    gid_entry now = before;
    now.index = static_cast<int>(entry.gid_index);
    std::memcpy(now.bytes.data(), entry.gid.raw, now.bytes.size());
    const bool fits = entry.port_num == port_number_ && kind_of(entry) == before.kind &&
                      class_of(now) != gid_class::empty;
    same = fits && now.bytes == before.bytes;
    if (same || (fits && now.index == before.index)) gid_ = now;
  }
  address_.gid = gid_.bytes;
}

bool device::read_address() noexcept {
  ibv_port_attr now{};
  if (ibv_query_port(context_.get(), port_number_, &now) != 0) return false;
  if (now.state != IBV_PORT_ACTIVE) return false;  // an event tells when it is
  const rail_address before = address_;
  port_.lid = now.lid;
  port_.sm_lid = now.sm_lid;
  port_.lmc = now.lmc;
  port_.flags = now.flags;
  read_gid(now.gid_tbl_len);
  if (!ethernet())
    for (int each = 0; each < now.pkey_tbl_len; ++each) {
      std::uint16_t key = 0;
      if (ibv_query_pkey(context_.get(), port_number_, each, &key) != 0) break;
      if (ntohs(key) == address_.pkey) {
        pkey_index_ = static_cast<std::uint16_t>(each);
        break;
      }
    }
  path_bits_ = static_cast<std::uint8_t>(path_bits_ & ((1u << std::min<int>(port_.lmc, 7)) - 1));
  complete_address();
  return before.gid != address_.gid || before.lid != address_.lid;
}

bool device::soft_roce() const noexcept { return limits_.vendor_id == vendor_of_soft_roce; }

std::uint64_t device::longest_part() const noexcept {
  const std::uint64_t most = port_.max_msg_sz;
  return soft_roce() ? std::min(most, longest_on_soft_roce) : most;
}

ibv_ah_attr device::route_to(const rail_address& there) const noexcept {
  ibv_ah_attr route{};
  route.port_num = port_number_;
  route.dlid = there.lid;
  route.sl = wishes_.fabric.service_level;
  route.src_path_bits = path_bits_;
  // RoCE has no address but the GID. On InfiniBand a GID is needed only to cross subnets, or where
  // a port of either side asks for it, but costs 40 bytes in each packet.
  const bool other_subnet = std::memcmp(there.gid.data(), gid_.bytes.data(), 8) != 0;
  const bool asked = ((address_.flags | there.flags) & rail_address::needs_grh) != 0;
  if (ethernet() || other_subnet || asked) {
    route.is_global = 1;
    std::memcpy(route.grh.dgid.raw, there.gid.data(), there.gid.size());
    route.grh.sgid_index = static_cast<std::uint8_t>(gid_.index);
    route.grh.hop_limit = wishes_.fabric.hop_limit;
    route.grh.traffic_class = wishes_.fabric.traffic_class;
  }
  return route;
}

}  // namespace peal::verbs
