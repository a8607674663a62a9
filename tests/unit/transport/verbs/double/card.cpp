#include "unit/transport/verbs/double/card.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "unit/transport/verbs/double/objects.hpp"

namespace peal::verbs_double {

std::recursive_mutex& guard() {
  static std::recursive_mutex only;
  return only;
}

world& everything() {
  static world only;
  return only;
}

card& add_card(unsigned network, unsigned host) {
  const std::lock_guard hold{guard()};
  world& all = everything();
  auto made = std::make_unique<card>();
  const std::string name = "double" + std::to_string(all.cards.size());
  std::strncpy(made->device.name, name.c_str(), sizeof made->device.name - 1);
  made->device.node_type = IBV_NODE_CA;
  made->device.transport_type = IBV_TRANSPORT_IB;
  made->gid.raw[10] = made->gid.raw[11] = 0xff;
  made->gid.raw[12] = 127;
  made->gid.raw[14] = static_cast<std::uint8_t>(network);
  made->gid.raw[15] = static_cast<std::uint8_t>(host);
  ibv_device_attr& limits = made->limits;
  limits.max_mr_size = ~std::uint64_t{0};
  limits.max_qp = 4096;
  limits.max_qp_wr = 8192;
  limits.max_sge = 16;
  limits.max_cq = 4096;
  limits.max_cqe = 65535;
  limits.max_mr = 65536;
  limits.max_pd = 1024;
  limits.max_qp_rd_atom = limits.max_qp_init_rd_atom = 16;
  limits.max_ah = 4096;
  limits.max_srq = 64;
  limits.max_srq_wr = 32767;
  limits.phys_port_cnt = 1;
  ibv_port_attr& port = made->port;
  port.state = IBV_PORT_ACTIVE;
  port.max_mtu = port.active_mtu = IBV_MTU_4096;
  port.gid_tbl_len = 1;
  port.max_msg_sz = 1u << 30;
  port.link_layer = IBV_LINK_LAYER_ETHERNET;
  all.cards.push_back(std::move(made));
  return *all.cards.back();
}

void remove_cards() {
  const std::lock_guard hold{guard()};
  everything().cards.clear();
}

std::size_t card::count(ibv_qp_type type) const {
  const std::lock_guard hold{guard()};
  return static_cast<std::size_t>(
      std::ranges::count(pairs, type, [](const pair* each) { return each->base.qp_type; }));
}

std::size_t card::shared_receives() const {
  const std::lock_guard hold{guard()};
  std::size_t found = 0;
  for (const shared_queue* each : everything().shared_queues)
    if (context::from(each->base.context).of == this) found += each->waiting.size();
  return found;
}

void card::break_datagrams(bool told) {
  const std::lock_guard hold{guard()};
  for (pair* each : pairs) {
    if (each->base.qp_type != IBV_QPT_UD) continue;
    each->fail();
    ibv_async_event event{};
    event.event_type = IBV_EVENT_QP_FATAL;
    event.element.qp = &each->base;
    if (told) context::from(each->base.context).tell(event);
  }
}

void card::release_writes() {
  const std::lock_guard hold{guard()};
  for (context* each : everything().contexts)
    if (each->of == this) each->release();
}

}  // namespace peal::verbs_double
