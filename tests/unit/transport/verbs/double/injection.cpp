#include "unit/transport/verbs/double/injection.hpp"

#include <algorithm>

namespace peal::verbs_double {

namespace {

constexpr std::size_t longest = 1 << 14;

}  // namespace

bool inject_datagram(card& to, std::span<const std::byte> packet) {
  const lock hold{guard()};
  for (pair* const each : to.pairs) {
    if (each->base.qp_type != IBV_QPT_UD || !receives_now(*each)) continue;
    datagram made;
    made.to = each->base.qp_num;
    made.data.resize(network_header);
    made.data.insert(made.data.end(), packet.begin(), packet.end());
    each->take(made);
    return true;
  }
  return false;
}

lying_host::lying_host(card& from, card& to) : from_{from}, to_{to}, memory_(longest) {}

lying_host::~lying_host() {
  if (region_) ibv_dereg_mr(region_);
}

pair* lying_host::find() const {
  const lock hold{guard()};
  for (pair* const each : from_.pairs) {
    if (each->base.qp_type != IBV_QPT_RC || !each->base.srq || each->base.state != IBV_QPS_RTS)
      continue;
    const pair* const peer = everything().find(each->attributes.dest_qp_num);
    if (peer && peer->on == &to_) return each;
  }
  return nullptr;
}

bool lying_host::send(std::span<const std::byte> packet, std::uint32_t immediate) {
  pair* const by = find();
  if (!by || packet.size() > memory_.size()) return false;
  if (domain_ != by->base.pd) {
    domain_ = by->base.pd;
    region_ = ibv_reg_mr(domain_, memory_.data(), memory_.size(), 0);
  }
  std::ranges::copy(packet, memory_.begin());
  ibv_sge piece{reinterpret_cast<std::uint64_t>(memory_.data()),
                static_cast<std::uint32_t>(packet.size()), region_->lkey};
  ibv_send_wr what{};
  what.sg_list = &piece;
  what.num_sge = packet.empty() ? 0 : 1;
  what.opcode = immediate == 0 ? IBV_WR_SEND : IBV_WR_SEND_WITH_IMM;
  what.imm_data = immediate;
  ibv_send_wr* refused = nullptr;
  return ibv_post_send(&by->base, &what, &refused) == 0;
}

}  // namespace peal::verbs_double
