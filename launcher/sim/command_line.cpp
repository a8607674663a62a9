#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "base/value_types.hpp"
#include "collective/choice/choice.hpp"
#include "collective/choice/tuning.hpp"
#include "config.h"

namespace peal::sim {

namespace {

using detail::collective;
using simulator::adapter;

/// Of all collectives.
std::array<std::string_view, detail::collectives_in_all> all_names() {
  std::array<std::string_view, detail::collectives_in_all> made;
  for (std::size_t i = 0; i != made.size(); ++i) made[i] = name_of(static_cast<collective>(i));
  return made;
}

template <class Range, class Name>
std::string listed(const Range& range, Name name) {
  std::string all;
  for (const auto& each : range) all += fmt::format("{}{}", all.empty() ? "" : " ", name(each));
  return all;
}

/// As they are written; empty: not given.
struct words_given {
  std::string kind, bytes, algorithm, nic = "connectx7", segment, cache, context, bells = "batched",
                                      by = "auto", over, tuning;
  std::uint32_t streams = 0;
  int radix = 0;
  double gigabits = 0, doorbell_ns = 0;
};

std::size_t size_of(const char* option, const std::string& text, std::size_t least,
                    std::size_t most) {
  std::size_t found = 0;
  try {
    found = parse_bytes(text);
  } catch (const std::invalid_argument&) {
    throw std::invalid_argument(
        fmt::format("{} {}: not a size such as 4096, 64K or 1M", option, text));
  }
  if (found < least || found > most)
    throw std::invalid_argument(
        fmt::format("{} {}: must be from {} to {} bytes", option, text, least, most));
  return found;
}

simulator::method method_of(const std::string& text) {
  if (text == "auto") return simulator::method::automatic;
  if (text == "full") return simulator::method::full;
  if (text == "classes") return simulator::method::classes;
  if (text == "segments") return simulator::method::segments;
  throw std::invalid_argument(
      fmt::format("--method {}: must be auto, full, classes or segments", text));
}

void define(CLI::App& app, request& made, words_given& given, adapter& own) {
  app.set_help_flag("-h,--help", "print this and end");
  app.set_version_flag("-V,--version", PACKAGE_STRING);
  app.add_option("collective", given.kind,
                 "one of: " + listed(all_names(), [](auto each) { return each; }))
      ->required();
  app.add_option("-n", made.ranks, "ranks")
      ->required()
      ->check(CLI::Range(1, simulator::most_ranks));
  app.add_option(
      "--bytes", given.bytes,
      "of a rank's block; of bcast, reduce, allreduce, scan, exscan the whole vector (8)");
  app.add_option("--element", made.element, "bytes of an element, of reductions (4)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--algorithm", given.algorithm, "only this one");
  app.add_option("--radix", given.radix, "of trees")->check(CLI::Range(2, 1024));
  app.add_option("--segment", given.segment,
                 "cut long vectors into segments of so many bytes; 0: do not cut");
  app.add_option("--streams", given.streams, "in which segments run")
      ->check(CLI::Range(std::uint32_t{1}, schedule::max_streams));
  app.add_option("--method", given.by,
                 "auto, full (play all ranks), classes (ranks that stand for all) or segments (the "
                 "first of a vector)");
  simulator::machine& on = made.on;
  app.add_option("--ranks-per-node", on.ranks_per_node, "(1)")->check(CLI::Range(1, 4096));
  app.add_option("--cores", on.cores, "of a node, which its ranks share (as many as ranks)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--tuning", given.tuning,
                 "a file of peal-info --tune, for what processors and adapters take");
  app.add_option("--leaf-nodes", on.net.leaf_nodes, "nodes a leaf switch (32)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--oversubscription", on.net.oversubscription,
                 "links down for each link up of a leaf switch (1)")
      ->check(CLI::Range(0.01, 1000.0));
  app.add_option("--switch-ns", on.net.switch_ns, "latency of a switch")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--cable-ns", on.net.cable_ns, "latency of a cable")->check(CLI::Range(0.0, 1e8));
  app.add_option("--nic", given.nic,
                 "adapter: " + listed(simulator::known_adapters(),
                                      [](const adapter& each) { return each.name; }));
  app.add_option("--link-gbps", given.gigabits, "Gb/s of the adapter's link")
      ->check(CLI::Range(0.001, 1e5));
  app.add_option("--units", own.units, "processing units of the adapter")
      ->check(CLI::Range(1, 1024));
  app.add_option("--pairs-per-unit", own.pairs_per_unit,
                 "neighbouring queue pairs that share a unit")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--unit-ns", own.unit_ns, "of a unit for a packet")->check(CLI::Range(0.0, 1e6));
  app.add_option("--doorbell-ns", given.doorbell_ns, "of the processor")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--pcie-ns", own.pcie_ns, "from adapter to memory and back")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--nic-cache", given.cache,
                 "the adapter's memory for contexts of queue pairs (4M)");
  app.add_option("--context", given.context, "bytes of a context (375)");
  app.add_option("--qps", on.queue_pairs, "queue pairs for large messages, to each peer (1)")
      ->check(CLI::Range(1, 64));
  app.add_option(
      "--doorbells", given.bells,
      "batched (one for all requests of a round to a queue pair) or each (one a request)");
  app.add_option("--plot", made.plot, "write a picture (SVG): time, a line for each algorithm");
  app.add_option("--over", given.over,
                 "of the picture: bytes (4 to those of --bytes) or ranks (2 to those of -n)");
  app.add_flag("--json", made.json, "one JSON object, for programs");
}

/// Options that were not given leave what the named adapter has.
void merge(const CLI::App& app, adapter& into, const adapter& own) {
  const auto given = [&](const char* option) { return app.count(option) != 0; };
  if (given("--units")) into.units = own.units;
  if (given("--pairs-per-unit")) into.pairs_per_unit = own.pairs_per_unit;
  if (given("--unit-ns")) into.unit_ns = own.unit_ns;
  if (given("--pcie-ns")) into.pcie_ns = own.pcie_ns;
}

void judge(const CLI::App& app, request& made, const words_given& given, const adapter& own) {
  const auto names = all_names();
  const auto kind = std::ranges::find(names, given.kind);
  if (kind == names.end())
    throw std::invalid_argument(fmt::format("{}: no such collective; there are {}", given.kind,
                                            listed(names, [](auto each) { return each; })));
  made.kind = static_cast<collective>(kind - names.begin());
  // A range does not exclude what is no number.
  for (const double each :
       {made.on.net.oversubscription, made.on.net.switch_ns, made.on.net.cable_ns, given.gigabits,
        own.unit_ns, given.doorbell_ns, own.pcie_ns})
    if (!std::isfinite(each))
      throw std::invalid_argument("--oversubscription, --link-gbps and times must be numbers");
  if (!given.algorithm.empty()) {
    made.only = find_algorithm(made.kind, given.algorithm);
    std::string there;
    for (const algorithm& each : all_algorithms())
      if (each.kind == made.kind) there += fmt::format("{}{}", there.empty() ? "" : " ", each.name);
    if (!made.only)
      throw std::invalid_argument(fmt::format("{}: no such algorithm of {}; there are {}",
                                              given.algorithm, given.kind, there));
  }
  if (made.kind == collective::barrier) made.bytes = 0;
  else if (!given.bytes.empty())
    made.bytes = size_of("--bytes", given.bytes, 1, simulator::most_bytes);
  if (detail::is_reduction(made.kind) && made.bytes % made.element != 0)
    throw std::invalid_argument(fmt::format(
        "--bytes {}: not a multiple of the {} bytes of an element", given.bytes, made.element));
  const adapter* nic = simulator::find_adapter(given.nic);
  if (!nic)
    throw std::invalid_argument(fmt::format(
        "{}: no such adapter; there are {}, and options for all that is in them", given.nic,
        listed(simulator::known_adapters(), [](const adapter& each) { return each.name; })));
  made.on.nic = *nic;
  if (!given.tuning.empty()) {
    const tuning found = read_tuning_file(given.tuning);
    if (!found.problem.empty()) throw std::invalid_argument(found.problem);
    simulator::take_costs(made.on, found.costs);
  }
  merge(app, made.on.nic, own);
  if (app.count("--doorbell-ns") != 0) made.on.costs.remote_doorbell_ns = given.doorbell_ns;
  if (given.gigabits > 0) made.on.nic.link_rate = given.gigabits / 8;
  if (!given.cache.empty())
    made.on.nic.cache_bytes = size_of("--nic-cache", given.cache, 0, std::size_t{1} << 40);
  if (!given.context.empty())
    made.on.nic.context_bytes = size_of("--context", given.context, 0, 1 << 20);
  if (given.bells != "batched" && given.bells != "each")
    throw std::invalid_argument(
        fmt::format("--doorbells {}: must be batched or each", given.bells));
  made.on.ring = given.bells == "each" ? simulator::doorbells::each : simulator::doorbells::batched;
  made.by = method_of(given.by);
  if (given.radix != 0) made.radix = given.radix;
  if (!given.segment.empty())
    made.cut = segmentation{size_of("--segment", given.segment, 0, simulator::most_bytes), 1};
  if (given.streams != 0) {
    if (!made.cut || made.cut->bytes == 0) throw std::invalid_argument("--streams needs --segment");
    made.cut->streams = given.streams;
  }
  if (made.cut && made.cut->bytes != 0 && made.cut->bytes < 1024 && made.bytes > (1 << 20))
    throw std::invalid_argument(fmt::format(
        "--segment {}: at least 1K, where there are more than 1M to be cut", given.segment));
  if (!given.over.empty() && made.plot.empty()) throw std::invalid_argument("--over needs --plot");
  if (!given.over.empty() && given.over != "bytes" && given.over != "ranks")
    throw std::invalid_argument(fmt::format("--over {}: must be bytes or ranks", given.over));
  made.over_ranks = given.over.empty() ? made.kind == collective::barrier : given.over == "ranks";
  if (made.plot.empty()) return;
  if (made.over_ranks ? made.ranks < 4 : made.bytes < 16)
    throw std::invalid_argument(made.over_ranks ? "--plot over ranks needs at least 4 of them"
                                                : "--plot over bytes needs --bytes 16 or more");
}

}  // namespace

reading read_command_line(int count, char** words) {
  CLI::App app{
      "peal-sim predicts what a collective takes on a machine that is described to it, with each "
      "of its algorithms.",
      "peal-sim"};
  request made;
  words_given given;
  adapter own;
  define(app, made, given, own);
  try {
    app.parse(count, words);
    judge(app, made, given, own);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return {};
  } catch (const CLI::CallForVersion& version) {
    fmt::print("peal-sim ({})\n", version.what());
    return {};
  } catch (const CLI::ParseError& problem) {
    fmt::print(stderr, "peal-sim: {}; peal-sim --help lists the options\n", problem.what());
    return {{}, 2};
  } catch (const std::invalid_argument& problem) {
    fmt::print(stderr, "peal-sim: {}\n", problem.what());
    return {{}, 2};
  }
  return {made, 0};
}

}  // namespace peal::sim
