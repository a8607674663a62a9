// What peal-info says, for programs. Names are those of the text; what is unknown or unlimited is
// null; sizes are bytes. All of it is here, since <nlohmann/json.hpp> costs the compiler more than
// what is written with it.
#include <nlohmann/json.hpp>

#include "config.h"
#include "explain.hpp"
#include "learnt.hpp"
#include "overview.hpp"
#include "report.hpp"
#include "tune.hpp"

namespace peal::info {

namespace {

using nlohmann::ordered_json;

template <class Value>
ordered_json or_null(const std::optional<Value>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json(nullptr) : ordered_json(text);
}

ordered_json of(const machine_report& here) {
  return {{"host", here.host},
          {"cores", here.cores},
          {"usable_cores", here.usable_cores},
          {"locked_memory_bytes", or_null(here.locked_memory)},
          {"shared_folder", here.shared_folder},
          {"shared_free_bytes", or_null(here.shared_free)},
          {"direct_copy_problem", text_or_null(here.direct_copy_problem)}};
}

ordered_json of(const verbs::gid_entry& gid) {
  return {{"index", gid.index},
          {"address", verbs::to_text(gid.bytes)},
          {"kind", verbs::to_text(verbs::class_of(gid))}};
}

ordered_json of(const verbs::port_report& port) {
  ordered_json gids = ordered_json::array();
  for (const verbs::gid_entry& each : port.gids)
    if (verbs::class_of(each) != verbs::gid_class::empty) gids.push_back(of(each));
  return {{"port", port.port},
          {"state", port.state},
          {"active", port.active},
          {"link", port.ethernet ? "Ethernet" : "InfiniBand"},
          {"near", port.near},
          {"gigabits_per_second", port.gigabits},
          {"mtu_bytes", port.mtu},
          {"most_mtu_bytes", port.most_mtu},
          {"longest_message_bytes", port.longest_message},
          {"lid", port.lid},
          {"lmc", port.lmc},
          {"subnet_manager_lid", port.manager},
          {"needs_grh", port.needs_grh},
          {"pkeys", port.pkeys},
          {"gids", std::move(gids)}};
}

ordered_json of(const verbs::device_report& device) {
  ordered_json ports = ordered_json::array();
  for (const verbs::port_report& each : device.ports) ports.push_back(of(each));
  return {{"name", device.name},
          {"problem", text_or_null(device.problem)},
          {"firmware", text_or_null(device.firmware)},
          {"limits",
           {{"queue_pairs", device.queue_pairs},
            {"queue_depth", device.queue_depth},
            {"completions", device.completions},
            {"shared_receives", device.shared_receives},
            {"pieces", device.pieces},
            {"reads", device.reads},
            {"longest_registration_bytes", device.longest_registration}}},
          {"ports", std::move(ports)}};
}

std::string_view purpose_of(verbs::choice_role role) {
  switch (role) {
    case verbs::choice_role::messages: return "messages";
    case verbs::choice_role::parts: return "parts of large messages";
    case verbs::choice_role::instead: break;
  }
  return "messages where a rank lacks the first network";
}

ordered_json chosen_of(const report& all) {
  if (all.rails.empty()) return nullptr;
  ordered_json limits = ordered_json::array(), rails = ordered_json::array();
  for (std::size_t each = 0; each < all.rails.size(); ++each)
    rails.push_back({{"port", all.rail_names[each]},
                     {"gid", of(all.rails[each].gid)},
                     {"for", purpose_of(all.rails[each].role)},
                     {"reason", all.rails[each].reason}});
  for (const verbs::granted_limit& each : all.limits)
    limits.push_back({{"what", each.what}, {"wanted", each.wanted}, {"granted", each.granted}});
  ordered_json made = rails.front();
  made["limits"] = std::move(limits);
  made["pinned"] = {{"with_one_peer", all.pinned}, {"most", all.most_pinned}};
  made["rails"] = std::move(rails);
  ordered_json skipped = ordered_json::array();
  for (const report::skipped_port& each : all.skipped_ports)
    skipped.push_back({{"port", each.name}, {"reason", each.reason}});
  made["not_used"] = std::move(skipped);
  return made;
}

}  // namespace

std::string to_json(const report& all) {
  ordered_json transports = ordered_json::array(), devices = ordered_json::array(),
               variables = ordered_json::array();
  for (const transport_report& each : all.transports)
    transports.push_back(
        {{"name", each.name}, {"carries", each.carries}, {"problem", text_or_null(each.problem)}});
  for (const verbs::device_report& each : all.devices) devices.push_back(of(each));
  for (const setting& each : all.settings)
    variables.push_back({{"name", each.name},
                         {"value", each.value},
                         {"set", each.is_set},
                         {"allowed", each.allowed},
                         {"meaning", each.meaning}});
  const ordered_json whole{
      {"version", PACKAGE_VERSION},
      {"machine", of(all.machine)},
      {"transports", std::move(transports)},
      {"rdma_devices", std::move(devices)},
      {"rdma_used", chosen_of(all)},
      {"registrations_kept", all.cache_problem.empty()},
      {"registrations_not_kept_because",
       all.cache_problem.empty() ? ordered_json(nullptr) : ordered_json(all.cache_problem)},
      {"tuning_file", text_or_null(all.tuning_file)},
      {"variables", std::move(variables)},
      {"problems", all.problems}};
  // A variable may hold any bytes; what is no UTF-8 is replaced.
  return whole.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string to_json(const explanation& of) {
  ordered_json all = ordered_json::array();
  for (const candidate& each : of.found)
    all.push_back(
        {{"name", each.as.how->name},
         {"price_ns", each.price ? ordered_json(*each.price) : ordered_json(nullptr)},
         {"chosen", each.taken},
         {"because", each.taken ? ordered_json(to_text(each.as.why)) : ordered_json(nullptr)},
         {"radix", each.as.radix},
         {"segment_bytes", each.as.cut.bytes},
         {"streams", each.as.cut.streams}});
  const ordered_json whole{
      {"collective", name_of(of.kind)},
      {"ranks", of.ranks},
      {"nodes", of.nodes},
      {"cores", of.where.cores},
      {"bytes", of.bytes},
      {"tuning_file", of.costs.from.empty() ? ordered_json(nullptr) : ordered_json(of.costs.from)},
      {"tuning_problem",
       of.costs.problem.empty() ? ordered_json(nullptr) : ordered_json(of.costs.problem)},
      {"direct_when_blocking", of.direct.has_value()},
      {"direct_price_ns", of.direct ? ordered_json(*of.direct) : ordered_json(nullptr)},
      {"algorithms", std::move(all)}};
  return whole.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string to_json(const overview& of) {
  ordered_json all = ordered_json::array();
  for (const alike_calls& each : of.calls)
    all.push_back({{"collective", name_of(each.kind)},
                   {"least_bytes", each.kind == detail::collective::barrier ? 0 : each.from},
                   {"most_bytes", each.kind == detail::collective::barrier ? 0 : each.up_to},
                   {"algorithm", each.by.how->name},
                   {"because", to_text(each.by.why)},
                   {"direct_when_blocking", each.direct}});
  const ordered_json whole{{"ranks", of.ranks},
                           {"nodes", of.nodes},
                           {"cores", of.cores},
                           {"tuning_file", text_or_null(of.costs.from)},
                           {"tuning_problem", text_or_null(of.costs.problem)},
                           {"prices_count", of.prices_count},
                           {"calls", std::move(all)}};
  return whole.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

namespace {

ordered_json of(const std::vector<learnt_way>& ways) {
  ordered_json all = ordered_json::array();
  for (const learnt_way& each : ways) {
    ordered_json& made = all.emplace_back(ordered_json{
        {"name", each.name}, {"ns_per_byte", or_null(each.rate)}, {"in_use", each.in_use}});
    if (each.by_parts) made["by_parts"] = true;
    if (each.radix) made["radix"] = *each.radix;
    if (each.piece) made["piece_bytes"] = *each.piece;
  }
  return all;
}

}  // namespace

std::string to_json(const learnt_report& about) {
  ordered_json calls = ordered_json::array(), copies = ordered_json::array();
  for (const learnt_calls& each : about.calls)
    calls.push_back({{"communicator", each.communicator},
                     {"ranks", each.ranks},
                     {"first_process", each.first_process},
                     {"collective", each.collective},
                     {"most_bytes", each.up_to},
                     {"commutative", each.commutative},
                     {"in_rank_order", each.in_order},
                     {"ways", of(each.ways)}});
  for (const learnt_copies& each : about.copies)
    copies.push_back({{"lane", each.lane},
                      {"buffers", each.buffers},
                      {"cores", each.cores},
                      {"most_bytes", each.up_to == 0 ? ordered_json{} : ordered_json(each.up_to)},
                      {"ways", of(each.ways)}});
  const ordered_json whole{{"process", about.asked},
                           {"ranks_on_this_node", about.ranks},
                           {"collectives", std::move(calls)},
                           {"collectives_left_out", about.calls_left_out},
                           {"large_messages", std::move(copies)}};
  return whole.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string to_json(const cost_parameters& costs, bool inside_a_node, bool between_nodes,
                    const std::string& file) {
  ordered_json values;
  for (const cost_field& each : cost_fields()) values[std::string{each.name}] = costs.*each.value;
  const ordered_json whole{{"tuning_file", file},
                           {"measured_inside_a_node", inside_a_node},
                           {"measured_between_nodes", between_nodes},
                           {"parameters", std::move(values)}};
  return whole.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace peal::info
