#include "placement/mapping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace peal::launcher {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw stop{2, fmt::format("pealrun: {}\n", what)};
}

std::string counted(long long count, const char* of) {
  return fmt::format("{} {}{}", count, of, count == 1 ? "" : "s");
}

const char* words_for(locality of) {
  switch (of) {
    case locality::l3: return "L3 cache";
    case locality::numa: return "NUMA node";
    case locality::socket: return "socket";
    default: return "node";
  }
}

int domain_of(const node_core& core, locality of) {
  switch (of) {
    case locality::l3: return core.l3;
    case locality::numa: return core.numa;
    case locality::socket: return core.socket;
    case locality::core: return core.number;
    default: return 0;
  }
}

locality locality_of(binding of) {
  switch (of) {
    case binding::l3: return locality::l3;
    case binding::numa: return locality::numa;
    default: return locality::socket;
  }
}

// Cores, domain by domain in the order in which these are met.
std::vector<std::vector<int>> domains(const node_cores& node, const std::vector<int>& cores,
                                      locality of) {
  std::vector<std::vector<int>> made;
  std::map<int, std::size_t> at;
  for (const int each : cores) {
    const int domain = domain_of(node.cores[static_cast<std::size_t>(each)], of);
    const auto [found, added] = at.emplace(domain, made.size());
    if (added) made.emplace_back();
    made[found->second].push_back(each);
  }
  return made;
}

// Cores that no rank has yet.
class core_pool {
 public:
  core_pool(const node_cores& node, std::vector<int> cores)
      : node_{node}, cores_{std::move(cores)}, left_(node.cores.size()) {
    refill();
  }
  [[nodiscard]] const std::vector<int>& cores() const { return cores_; }
  void refill() {
    for (const int each : cores_) left_[static_cast<std::size_t>(each)] = true;
  }

  // So many of these, the first ones that have as much in common as can be: a cache if one has
  // enough left, else a NUMA node, a socket. Nothing when there are not enough.
  std::optional<std::vector<int>> take(const std::vector<int>& of, int count) {
    std::vector<int> here;
    for (const int each : of) {
      if (left_[static_cast<std::size_t>(each)]) here.push_back(each);
      if (count == 1 && !here.empty()) break;
    }
    const auto wanted = static_cast<std::size_t>(count);
    if (here.size() < wanted) return std::nullopt;
    if (count > 1)
      for (const locality level : {locality::l3, locality::numa, locality::socket})
        for (const std::vector<int>& domain : domains(node_, here, level))
          if (domain.size() >= wanted) return first_of(domain, wanted);
    return first_of(here, wanted);
  }

 private:
  std::vector<int> first_of(const std::vector<int>& of, std::size_t count) {
    std::vector<int> taken(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(count));
    for (const int each : taken) left_[static_cast<std::size_t>(each)] = false;
    return taken;
  }

  const node_cores& node_;
  std::vector<int> cores_;
  std::vector<bool> left_;
};

void refuse_wide_ranks(const node_cores& node, const placement_request& asked,
                       const std::vector<program_wish>& programs) {
  const locality over = *asked.map_by;
  std::size_t widest = 0;
  for (const auto& each : domains(node, node.usable(), over))
    widest = std::max(widest, each.size());
  for (const program_wish& each : programs)
    if (static_cast<std::size_t>(each.cores) > widest)
      refuse(
          fmt::format("--map-by {}: a rank wants {} cores ({}), but no {} has more than {} that "
                      "may be used here",
                      name_of(over), each.cores,
                      asked.cores_per_rank > 0 ? fmt::format("PE={}", each.cores)
                                               : "--threads or OMP_NUM_THREADS",
                      words_for(over), widest));
}

// Cores for each rank, in the order of mapping. With too few cores it begins anew.
std::vector<std::vector<int>> deal_out(const node_cores& node, const placement_request& asked,
                                       const std::vector<program_wish>& programs,
                                       const std::vector<int>& cores) {
  const locality over = asked.map_by.value_or(locality::slot);
  const bool round_robin =
      over == locality::l3 || over == locality::numa || over == locality::socket;
  core_pool pool{node, cores};
  const auto parts = domains(node, cores, round_robin ? over : locality::node);
  std::size_t next = 0;
  const auto try_once = [&](int count) -> std::optional<std::vector<int>> {
    for (std::size_t step = 0; step < parts.size(); ++step) {
      const std::size_t at = (next + step) % parts.size();
      if (auto taken = pool.take(parts[at], count)) {
        next = (at + 1) % parts.size();
        return taken;
      }
    }
    return pool.take(pool.cores(), count);
  };
  std::vector<std::vector<int>> made;
  for (const program_wish& program : programs)
    for (int rank = 0; rank < program.ranks; ++rank) {
      const int count = std::min(program.cores, static_cast<int>(cores.size()));
      auto taken = try_once(count);
      if (!taken) {
        pool.refill();
        taken = try_once(count);
      }
      std::sort(taken->begin(), taken->end());
      made.push_back(std::move(*taken));
    }
  return made;
}

// Numbers the ranks of each program in the order asked for.
void number_ranks(const node_cores& node, locality by, const std::vector<program_wish>& programs,
                  std::vector<std::vector<int>>& ranks) {
  if (by == locality::slot || by == locality::node) return;
  auto from = ranks.begin();
  for (const program_wish& program : programs) {
    const auto to = from + program.ranks;
    std::stable_sort(
        from, to, [](const auto& one, const auto& other) { return one.front() < other.front(); });
    // A round is one rank of each domain.
    std::map<int, int> met;
    std::vector<std::pair<int, std::vector<int>>> rounds;
    for (auto each = from; each != to; ++each) {
      const node_core& first = node.cores[static_cast<std::size_t>(each->front())];
      const int round = by == locality::core ? 0 : met[domain_of(first, by)]++;
      rounds.emplace_back(round, std::move(*each));
    }
    std::stable_sort(rounds.begin(), rounds.end(),
                     [](const auto& one, const auto& other) { return one.first < other.first; });
    std::transform(rounds.begin(), rounds.end(), from,
                   [](auto& each) { return std::move(each.second); });
    from = to;
  }
}

// All of `cores` that lie in a domain together with one of the rank's.
std::vector<int> widened(const node_cores& node, const std::vector<int>& rank, locality to,
                         const std::vector<int>& cores) {
  std::vector<int> made;
  for (const int each : cores) {
    const int domain = domain_of(node.cores[static_cast<std::size_t>(each)], to);
    if (std::any_of(rank.begin(), rank.end(), [&](int own) {
          return domain_of(node.cores[static_cast<std::size_t>(own)], to) == domain;
        }))
      made.push_back(each);
  }
  return made;
}

// Marks places that have a core in common with another one; how many cores there are in all.
int mark_shared(const node_cores& node, std::vector<place>& places) {
  std::vector<int> ranks_on(node.cores.size());
  for (const place& each : places)
    for (const int core : each.cores) ++ranks_on[static_cast<std::size_t>(core)];
  for (place& each : places)
    each.shared = std::any_of(each.cores.begin(), each.cores.end(), [&](int core) {
      return ranks_on[static_cast<std::size_t>(core)] > 1;
    });
  return static_cast<int>(
      std::count_if(ranks_on.begin(), ranks_on.end(), [](int ranks) { return ranks > 0; }));
}

struct demand {
  int ranks = 0;
  long long cores = 0;
  bool stated = false;
  int usable = 0;     // cores, the quota respected
  int taken = 0;      // by other jobs
  int available = 0;  // usable and not taken
};

std::string shortage(const demand& of, const placement_request& asked) {
  std::string line = counted(of.ranks, "rank");
  if (of.cores > of.ranks)
    line += fmt::format(
        " that want{} {} cores ({})", of.ranks == 1 ? "s" : "", of.cores,
        asked.cores_per_rank > 0 ? fmt::format("PE={}", asked.cores_per_rank) : "OMP_NUM_THREADS");
  line += " on " + counted(of.usable, "core");
  if (of.cores <= of.usable)
    line += fmt::format(", of which other jobs of pealrun hold {}", of.taken);
  return line;
}

mapping by_rankfile(const node_cores& node, const placement_request& asked, const node_state& state,
                    const std::vector<rankfile_line>& lines, int ranks) {
  mapping made;
  made.places = places_of(lines, node, ranks, asked.rankfile, state.host);
  made.cores = mark_shared(node, made.places);
  const auto held = [&](const place& of) {
    return std::any_of(of.cores.begin(), of.cores.end(),
                       [&](int core) { return state.held[static_cast<std::size_t>(core)]; });
  };
  for (std::size_t rank = 0; rank < made.places.size() && made.warning.empty(); ++rank) {
    const place& each = made.places[rank];
    const std::string whose = fmt::format("rank {} is put on core{} {}", rank,
                                          each.cores.size() == 1 ? "" : "s", list_text(each.cores));
    if (each.shared) made.warning = whose + ", which another rank of the job has too";
    else if (held(each)) made.warning = whose + ", which another job of pealrun holds";
  }
  if (!asked.oversubscribe && !made.warning.empty())
    refuse(fmt::format("{}: {} (--no-oversubscribe)", asked.rankfile, made.warning));
  return made;
}

// Why ranks are not bound; empty: they are.
std::string reason_against(const placement_request& asked, const demand& of,
                           const node_state& state) {
  if (asked.bind_to == binding::none) return "--bind-to none";
  if (state.blind) return "the cores of other jobs cannot be seen";
  const bool to_domain = asked.bind_to != binding::automatic && asked.bind_to != binding::core;
  if (asked.bind_to == binding::automatic && !state.objection.empty()) return state.objection;
  if (of.cores > of.available && !to_domain) return "ranks share cores";
  if (asked.bind_to == binding::automatic && of.ranks == 1 && !of.stated && !asked.map_by)
    return "a single rank may use all cores";
  return {};
}

}  // namespace

node_cores cores_for(const node_cores& node, const placement_request& asked) {
  if (asked.cpu_set.empty()) return node;
  const std::vector<int> may = node.all_threads();
  std::vector<int> missing;
  std::set_difference(asked.cpu_set.begin(), asked.cpu_set.end(), may.begin(), may.end(),
                      std::back_inserter(missing));
  if (!missing.empty())
    refuse(fmt::format(
        "--cpu-set {}: {} {} not among the hardware threads that pealrun may use "
        "here: {} {} allowed",
        list_text(asked.cpu_set), list_text(missing), missing.size() == 1 ? "is" : "are",
        list_text(may), may.size() == 1 ? "is" : "are"));
  return node.restricted_to(asked.cpu_set);
}

mapping map_ranks(const node_cores& node, const placement_request& asked,
                  const std::vector<program_wish>& programs, const node_state& state,
                  const std::vector<rankfile_line>& lines) {
  const std::vector<int> all = node.usable();
  std::vector<int> free;
  for (const int each : all)
    if (state.blind || !state.held[static_cast<std::size_t>(each)]) free.push_back(each);
  demand of;
  for (const program_wish& each : programs) {
    of.ranks += each.ranks;
    of.cores += static_cast<long long>(each.ranks) * each.cores;
    of.stated = of.stated || each.stated;
  }
  of.usable = std::max(1, std::min(static_cast<int>(all.size()), state.quota));
  of.taken = static_cast<int>(all.size() - free.size());
  of.available = std::min(static_cast<int>(free.size()), of.usable);
  if (asked.ranks_per_node > 0 && of.ranks > asked.ranks_per_node)
    refuse(
        fmt::format("{} with at most {} a node (-ppn): all of them run on this one, so ask for "
                    "fewer, raise -ppn, or use an engine for several nodes",
                    counted(of.ranks, "rank"), asked.ranks_per_node));
  if (!asked.rankfile.empty()) return by_rankfile(node, asked, state, lines, of.ranks);
  if (asked.map_by && *asked.map_by != locality::slot && *asked.map_by != locality::core &&
      *asked.map_by != locality::node)
    refuse_wide_ranks(node, asked, programs);

  const bool share = of.cores > of.available;
  if (share && !asked.oversubscribe)
    refuse(shortage(of, asked) +
           ": too many (--no-oversubscribe); start fewer, or leave that option out");
  mapping made;
  made.unbound = reason_against(asked, of, state);
  made.cores = std::max(1, of.available);
  if (!made.unbound.empty()) {
    // Threads of a rank that is not bound may be more than cores: whoever wants that, asks for it.
    const bool too_many =
        asked.bind_to == binding::none ? of.ranks > of.usable : of.cores > of.usable;
    if (too_many || made.unbound == "ranks share cores")
      made.warning = shortage(of, asked) + ": ranks share cores and are not bound";
    else if (asked.bind_to == binding::automatic && (asked.map_by || asked.rank_by))
      made.warning = fmt::format(
          "ranks are not bound ({}), so {} has no effect; --bind-to core "
          "binds them",
          made.unbound, asked.map_by ? "--map-by" : "--rank-by");
    place everywhere;
    if (!asked.cpu_set.empty()) everywhere = place::at(node, all);
    everywhere.bound = false;
    made.places.assign(static_cast<std::size_t>(of.ranks), everywhere);
    return made;
  }
  const std::vector<int>& cores = free.empty() ? all : free;
  auto ranks = deal_out(node, asked, programs, cores);
  number_ranks(node, asked.rank_by.value_or(locality::slot), programs, ranks);
  const bool to_domain = asked.bind_to != binding::automatic && asked.bind_to != binding::core;
  for (std::vector<int>& each : ranks)
    made.places.push_back(
        place::at(node, to_domain ? widened(node, each, locality_of(asked.bind_to), cores)
                                  : std::move(each)));
  const int distinct = mark_shared(node, made.places);
  made.cores = std::max(1, std::min(distinct, of.usable));
  if (share)
    made.warning = shortage(of, asked) + fmt::format(": ranks share the cores of {}s",
                                                     words_for(locality_of(asked.bind_to)));
  return made;
}

}  // namespace peal::launcher
