#include "transport/verbs/endpoint/port_counters.hpp"

#include <array>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

namespace peal::verbs {

namespace {

struct name {
  std::string_view file, meaning;
};
// Drivers have different words for one thing; a port shows those it knows.
constexpr std::array<name, 11> names{{
    {"rcvd_rnr_err", "RNR answers received: a peer had no receive posted"},
    {"rnr_nak_retry_err", "RNR answers received: a peer had no receive posted"},
    {"send_rnr_err", "RNR answers sent: no receive was posted here"},
    {"out_of_buffer", "packets dropped here for want of a posted receive"},
    {"completer_retry_err", "retransmissions after a time-out or a lost packet"},
    {"local_ack_timeout_err", "acknowledgements that did not come in time"},
    {"packet_seq_err", "answers received that a packet was lost"},
    {"out_of_sequence", "packets received out of sequence"},
    {"out_of_seq_request", "requests received out of sequence"},
    {"duplicate_request", "requests received twice"},
    {"retry_exceeded_err", "connections given up after all retransmissions"},
}};

std::optional<std::uint64_t> number_in(const std::filesystem::path& file) {
  std::ifstream in{file};
  std::uint64_t value = 0;
  if (in >> value) return value;
  return std::nullopt;
}

}  // namespace

port_counters::port_counters(const std::string& port, const std::filesystem::path& root,
                             std::string prefix)
    : prefix_{std::move(prefix)} {
  const auto colon = port.find(':');
  if (colon == std::string::npos) return;
  folder_ = root / port.substr(0, colon) / "ports" / port.substr(colon + 1) / "hw_counters";
  for (std::size_t each = 0; each < names.size(); ++each)
    if (const auto value = number_in(folder_ / names[each].file)) known_.push_back({each, *value});
}

void port_counters::report(std::vector<counter>& into) const {
  for (const known& each : known_) {
    const name& which = names[each.which];
    if (const auto value = number_in(folder_ / which.file))
      into.push_back(
          {prefix_ + std::string{which.file}, *value - each.at_start, which.meaning, true});
  }
}

}  // namespace peal::verbs
