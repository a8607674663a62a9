// The rules. The bounds are estimates from counts of messages and bytes; a bound that rests on a
// measurement says so in its line.
#include "collective/choice/choice.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "collective/choice/tuned_algorithm.hpp"

namespace peal {

namespace {

using detail::collective;

constexpr std::size_t any_bytes = std::numeric_limits<std::size_t>::max();
constexpr int any_ranks = std::numeric_limits<int>::max();

struct rule {
  collective kind;
  int most_ranks;
  std::size_t most_bytes;  // not looked at where blocks vary and ranks do not agree on them
  std::string_view name;
  int radix = 2;
  segmentation cut{};
  int most_a_node = any_ranks;  // where some node has no more ranks
  int least_ranks = 0;
  std::size_t least_part = 0;  // bytes of the vector for each rank
  // Not where ranks of a node are no neighbours: a ring would cross between nodes at every step.
  bool in_order = false;
  bool halved_by_node = false;  // where `halves_by_node`
};

constexpr std::size_t K = 1024;

/// For more than 16 ranks, each with so many bytes of the vector. Fewer may be those of one node,
/// where this was not measured.
constexpr rule long_parts(rule made, std::size_t least) {
  made.least_ranks = 17;
  made.least_part = least;
  return made;
}

constexpr rule ring_of_long_parts(collective kind, std::size_t least) {
  rule made = long_parts({kind, any_ranks, any_bytes, "ring"}, least);
  made.in_order = true;
  return made;
}

/// Not measured where nodes have so many ranks, but prices and peal-sim agree.
constexpr rule where_halved_by_node(rule made) {
  made.halved_by_node = true;
  return made;
}

// The last rule of a collective has no bounds and an algorithm that serves everything.
constexpr std::array rules{
    // "leaders" and "shares" serve where nodes have several ranks, and are passed over elsewhere.
    rule{collective::barrier, any_ranks, any_bytes, "leaders", 4},
    rule{collective::barrier, 16, any_bytes, "flat"},
    rule{collective::barrier, any_ranks, any_bytes, "dissemination"},

    rule{collective::bcast, any_ranks, 4 * K, "leaders", 4},
    // Two nodes of the lab with two ranks each, ms, leaders / shares, medians of 3: 64 KiB 24 / 41,
    // 256 KiB 34 / 67, 1 MiB 51 / 119. Prices agree; by them both are alike with three and four
    // ranks a node, and shares are ahead with eight.
    rule{collective::bcast, any_ranks, 32 * K, "shares"},
    rule{collective::bcast, any_ranks, any_bytes, "leaders", 2, {}, 2},
    rule{collective::bcast, any_ranks, any_bytes, "shares", 2, {512 * K, 2}},
    rule{collective::bcast, 2, any_bytes, "tree"},
    rule{collective::bcast, any_ranks, 4 * K, "tree", 4},
    rule{collective::bcast, any_ranks, 128 * K, "tree"},
    // A chain of S segments takes size - 2 + S steps, a tree log2(size) * S; scatter_allgather, two
    // payloads' time but size steps.
    rule{collective::bcast, 32, any_bytes, "chain", 2, {128 * K, 4}},
    rule{collective::bcast, any_ranks, 8192 * K, "tree"},
    rule{collective::bcast, 256, any_bytes, "scatter_allgather"},
    rule{collective::bcast, any_ranks, any_bytes, "tree"},

    rule{collective::reduce, any_ranks, 4 * K, "leaders", 4},
    // peal-sim, µs, scatter_gather / shares: 8 nodes with 16 ranks, 256 KiB 52 / 67, 1 MiB
    // 154 / 194; with 4 ranks, 1 MiB 149 / 171. 6 nodes with 12 ranks, 1 MiB 239 / 180.
    where_halved_by_node(
        {collective::reduce, any_ranks, any_bytes, "scatter_gather", 2, {512 * K, 2}}),
    rule{collective::reduce, any_ranks, any_bytes, "shares", 2, {512 * K, 2}},
    rule{collective::reduce, any_ranks, 4 * K, "tree", 4},
    rule{collective::reduce, any_ranks, 32 * K, "tree"},
    rule{collective::reduce, any_ranks, any_bytes, "scatter_gather", 2, {512 * K, 2}},

    rule{collective::allreduce, any_ranks, 4 * K, "leaders", 4},
    // peal-sim, ms. One rank a node, ring / rabenseifner, which folds whole vectors where ranks are
    // no power of two: 48 ranks 4 MiB 1.01 / 0.86, 16 MiB 1.95 / 3.61; 64 ranks 16 MiB 2.19 / 2.20,
    // 64 MiB 5.97 / 8.81; 200 ranks 64 MiB 8.04 / 15.5. 24 ranks of one node, 16 MiB 2.02 / 3.52;
    // where these share two cores 31.8 / 47.5. Four a node, ring / shares: 6 nodes 32 MiB
    // 4.03 / 6.28, 8 nodes 64 MiB 8.08 / 11.1, 12 nodes 64 MiB 8.24 / 14.0.
    ring_of_long_parts(collective::allreduce, 256 * K),
    // peal-sim, µs, rabenseifner / shares: 8 nodes with 16 ranks, 64 KiB 30 / 20, 256 KiB 58 / 85,
    // 1 MiB 183 / 216; with 4 ranks, 64 KiB 28 / 33, 1 MiB 176 / 179. 6 nodes with 12 ranks, 1 MiB
    // 269 / 238.
    where_halved_by_node(
        {collective::allreduce, any_ranks, any_bytes, "rabenseifner", 2, {512 * K, 2}}),
    rule{collective::allreduce, any_ranks, any_bytes, "shares", 2, {512 * K, 2}},
    rule{collective::allreduce, 16, 256, "flat"},
    rule{collective::allreduce, 4, 4 * K, "flat"},
    // Two ranks on AMD EPYC 9004 with a common cache, floats, µs, doubling against rabenseifner: 8
    // KiB 2.8 / 1.7 (halves of 4 KiB go unasked), 16 KiB 3.6 / 6.0, 32 KiB 6.0 / 8.3, 128 KiB 10 /
    // 12, 512 KiB 35 / 37, 1 MiB 67 / 72, 2 MiB 137 / 162, 16 MiB 6400 / 7400. On an Intel Xeon
    // (family 6, model 167), doubling against ring: 256 KiB 21 / 27, 1 MiB 146 / 132, 4 MiB 930 /
    // 565, 16 MiB 3430 / 2340.
    rule{collective::allreduce, 2, 8 * K, "rabenseifner"},
    rule{collective::allreduce, 2, 512 * K, "doubling", 2, {512 * K, 2}},
    rule{collective::allreduce, 2, any_bytes, "ring"},
    rule{collective::allreduce, any_ranks, 16 * K, "doubling"},
    rule{collective::allreduce, any_ranks, any_bytes, "rabenseifner", 2, {512 * K, 2}},

    rule{collective::gather, 8, any_bytes, "linear"},
    rule{collective::gather, any_ranks, 2 * K, "tree", 4},
    rule{collective::gather, any_ranks, any_bytes, "linear"},

    rule{collective::scatter, 8, any_bytes, "linear"},
    rule{collective::scatter, any_ranks, 2 * K, "tree", 4},
    rule{collective::scatter, any_ranks, any_bytes, "linear"},

    rule{collective::allgather, any_ranks, 1 * K, "leaders", 4},
    rule{collective::allgather, 16, 4 * K, "flat"},
    rule{collective::allgather, any_ranks, 1 * K, "doubling"},
    rule{collective::allgather, any_ranks, 1 * K, "bruck"},
    rule{collective::allgather, any_ranks, any_bytes, "ring"},

    rule{collective::alltoall, 8, any_bytes, "linear"},
    rule{collective::alltoall, any_ranks, 256, "bruck"},
    rule{collective::alltoall, 32, any_bytes, "linear"},
    rule{collective::alltoall, any_ranks, any_bytes, "pairwise"},

    // Four ranks on two cores, floats, µs, flat / halving / pairwise: 4 KiB 8 / 21 / 20, 16 KiB 11
    // / 28 / 15, 64 KiB 56 / 88 / 90, 256 KiB 123 / 131 / 120, 4 MiB 4500 / 4900 / 4000. Two ranks:
    // flat and pairwise alike.
    rule{collective::reduce_scatter, 16, 64 * K, "flat"},
    rule{collective::reduce_scatter, 16, any_bytes, "pairwise"},
    // peal-sim, ms, ring / halving / pairwise: 24 ranks of one node, 128 KiB a rank 0.26 / 0.49 /
    // 0.26; 3 nodes with 16 ranks, 64 KiB 0.46 / 0.55 / 0.97, 1 MiB 3.99 / 8.47 / 12.5; 8 such
    // nodes, 64 KiB 1.25 / 0.84 / 3.22, 128 KiB 1.81 / 1.65 / 5.87, 1 MiB 10.8 / 13.1 / 43.1; 200
    // nodes with a rank each, 16 KiB 1.66 / 0.48 / 1.69, 128 KiB 2.94 / 3.41 / 3.10.
    ring_of_long_parts(collective::reduce_scatter, 128 * K),
    long_parts({collective::reduce_scatter, any_ranks, any_bytes, "pairwise"}, 128 * K),
    rule{collective::reduce_scatter, any_ranks, any_bytes, "halving"},

    // A chain of S segments takes size - 2 + S steps, doubling log2(size) * S.
    rule{collective::scan, 16, 256, "flat"},
    rule{collective::scan, any_ranks, 512 * K, "doubling"},
    rule{collective::scan, 16, any_bytes, "chain", 2, {128 * K, 4}},
    rule{collective::scan, any_ranks, any_bytes, "doubling", 2, {512 * K, 2}},

    rule{collective::exscan, 16, 256, "flat"},
    rule{collective::exscan, any_ranks, 512 * K, "doubling"},
    rule{collective::exscan, 16, any_bytes, "chain", 2, {128 * K, 4}},
    rule{collective::exscan, any_ranks, any_bytes, "doubling", 2, {512 * K, 2}},
};

// Those of neighbors, for which there is no choice, stand behind the others.
constexpr std::array names{"barrier",          "bcast",   "reduce",    "allreduce",
                           "gather",           "scatter", "allgather", "alltoall",
                           "reduce_scatter",   "scan",    "exscan",    "neighbor_allgather",
                           "neighbor_alltoall"};
static_assert(names.size() == detail::collectives_in_all + 2);

/// Whether all ranks know the length: of reduce_scatter they know all.
bool agreed(collective kind, const problem& p) noexcept {
  return !p.varying || kind == collective::reduce_scatter;
}

/// Whether halving goes inside nodes first, and then between them with what shares would send
/// there. It has fewer messages than shares: log2(ranks) for each rank of a node, and not one for
/// each other rank. Shares up to the eager limit are faster all the same, since they go unasked.
bool halves_by_node(const problem& p) noexcept {
  if (!p.nodes || !p.nodes->in_order() || floor_power(p.size) != p.size) return false;
  const int ranks = p.nodes->fewest();
  return ranks > 2 && ranks * p.nodes->nodes() == p.size &&
         static_cast<double>(p.bytes) > ranks * remote_eager_bytes;
}

bool covers(const rule& r, collective kind, const problem& p) noexcept {
  if (r.kind != kind || p.size > r.most_ranks || p.size < r.least_ranks) return false;
  if (p.nodes && p.nodes->fewest() > r.most_a_node) return false;
  if (r.in_order && p.nodes && !p.nodes->in_order()) return false;
  if (r.halved_by_node && !halves_by_node(p)) return false;
  if (!agreed(kind, p)) return r.most_bytes == any_bytes;
  return p.bytes <= r.most_bytes && p.bytes / static_cast<std::size_t>(p.size) >= r.least_part;
}

chosen by_rule(collective kind, const problem& p) noexcept {
  for (const rule& r : rules) {
    if (!covers(r, kind, p)) continue;
    const algorithm* how = find_algorithm(kind, r.name);
    if (how->serves(p)) return {how, r.radix, r.cut};
  }
  return {};  // not reached: the last rule serves everything, and a test sees to that
}

}  // namespace

std::string_view to_text(reason why) noexcept {
  return why == reason::rule ? "rule" : why == reason::forced ? "forced" : "price";
}

const char* name_of(collective kind) noexcept { return names[static_cast<std::size_t>(kind)]; }
std::string variable_of(collective kind) {
  std::string made{"PEAL_"};
  for (const char letter : std::string_view{name_of(kind)})
    made += static_cast<char>(letter == '_' ? '_' : letter - 'a' + 'A');
  return made;
}

// For forced algorithms too: a chain that is not cut into pieces would be of no use.
segmentation usual_cut(const algorithm& how) noexcept {
  const auto found = std::ranges::find_if(rules, [&](const rule& r) {
    return r.kind == how.kind && r.name == how.name && r.cut.bytes != 0;
  });
  return found == rules.end() ? segmentation{} : found->cut;
}

choice::choice(const algorithm_settings& from, const std::optional<cost_parameters>& measured)
    : costs_{measured.value_or(cost_parameters{})},
      inside_{measured_inside(costs_)},
      between_{measured_between(costs_)} {
  for (std::size_t i = 0; i != forced_.size(); ++i) {
    if (from[i]) named_ |= std::uint32_t{1} << i;
    // direct is none of these: it is taken wherever it can be while no algorithm is named, before
    // this choice is asked.
    if (from[i] && *from[i] != direct_name)
      forced_[i] = find_algorithm(static_cast<collective>(i), *from[i]);
  }
}

std::optional<double> choice::price_of(const chosen& as, const problem& p,
                                       const spread& where) const noexcept {
  if (!agreed(as.how->kind, p)) return std::nullopt;
  problem asked = p;
  asked.radix = as.radix;
  return price(*as.how, asked, as.cut, where, costs_);
}

bool choice::prices_count(const problem& p, const spread& where) const noexcept {
  return (inside_ || where.ranks_per_node == 1) && (between_ || where.ranks_per_node >= p.size);
}

chosen choice::of(collective kind, const problem& p, const spread& where) const noexcept {
  const algorithm* forced = forced_[static_cast<std::size_t>(kind)];
  if (forced && forced->serves(p)) return {forced, 2, usual_cut(*forced), reason::forced};
  const chosen usual = by_rule(kind, p);
  const auto usual_price = prices_count(p, where) ? price_of(usual, p, where) : std::nullopt;
  if (!usual_price) return usual;
  chosen best = usual;
  double lowest = *usual_price / decisive;
  for (const algorithm& each : all_algorithms()) {
    if (each.kind != kind || &each == usual.how || !each.serves(p)) continue;
    if (p.size > most_ranks_at_once && each.all_at_once) continue;
    const chosen other{&each, 2, usual_cut(each), reason::price};
    const auto its = price_of(other, p, where);
    if (!its || *its >= lowest) continue;
    best = other;
    lowest = *its;
  }
  return best;
}

std::vector<candidate> choice::candidates(collective kind, const problem& p,
                                          const spread& where) const {
  const chosen taken = of(kind, p, where), usual = by_rule(kind, p);
  std::vector<candidate> found;
  const auto add = [&](chosen as) {
    found.push_back({.as = as,
                     .price = price_of(as, p, where),
                     .taken = as.how == taken.how && as.cut == taken.cut});
  };
  for (const algorithm& each : all_algorithms()) {
    if (each.kind != kind || !each.serves(p)) continue;
    if (&each == taken.how) add(taken);
    else if (&each == usual.how) add(usual);
    else add({&each, 2, usual_cut(each)});
    // Whole or in pieces: which is faster differs from one processor to another.
    const segmentation pieces = written_pieces(each, p.bytes);
    if (p.size == 2 && where.ranks_per_node >= p.size && pieces.bytes != 0 &&
        found.back().as.cut.bytes == 0)
      add({&each, 2, pieces});
  }
  std::ranges::stable_sort(found, {}, [](const candidate& each) {
    return std::pair{!each.price, each.price.value_or(0)};
  });
  return found;
}

}  // namespace peal
