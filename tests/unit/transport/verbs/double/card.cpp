#include "unit/transport/verbs/double/card.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "unit/transport/verbs/double/objects.hpp"

namespace peal::verbs_double {

std::recursive_mutex& guard() {
  static std::recursive_mutex& only = *new std::recursive_mutex;
  return only;
}

world& everything() {
  // Not destroyed: a thread may use it as long as the process lives (wire.hpp).
  static world& only = *new world;
  return only;
}

card& add_card(unsigned network, unsigned host) {
  return add_card({{.network = network, .host = host}});
}

card& add_card(const std::vector<port_plan>& ports) {
  const std::lock_guard hold{guard()};
  world& all = everything();
  auto made = std::make_unique<card>();
  const std::string name = "double" + std::to_string(all.cards.size());
  std::strncpy(made->device.name, name.c_str(), sizeof made->device.name - 1);
  made->device.node_type = IBV_NODE_CA;
  made->device.transport_type = IBV_TRANSPORT_IB;
  for (const port_plan& each : ports) {
    made->ports.emplace_back(each);
    for (ibv_gid_entry& gid : made->ports.back().gids)
      gid.port_num = static_cast<std::uint32_t>(made->ports.size());
  }
  ibv_device_attr& limits = made->limits;
  limits.max_mr_size = ~std::uint64_t{0};
  limits.max_qp = 4096;
  limits.max_qp_wr = 8192;
  limits.max_sge = limits.max_sge_rd = 16;
  limits.max_cq = 4096;
  limits.max_cqe = 65535;
  limits.max_mr = 65536;
  limits.max_pd = 1024;
  limits.max_qp_rd_atom = limits.max_qp_init_rd_atom = 16;
  limits.max_ah = 4096;
  limits.max_srq = 64;
  limits.max_srq_wr = 32767;
  limits.max_pkeys = 128;
  limits.phys_port_cnt = static_cast<std::uint8_t>(ports.size());
  all.cards.push_back(std::move(made));
  return *all.cards.back();
}

void route_between_networks(bool routers) {
  const std::lock_guard hold{guard()};
  everything().routers = routers;
}

void remove_cards() {
  const std::lock_guard hold{guard()};
  everything().cards.clear();
  everything().routers = false;
  everything().late.clear();
  everything().time.reset();
}

std::size_t card::count(ibv_qp_type type) const {
  const std::lock_guard hold{guard()};
  return static_cast<std::size_t>(
      std::ranges::count(pairs, type, [](const pair* each) { return each->base.qp_type; }));
}

std::size_t card::unlocked_queues() const {
  const lock hold{guard()};
  return static_cast<std::size_t>(
      std::ranges::count_if(everything().queues, [this](const queue* each) {
        return !each->locked && context::from(each->base.context).of == this;
      }));
}

std::size_t card::unlocked_pairs() const {
  const lock hold{guard()};
  return static_cast<std::size_t>(std::ranges::count_if(
      pairs, [](const pair* each) { return domain::from(each->base.pd).without_locks; }));
}

std::size_t card::unlocked_shared_queues() const {
  const lock hold{guard()};
  return static_cast<std::size_t>(
      std::ranges::count_if(everything().shared_queues, [this](const shared_queue* each) {
        return domain::from(each->base.pd).without_locks &&
               context::from(each->base.context).of == this;
      }));
}

std::size_t card::ordered_regions() const {
  const lock hold{guard()};
  return static_cast<std::size_t>(
      std::ranges::count_if(everything().regions, [this](const region* each) {
        return (each->access & IBV_ACCESS_RELAXED_ORDERING) == 0 &&
               context::from(each->base.context).of == this;
      }));
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
    if (told) each->tell(IBV_EVENT_QP_FATAL);
  }
}

void card::release_writes() {
  const std::lock_guard hold{guard()};
  for (context* each : everything().contexts)
    if (each->of == this) each->release();
}

void card::release_datagrams() {
  const std::lock_guard hold{guard()};
  for (const datagram& each : std::exchange(everything().late, {}))
    if (pair* const to = everything().find(each.to)) to->take(each);
}

void card::tell(ibv_event_type what, unsigned port) {
  const std::lock_guard hold{guard()};
  ibv_async_event event{};
  event.event_type = what;
  event.element.port_num = static_cast<int>(port);
  for (context* each : everything().contexts)
    if (each->of == this) each->tell(event);
}

void card::take_down(unsigned port) {
  const std::lock_guard hold{guard()};
  ports[port - 1].attributes.state = IBV_PORT_DOWN;
  tell(IBV_EVENT_PORT_ERR, port);
}

void card::bring_up(unsigned port, std::uint16_t lid, const ibv_gid* gid) {
  const std::lock_guard hold{guard()};
  verbs_double::port& at = ports[port - 1];
  if (lid != 0) {
    at.attributes.lid = lid;
    tell(IBV_EVENT_LID_CHANGE, port);
  }
  if (gid) {
    at.gids[0].gid = *gid;
    tell(IBV_EVENT_GID_CHANGE, port);
  }
  at.attributes.state = IBV_PORT_ACTIVE;
  tell(IBV_EVENT_PORT_ACTIVE, port);
  if (!at.ethernet()) tell(IBV_EVENT_CLIENT_REREGISTER, port);
  everything().go_on();
}

void card::change_keys(std::vector<std::uint16_t> keys, unsigned port) {
  const std::lock_guard hold{guard()};
  ports[port - 1].keys = std::move(keys);
  ports[port - 1].attributes.pkey_tbl_len = static_cast<std::uint16_t>(ports[port - 1].keys.size());
  tell(IBV_EVENT_PKEY_CHANGE, port);
}

void card::die() {
  const std::lock_guard hold{guard()};
  cut = true;
  for (pair* each : pairs) each->fail();
  tell(IBV_EVENT_DEVICE_FATAL);
}

void card::break_shared_queues() {
  const std::lock_guard hold{guard()};
  for (shared_queue* each : everything().shared_queues) {
    context& host = context::from(each->base.context);
    if (host.of != this) continue;
    for (pair* user : pairs)
      if (user->base.srq == &each->base) user->fail();
    ibv_async_event event{};
    event.event_type = IBV_EVENT_SRQ_ERR;
    event.element.srq = &each->base;
    host.tell(event);
  }
}

}  // namespace peal::verbs_double
