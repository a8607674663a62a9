#include "request/options/placement_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <utility>

#include "request/checks.hpp"

namespace peal::launcher {

namespace {

constexpr std::array localities{locality::slot, locality::core,   locality::l3,
                                locality::numa, locality::socket, locality::node};
constexpr std::array bindings{binding::none, binding::core, binding::l3, binding::numa,
                              binding::socket};

template <class Enum, std::size_t N>
std::vector<std::string> names_of(const std::array<Enum, N>& all) {
  std::vector<std::string> names;
  for (const Enum each : all) names.emplace_back(name_of(each));
  return names;
}

template <class Enum, std::size_t N>
Enum named(const std::array<Enum, N>& all, std::string_view name) {
  for (const Enum each : all)
    if (name == name_of(each)) return each;
  return all.front();  // it was checked
}

// The word before the colon, and the number of PE=n behind it; 0: there is none.
std::optional<std::pair<std::string, int>> read_map_by(const std::string& text) {
  constexpr std::string_view sign = "PE=";
  const auto colon = text.find(':');
  std::pair<std::string, int> made{text.substr(0, colon), 0};
  if (colon != std::string::npos) {
    std::string rest = text.substr(colon + 1);
    if (rest.starts_with("pe=")) rest.replace(0, sign.size(), sign);
    if (!rest.starts_with(sign)) return std::nullopt;
    const auto count = number_in<int>(rest.substr(sign.size()));
    if (!count || *count < 1 || *count > most_threads) return std::nullopt;
    made.second = *count;
  }
  for (const locality each : localities)
    if (made.first == name_of(each)) return made;
  return std::nullopt;
}

std::string check_map_by(const std::string& text) {
  if (read_map_by(text)) return {};
  return fmt::format(
      "'{}' is not known: slot, core, l3, numa, socket or node is allowed, and behind it :PE=n for "
      "n cores a rank",
      text);
}

std::string check_cpu_set(const std::string& text) {
  if (!numbers_in(text).empty()) return {};
  return fmt::format(
      "'{}' is no list of hardware threads: numbers and ranges such as 0-3,8 are allowed", text);
}

}  // namespace

void placement_options::declare(CLI::App& app) {
  app.option_defaults()->group("Placement");
  app.add_option("--map-by", map_by_,
                 "deal ranks out over these, n cores a rank; slot (as set): a core after the other")
      ->check(check_map_by)
      ->type_name("slot|core|l3|numa|socket|node[:PE=n]");
  app.add_option("--rank-by", rank_by_,
                 "number ranks in this order; slot (as set): as they were mapped")
      ->check(one_of(names_of(localities)))
      ->type_name("");
  app.add_option("--bind-to", bind_to_,
                 "let a rank run on these only; when not given on its cores, unless there is one "
                 "rank, too few cores, or a container")
      ->check(one_of(names_of(bindings)))
      ->type_name("");
  app.add_option("--cpu-set", cpu_set_, "use only these hardware threads, such as 0-3,8")
      ->check(check_cpu_set)
      ->type_name("LIST");
  app.add_option("--rankfile", rankfile_,
                 "a file with a line for each rank: rank 0=HOST slot=SOCKET:CORES")
      ->check(check_file_name)
      ->type_name("FILE");
  app.add_flag("--no-oversubscribe", no_oversubscribe_, "more ranks than cores are an error");
  app.add_option("--ppn", ranks_per_node_, "at most so many ranks on a node (also -ppn)")
      ->check(check_ranks)
      ->type_name("COUNT");
  app.add_flag("--report-bindings", report_bindings_, "say where each rank runs");
  app.add_flag("--explain", explain_, "say what would be done, and start nothing");
}

void placement_options::refuse_contradictions() const {
  if (rankfile_.empty()) return;
  const std::pair<const char*, const std::string*> others[] = {{"--map-by", &map_by_},
                                                               {"--rank-by", &rank_by_},
                                                               {"--bind-to", &bind_to_},
                                                               {"--cpu-set", &cpu_set_},
                                                               {"--ppn", &ranks_per_node_}};
  for (const auto& [option, value] : others)
    if (!value->empty())
      throw stop{2, fmt::format("pealrun: --rankfile and {} contradict each other: the file says "
                                "where each rank runs; leave one out\n",
                                option)};
}

void placement_options::put_into(job_request& request) const {
  refuse_contradictions();
  placement_request& made = request.placement;
  if (!map_by_.empty()) {
    const auto [word, count] = *read_map_by(map_by_);
    made.map_by = named(localities, word);
    made.cores_per_rank = count;
  }
  if (!rank_by_.empty()) made.rank_by = named(localities, rank_by_);
  if (!bind_to_.empty()) made.bind_to = named(bindings, bind_to_);
  made.cpu_set = numbers_in(cpu_set_);
  made.rankfile = rankfile_;
  if (!ranks_per_node_.empty()) made.ranks_per_node = *number_in<int>(ranks_per_node_);
  made.oversubscribe = !no_oversubscribe_;
  made.report_bindings = report_bindings_;
  made.explain = explain_;
}

}  // namespace peal::launcher
