// transport/verbs/setup/trial.hpp
// Whether a rank could start on this machine. For peal-info, all that a rank makes at its start is
// made once.
//
// Layer    transport/verbs. Control path only.
// Errors   none: what would fail stands in the result.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transport/verbs/device/interface.hpp"

namespace peal::verbs {

/// A limit of the device below what peal would like, or what it grants only on trial.
struct granted_limit {
  std::string_view what;
  std::uint64_t wanted;
  std::uint64_t granted;
};
struct trial {
  std::vector<granted_limit> limits;
  std::size_t pinned = 0;  // bytes of a rank with one peer
  std::string problem;     // what peal would fail with on this device; empty: nothing
};
/// Opens the devices that these wishes choose, makes queues and registers memory as a rank does at
/// its start, and gives everything back. `cold`: as a rank whose peers start without a connection;
/// `pinned`: bytes that a rank may register for messages. The limits are those of the first device.
trial try_device(const machine&, const choice_wishes&, bool cold, std::size_t pinned);

}  // namespace peal::verbs
