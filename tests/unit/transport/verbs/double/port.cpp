#include "unit/transport/verbs/double/port.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace peal::verbs_double {

namespace {

constexpr std::uint16_t full_member = 0x8000;

bool same(const ibv_gid& one, const ibv_gid& other) {
  return std::memcmp(one.raw, other.raw, sizeof one.raw) == 0;
}

/// Codes of PortInfo (InfiniBand specification, 14.2.5.6): four lanes, and a lane's speed.
std::uint8_t speed_code(unsigned gigabits) {
  if (gigabits >= 400) return 128;
  if (gigabits >= 200) return 64;
  if (gigabits >= 100) return 32;
  return gigabits >= 50 ? 16 : 8;
}

}  // namespace

ibv_gid gid_of(const port_plan& plan) {
  ibv_gid gid{};
  if (plan.infiniband) {
    // fe80:0:0:network, then a GUID
    gid.raw[0] = 0xfe;
    gid.raw[1] = 0x80;
    gid.raw[7] = static_cast<std::uint8_t>(plan.network);
    gid.raw[8] = 0x02;
    gid.raw[11] = 0xff;
    gid.raw[12] = 0xfe;
    gid.raw[14] = static_cast<std::uint8_t>(plan.host >> 8);
    gid.raw[15] = static_cast<std::uint8_t>(plan.host);
    return gid;
  }
  gid.raw[10] = gid.raw[11] = 0xff;
  gid.raw[12] = 127;
  gid.raw[13] = static_cast<std::uint8_t>(plan.host >> 8);
  gid.raw[14] = static_cast<std::uint8_t>(plan.network);
  gid.raw[15] = static_cast<std::uint8_t>(plan.host);
  return gid;
}

port::port(const port_plan& plan)
    : keys{plan.keys}, network{plan.network}, switch_takes{plan.switch_takes} {
  attributes.state = plan.down ? IBV_PORT_DOWN : IBV_PORT_ACTIVE;
  attributes.phys_state = plan.down ? 3 : 5;  // Disabled, LinkUp
  attributes.max_mtu = IBV_MTU_4096;
  attributes.active_mtu = plan.mtu;
  attributes.max_msg_sz = 1u << 30;
  attributes.active_width = plan.gigabits == 25 ? 1 : 2;
  attributes.active_speed = plan.gigabits == 25 ? 32 : speed_code(plan.gigabits);
  attributes.pkey_tbl_len = static_cast<std::uint16_t>(keys.size());
  attributes.link_layer = plan.infiniband ? IBV_LINK_LAYER_INFINIBAND : IBV_LINK_LAYER_ETHERNET;
  if (plan.infiniband) {
    attributes.lid = static_cast<std::uint16_t>(plan.host << plan.lmc);
    attributes.lmc = plan.lmc;
    attributes.sm_lid = 1;
    attributes.max_vl_num = 4;
    if (plan.grh_required) attributes.flags = IBV_QPF_GRH_REQUIRED;
  }
  add_gid(plan.infiniband ? IBV_GID_TYPE_IB : IBV_GID_TYPE_ROCE_V2, gid_of(plan));
}

void port::add_gid(ibv_gid_type kind, const ibv_gid& gid) {
  ibv_gid_entry made{};
  made.gid = gid;
  made.gid_index = static_cast<std::uint32_t>(gids.size());
  made.port_num = 1;
  made.gid_type = kind;
  gids.push_back(made);
  attributes.gid_tbl_len = static_cast<int>(gids.size());
}

bool port::reaches(const port& to, const ibv_ah_attr& way, bool routers) const {
  if (!works() || !to.works() || ethernet() != to.ethernet()) return false;
  const bool routed = network != to.network;
  if (routed && (!routers || !way.is_global)) return false;
  if (way.is_global) {
    if (way.grh.sgid_index >= gids.size()) return false;
    const std::uint32_t kind = gids[way.grh.sgid_index].gid_type;
    if (routed && (kind == IBV_GID_TYPE_ROCE_V1 || way.grh.hop_limit < 2)) return false;
    if (std::ranges::none_of(to.gids, [&](const ibv_gid_entry& each) {
          return each.gid_type == kind && same(each.gid, way.grh.dgid);
        }))
      return false;
  }
  if (ethernet()) return way.is_global != 0;
  const std::uint32_t required = (attributes.flags | to.attributes.flags) & IBV_QPF_GRH_REQUIRED;
  if (required != 0 && !way.is_global) return false;
  // Behind a router the LID is the router's.
  return routed || (way.dlid >> to.attributes.lmc) == (to.attributes.lid >> to.attributes.lmc);
}

bool same_partition(std::uint16_t one, std::uint16_t other) {
  return ((one ^ other) & ~full_member) == 0 && ((one | other) & full_member) != 0;
}

}  // namespace peal::verbs_double
