#include "transport/verbs/connect/device_events.hpp"

#include <fcntl.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/log.hpp"
#include "transport/verbs/connections.hpp"

namespace peal::verbs {

/// What outlives the acknowledgement.
struct device_events::news {
  ibv_event_type type;
  std::uint8_t rail;
  std::uint32_t number;  // of the queue pair, or the port
};

namespace {

bool is_of_pair(ibv_event_type type) noexcept {
  switch (type) {
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
    case IBV_EVENT_COMM_EST:
    case IBV_EVENT_SQ_DRAINED:
    case IBV_EVENT_PATH_MIG:
    case IBV_EVENT_PATH_MIG_ERR:
    case IBV_EVENT_QP_LAST_WQE_REACHED: return true;
    default: return false;
  }
}

}  // namespace

device_events::device_events(endpoint& endpoint, connections& connections,
                             std::vector<handshake_port*> ports, retired_pairs& retired,
                             reconnector& again, payloads& payloads, addresses& addresses,
                             peer_events& told)
    : endpoint_{endpoint},
      connections_{connections},
      ports_{std::move(ports)},
      retired_{retired},
      reconnector_{again},
      payloads_{payloads},
      addresses_{addresses},
      events_{told},
      down_(endpoint.rails.size()) {
  // The kernel makes it close-on-exec.
  for (const device& each : endpoint_.rails)
    able_.push_back(fcntl(each.context()->async_fd, F_SETFL, O_NONBLOCK) == 0);
}

std::vector<int> device_events::descriptors() const {
  std::vector<int> made;
  for (std::size_t each = 0; each < able_.size(); ++each)
    made.push_back(able_[each] ? endpoint_.rails[each].context()->async_fd : -1);
  return made;
}

void device_events::read() noexcept {
  for (std::uint8_t each = 0; each < able_.size(); ++each)
    if (able_[each]) read(each);
}

void device_events::read(std::uint8_t rail) noexcept {
  ibv_async_event event{};
  while (ibv_get_async_event(endpoint_.rails[rail].context(), &event) == 0) {
    ++endpoint_.counters.device_events;
    const bool of_pair = is_of_pair(event.event_type);
    const news told{
        event.event_type, rail,
        of_pair ? event.element.qp->qp_num : static_cast<std::uint32_t>(event.element.port_num)};
    // ibv_destroy_qp waits until the event is acknowledged, and handling the event may destroy the
    // queue pair.
    ibv_ack_async_event(&event);
    handle(told);
  }
}

void device_events::handle(const news& told) noexcept {
  switch (told.type) {
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR: pair_failed(told); return;
    case IBV_EVENT_QP_LAST_WQE_REACHED:
      if (told.rail != 0) return;
      retired_.last_reached(told.number);
      reconnector_.last_reached(told.number);
      return;
    case IBV_EVENT_DEVICE_FATAL:
      rail_failed(told.rail, "the device is broken, or was taken away");
      return;
    case IBV_EVENT_CQ_ERR: rail_failed(told.rail, "a completion queue overflowed or broke"); return;
    case IBV_EVENT_SRQ_ERR: rail_failed(told.rail, "the shared receive queue broke"); return;
    case IBV_EVENT_PORT_ERR: port_changed(told, true); return;
    case IBV_EVENT_PORT_ACTIVE:
      port_changed(told, false);
      address_changed(told);
      return;
    case IBV_EVENT_LID_CHANGE:
    case IBV_EVENT_PKEY_CHANGE:
    case IBV_EVENT_GID_CHANGE:
    case IBV_EVENT_SM_CHANGE:
    case IBV_EVENT_CLIENT_REREGISTER: address_changed(told); return;
    case IBV_EVENT_SRQ_LIMIT_REACHED:
      if (told.rail == 0) endpoint_.receives_low();
      return;
    // The others change nothing here: an answered handshake ends with the first message.
    default:
      log_debug("{} tells: {}", endpoint_.rails[told.rail].name(), ibv_event_type_str(told.type));
  }
}

/// Numbers are a device's own.
void device_events::pair_failed(const news& told) noexcept {
  const char* const cause = ibv_event_type_str(told.type);
  const auto is_it = [&](const queue_pair& pair) { return pair && pair->qp_num == told.number; };
  connection* broken = nullptr;
  const bulk_queue* link = nullptr;
  connections_.for_each([&](connection& each) {
    if (told.rail == each.eager.rail && is_it(each.eager.pair)) broken = &each, link = nullptr;
    for (const bulk_queue& its : each.links)
      if (its.rail == told.rail && is_it(its.pair)) broken = &each, link = &its;
  });
  if (handshake_port& port = *ports_[told.rail]; told.number == port.number()) {
    port.told_broken(cause);
    return;
  }
  if (told.rail == 0 && retired_.holds(told.number)) return;
  if (!broken)
    log_warning("{} gave up a queue pair that is no connection's: {}",
                endpoint_.rails[told.rail].name(), cause);
  else if (link && link->link != broken->handshake.link())
    payloads_.rail_failed(*broken, *link, cause);
  else if (told.type == IBV_EVENT_QP_FATAL) events_.broke(*broken, cause);
  else events_.failed(*broken, cause);  // it would happen again
}

void device_events::rail_failed(std::uint8_t rail, const char* cause) noexcept {
  ports_[rail]->broke(cause);
  mark(rail, true);
  const bool others = static_cast<unsigned>(std::popcount(endpoint_.down)) < endpoint_.rails.size();
  connections_.for_each([&](connection& each) {
    if (each.eager.rail == rail) {
      if (others) events_.broke(each, cause);
      else events_.failed(each, cause);
      return;
    }
    // A link that is left out has no queue pairs any more.
    for (const bulk_queue& its : each.links)
      if (its.rail == rail && its.pair) payloads_.rail_failed(each, its, cause);
  });
}

/// Connections outlive it when the port comes back before they give up.
void device_events::port_changed(const news& told, bool down) noexcept {
  const device& on = endpoint_.rails[told.rail];
  if (told.number != on.port_number()) return;
  if (down) ++endpoint_.counters.port_errors;
  if (down_[told.rail] == down) return;
  down_[told.rail] = down;
  mark(told.rail, down);
  log_warning("the port of {} is {}", on.name(),
              down ? "down: a cable was unplugged, or the interface was set down" : "up again");
  // Where there is another way nobody waits until the tries are over.
  if (!down) return;
  connections_.for_each([&](connection& each) {
    if (each.eager.rail != told.rail || !each.is_open()) return;
    if (std::ranges::any_of(addresses_.links_to(each.peer), [&](const rail_pair& other) {
          return (endpoint_.down & 1u << other.own) == 0;
        }))
      events_.broke(each, "its port is down");
  });
}

void device_events::mark(std::uint8_t rail, bool down) noexcept {
  endpoint_.down = static_cast<std::uint8_t>(down ? endpoint_.down | 1u << rail
                                                  : endpoint_.down & ~(1u << rail));
}

/// New connections use the address as it is now, and handshakes tell it to peers. The queue pairs
/// that there are hold on to the old one, so their connections are made again.
void device_events::address_changed(const news& told) noexcept {
  device& on = endpoint_.rails[told.rail];
  if (told.number != on.port_number()) return;
  const std::uint16_t key_before = on.pkey_index();
  const int gid_before = on.gid().index;
  const bool moved = on.read_address();
  if (!moved && gid_before == on.gid().index && key_before == on.pkey_index()) return;
  log_warning("{} has another {} now ({}); connections are made again with it", on.name(),
              moved ? "address" : "index of its GID or P_Key", to_text(on.address()));
  const bool is_news = moved && addresses_.moved(told.rail, on.address());
  handshake_port& port = *ports_[told.rail];
  port.forget_routes();
  if (key_before != on.pkey_index()) port.broke("its P_Key has another index");
  connections_.for_each([&](connection& each) {
    if (each.is_open() && each.eager.rail == told.rail)
      events_.broke(each,
                    "the port has another address (if its peer's has changed at the same moment, "
                    "only a second card leads from one to the other)");
  });
  if (is_news) events_.moved();
}

}  // namespace peal::verbs
