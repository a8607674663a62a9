// The report for programs: the same facts; times in nanoseconds, sizes in bytes; what there is not
// is null.
#include <nlohmann/json.hpp>

#include "collective/choice/choice.hpp"
#include "report.hpp"

namespace peal::sim {

using nlohmann::ordered_json;

namespace {

ordered_json of(const line& each) {
  const simulator::forecast& found = each.found;
  ordered_json made{{"name", each.how->name},
                    {"chosen_by_rules", each.usual},
                    {"radix", each.asked.radix},
                    {"segment_bytes", each.asked.cut.bytes},
                    {"streams", each.asked.cut.streams}};
  if (!found.refusal.empty()) {
    made["not_simulated_because"] = found.refusal;
    made["time_ns"] = nullptr;
    return made;
  }
  made["not_simulated_because"] = nullptr;
  made["time_ns"] = static_cast<double>(found.time) / 1000;
  made["messages"] = found.messages;
  made["bytes"] = found.bytes;
  made["rounds"] = found.rounds;
  made["doorbells"] = found.doorbells;
  made["cache_misses"] = found.misses;
  made["ranks_played"] = found.simulated;
  made["extrapolated"] = found.extrapolated;
  made["vector_rounded_up"] = found.rounded;
  made["last_leaf_taken_as_full"] = found.uneven;
  return made;
}

ordered_json of(const simulator::machine& on) {
  return {{"adapter", on.nic.name},
          {"link_bytes_per_ns", on.nic.link_rate},
          {"units", on.nic.units},
          {"pairs_per_unit", on.nic.pairs_per_unit},
          {"unit_ns", on.nic.unit_ns},
          {"doorbell_ns", on.costs.remote_doorbell_ns},
          {"pcie_ns", on.nic.pcie_ns},
          {"context_bytes", on.nic.context_bytes},
          {"cache_bytes", on.nic.cache_bytes},
          {"ranks_per_node", on.ranks_per_node},
          {"cores", on.cores > 0 ? on.cores : on.ranks_per_node},
          {"leaf_nodes", on.net.leaf_nodes},
          {"oversubscription", on.net.oversubscription},
          {"switch_ns", on.net.switch_ns},
          {"cable_ns", on.net.cable_ns},
          {"queue_pairs", on.queue_pairs},
          {"doorbells", on.ring == simulator::doorbells::each ? "each" : "batched"}};
}

}  // namespace

std::string to_json(const request& wanted, const std::vector<line>& lines) {
  ordered_json algorithms = ordered_json::array();
  for (const line& each : lines) algorithms.push_back(of(each));
  const ordered_json all{{"collective", name_of(wanted.kind)},
                         {"ranks", wanted.ranks},
                         {"bytes", wanted.bytes},
                         {"machine", of(wanted.on)},
                         {"algorithms", std::move(algorithms)}};
  return all.dump(2) + "\n";
}

}  // namespace peal::sim
