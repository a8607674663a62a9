#include "transport/verbs/setup/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error_text.hpp"
#include "peal/error.hpp"
#include "topology/machine.hpp"
#include "transport/verbs/datagram/interface.hpp"
#include "transport/verbs/endpoint/interface.hpp"
#include "transport/verbs/setup/configuration.hpp"

namespace peal::verbs {

namespace {

std::uint64_t lesser(std::uint64_t wanted, int device_has) {
  return std::min(wanted, static_cast<std::uint64_t>(std::max(device_has, 0)));
}

}  // namespace

trial try_device(const machine& here, const choice_wishes& wishes, bool cold, std::size_t pinned) {
  trial made;
  try {
    std::vector<device> rails = open_rails(here, wishes);
    const auto spare = std::ranges::find(rails, choice_role::instead,
                                         [](const device& each) { return each.how().role; });
    rails.erase(spare, rails.end());
    const device& on = rails.front();
    settings set;
    set.slots = slots_within(pinned, on, 1, 2);
    const settings fits = fitted(set, rails);
    endpoint endpoint{rails, fits};
    for (std::uint8_t each = 0; each < rails.size(); ++each) {
      const queue_pair one = each == 0
                                 ? endpoint.make_control(0, static_cast<std::uint16_t>(fits.window))
                                 : endpoint.make_bulk(each, false);
      if (one) continue;
      made.problem =
          fmt::format("{} gives no queue pair: {}", rails[each].name(), std::strerror(errno));
      return made;
    }
    handshake_port door{on};
    const authenticator by{random_secret()};
    door.open(cold ? port_plan::for_messages(on, 1, 2, pinned) : port_plan::for_handshakes(on, 2),
              by.queue_key(0, random_word()));
    made.pinned = endpoint.slots.size() * slot_bytes + door.memory_bytes();
    made.limits = {
        {"work requests of a queue pair", set.send_depth, fits.send_depth},
        {"messages under way to one peer", set.window, fits.window},
        {"pieces of a work request", 2, lesser(2, on.limits().max_sge)},
        {"bytes inline in a work request", endpoint::inline_wanted, endpoint.inline_bytes},
        {"RDMA READs under way on a queue pair", set.read_depth,
         lesser(set.read_depth, on.limits().max_qp_init_rd_atom)},
        {"connections of a rank, with one rank on each core", set.max_rc,
         most_connections(rails, fits, static_cast<unsigned>(std::max(here.usable_cores(), 1)),
                          endpoint.shared())},
        {"shared receive queue", 1, endpoint.shared() ? 1u : 0u}};
  } catch (const error& problem) {
    made.problem = text_without_place(problem);
  }
  return made;
}

}  // namespace peal::verbs
