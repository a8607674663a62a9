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
  into.costs = from;
  if (!measured_between(from)) return;
  adapter& nic = into.nic;
  const auto packet = static_cast<double>(nic.packet_bytes);
  nic.link_rate = from.remote_rate * (1 + static_cast<double>(nic.header_bytes) / packet);
  const double known = 2 * nic.unit_ns + 2 * into.net.cable_ns + into.net.switch_ns;
  nic.pcie_ns = std::max(from.remote_flight_ns - known, 0.0);
}

std::span<const adapter> known_adapters() noexcept { return adapters; }

const adapter* find_adapter(std::string_view name) noexcept {
  const auto found = std::ranges::find(adapters, name, &adapter::name);
  return found == adapters.end() ? nullptr : &*found;
}

}  // namespace peal::simulator
