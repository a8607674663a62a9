// The report for people: a line a fact, narrow enough for a terminal, problems last, where they are
// seen.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "config.h"
#include "report.hpp"

namespace peal::info {

namespace {

using out = std::back_insert_iterator<std::string>;

std::string size(std::uint64_t bytes) {
  constexpr std::uint64_t kib = 1024;
  if (bytes >= std::uint64_t{1} << 60) return "any length";
  if (bytes >= 10 * kib * kib * kib) return fmt::format("{} GiB", bytes / (kib * kib * kib));
  if (bytes >= 10 * kib * kib) return fmt::format("{} MiB", bytes / (kib * kib));
  return bytes >= 10 * kib ? fmt::format("{} KiB", bytes / kib) : fmt::format("{} B", bytes);
}

void write(out to, const machine_report& here) {
  fmt::format_to(to, "Machine {}\n", here.host);
  fmt::format_to(to, "  cores          {}{}\n", here.cores,
                 here.usable_cores < here.cores
                     ? fmt::format(", of which {} may be busy at a time", here.usable_cores)
                     : "");
  fmt::format_to(to, "  locked memory  {}\n",
                 here.locked_memory ? size(*here.locked_memory) : "unlimited");
  fmt::format_to(
      to, "  shared memory  {}, {}\n", here.shared_folder,
      here.shared_free ? fmt::format("{} free", size(*here.shared_free)) : "which is not there");
  fmt::format_to(
      to, "  direct copies  {}\n",
      here.direct_copy_problem.empty() ? "allowed" : "not allowed: " + here.direct_copy_problem);
}

void write(out to, const std::vector<transport_report>& transports) {
  fmt::format_to(to, "\nTransports\n");
  for (const transport_report& each : transports)
    fmt::format_to(
        to, "  {:<6} {}{}\n", each.name, each.carries,
        each.problem.empty() ? "" : fmt::format("\n         not usable: {}", each.problem));
}

/// `used`: null where this port is not.
void write(out to, const verbs::port_report& port, const verbs::choice* used) {
  fmt::format_to(to, "    port {}: {}, {}, {} Gb/s, MTU {} of {}\n", port.port, port.state,
                 port.ethernet ? "Ethernet" : "InfiniBand", port.gigabits, port.mtu, port.most_mtu);
  if (!port.ethernet) {
    std::string keys;
    for (const std::uint16_t each : port.pkeys)
      if (each != 0) keys += fmt::format("{}{:#06x}", keys.empty() ? "" : ", ", each);
    fmt::format_to(to, "      LID {}{}, subnet manager {}, P_Keys {}{}\n", port.lid,
                   port.lmc > 0 ? fmt::format(" to {}", port.lid + (1 << port.lmc) - 1) : "",
                   port.manager, keys.empty() ? "none" : keys,
                   port.needs_grh ? ", every packet needs a GRH" : "");
  }
  for (const verbs::gid_entry& gid : port.gids) {
    if (verbs::class_of(gid) == verbs::gid_class::empty) continue;
    fmt::format_to(to, "      GID {:<3} {:<28} {}{}\n", gid.index, verbs::to_text(gid.bytes),
                   verbs::to_text(verbs::class_of(gid)),
                   used && gid.index == used->gid.index ? "   <- used" : "");
  }
}

void write_devices(out to, const report& all) {
  fmt::format_to(to, "\nRDMA devices\n");
  if (all.devices.empty()) fmt::format_to(to, "  none\n");
  std::size_t port_index = 0;
  for (const verbs::device_report& each : all.devices) {
    if (!each.problem.empty()) {
      fmt::format_to(to, "  {}: cannot be opened: {}\n", each.name, each.problem);
      continue;
    }
    const bool near = !each.ports.empty() && each.ports.front().near;
    fmt::format_to(to, "  {}: {}{}\n", each.name,
                   near ? "near these cores" : "far from these cores",
                   each.firmware.empty() ? "" : ", firmware " + each.firmware);
    fmt::format_to(to,
                   "    limits: {} queue pairs of {} requests, {} pieces a request, {} "
                   "completions, {}, {} READs under way, {} a registration\n",
                   each.queue_pairs, each.queue_depth, each.pieces, each.completions,
                   each.shared_receives > 0
                       ? fmt::format("{} shared receives", each.shared_receives)
                       : "no shared receives",
                   each.reads, size(each.longest_registration));
    for (const verbs::port_report& port : each.ports) {
      const auto used = std::ranges::find(all.rails, port_index++, &verbs::choice::port);
      write(to, port, used != all.rails.end() ? &*used : nullptr);
    }
  }
  for (std::size_t each = 0; each < all.rails.size(); ++each)
    fmt::format_to(to, "  used{}: {}, GID {} ({})\n",
                   each == 0 ? ""
                   : all.rails[each].role == verbs::choice_role::instead
                       ? " where a rank lacks that "
                         "network"
                       : " for parts of large "
                         "messages",
                   all.rail_names[each], all.rails[each].gid.index, all.rails[each].reason);
  for (const report::skipped_port& each : all.skipped_ports)
    fmt::format_to(to, "  not used: {}: {}\n", each.name, each.reason);
  if (all.rails.empty()) return;
  if (all.cache_problem.empty()) fmt::format_to(to, "  memory stays registered after its use\n");
  else fmt::format_to(to, "  memory is registered anew for each use: {}\n", all.cache_problem);
  if (all.pinned > 0)
    fmt::format_to(to,
                   "  memory pinned for messages: {} KiB of a rank with one peer, {} KiB at most "
                   "(PEAL_VERBS_PINNED)\n",
                   all.pinned / 1024, all.most_pinned / 1024);
  for (const verbs::granted_limit& each : all.limits)
    if (each.granted < each.wanted)
      fmt::format_to(to, "  it grants less than peal asks for: {}: {} instead of {}\n", each.what,
                     each.granted, each.wanted);
}

void write_choice(out to, const report& all) {
  fmt::format_to(to, "\nChoice of algorithms\n  costs          {}\n",
                 all.tuning_file.empty() ? "built in" : all.tuning_file);
}

void write(out to, const std::vector<setting>& settings) {
  fmt::format_to(to, "\nVariables (* set)\n");
  for (const setting& each : settings)
    fmt::format_to(to, "{} {} = {}\n      {}; allowed: {}\n", each.is_set ? '*' : ' ', each.name,
                   each.value.empty() ? "(nothing)" : each.value, each.meaning, each.allowed);
}

}  // namespace

std::string to_text(const report& all) {
  std::string text = PACKAGE_STRING "\n\n";
  const out to{text};
  write(to, all.machine);
  write(to, all.transports);
  write_devices(to, all);
  write_choice(to, all);
  write(to, all.settings);
  fmt::format_to(to, "\nProblems\n");
  if (all.problems.empty()) fmt::format_to(to, "  none\n");
  for (const std::string& each : all.problems) fmt::format_to(to, "  - {}\n", each);
  return text;
}

}  // namespace peal::info
