#include "simulator/machine.hpp"

#include <algorithm>
#include <array>

namespace peal::simulator {

namespace {

// Of 370, 215 and 200 million messages a second, shared by the units.
constexpr std::array adapters{
    adapter{},
    adapter{.name = "connectx6", .link_rate = 25, .unit_ns = 37.2},
    adapter{.name = "connectx5", .link_rate = 12.5, .unit_ns = 40, .cache_bytes = 2u << 20},
};

}  // namespace

void take_costs(machine& into, const cost_parameters& from) noexcept {
  processor& core = into.core;
  core.send_ns = from.remote_send_ns;
  core.receive_ns = from.remote_receive_ns;
  core.local_send_ns = from.local_send_ns;
  core.local_receive_ns = from.local_receive_ns;
  core.local_flight_ns = from.local_flight_ns;
  core.copy_rate = from.local_copy_rate;
  core.local_rate = from.local_large_rate;
  // What announcement and answer take is played; the rest is the receiver's.
  const double played = 2 * (from.local_send_ns + from.local_flight_ns + from.local_receive_ns);
  core.local_large_ns = std::max(from.local_large_ns - played, 0.0);
  core.direct_rate = from.local_direct_rate;
  core.switch_ns = from.switch_ns;
  core.reduce_rate = from.reduce_rate;
  core.step_ns = from.step_ns;
  into.nic.doorbell_ns = from.remote_doorbell_ns;
  into.nic.link_rate = from.remote_rate;
}

std::span<const adapter> known_adapters() noexcept { return adapters; }

const adapter* find_adapter(std::string_view name) noexcept {
  const auto found = std::ranges::find(adapters, name, &adapter::name);
  return found == adapters.end() ? nullptr : &*found;
}

}  // namespace peal::simulator
