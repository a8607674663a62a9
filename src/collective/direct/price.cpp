#include "collective/direct/price.hpp"

#include <algorithm>

#include "collective/call_subject.hpp"
#include "collective/choice/cost_rules.hpp"
#include "collective/direct/calls/long_call.hpp"
#include "collective/direct/calls/short_call.hpp"
#include "collective/direct/groups/group_call.hpp"
#include "topology/rank_groups.hpp"

namespace peal::direct {

using detail::collective;

namespace {

/// Bytes that a rank moves in a call.
struct load {
  double copied = 0;  // into areas and out of them
  double joined = 0;
};

/// What a call asks of a rank: of the one that has most to do, and of all of them together.
struct work {
  load most;
  load all;
  bool one_way = false;  // a rank that gives does not wait for one that takes
};

/// Where each joins a part for all, or each whole vectors: `shares`.
work work_of(collective kind, double n, double bytes, bool shares) noexcept {
  const double others = n - 1;
  const auto alike = [&](load each) { return work{each, {n * each.copied, n * each.joined}}; };
  switch (kind) {
    case collective::bcast: return {{bytes, 0}, {n * bytes, 0}, true};
    case collective::gather: return {{n * bytes, 0}, {(n + others) * bytes, 0}, true};
    case collective::scatter: return {{n * bytes, 0}, {(n + others) * bytes, 0}, true};
    case collective::reduce:
      if (!shares) return {{bytes, others * bytes}, {others * bytes, others * bytes}, true};
      return {{2 * bytes, others / n * bytes}, {n * bytes, others * bytes}, true};
    case collective::allreduce:
      return alike(shares ? load{2 * bytes, others / n * bytes} : load{bytes, others * bytes});
    case collective::allgather: return alike({(n + 1) * bytes, 0});
    case collective::alltoall: return alike({(n + others) * bytes, 0});
    case collective::reduce_scatter: return alike({others * bytes, others * bytes});
    case collective::scan:
    case collective::exscan:
      return {{bytes, others * bytes}, {n * bytes, n * others / 2 * bytes}, false};
    default: return {};
  }
}

/// Of a call by groups, of ranks that are a list.
double price_by_groups(const detail::collective_call& call, int size, int cores,
                       const cost_rules& rules) noexcept {
  const auto [levels, most] = rank_groups::of_list(static_cast<std::size_t>(size));
  const bool blocks = group_call::moves_blocks(call.kind),
             from_root = call.kind == collective::bcast || call.kind == collective::scatter,
             to_root = call.kind == collective::reduce || call.kind == collective::gather;
  const double n = size, others = static_cast<double>(most) - 1,
               block = static_cast<double>(call.kind == collective::barrier ? 0 : call.bytes),
               bytes = blocks ? n * block : block,
               joined = group_call::joins(call.kind) ? others * bytes : 0;
  const double stamp = rules.post(false) + rules.flight(false), look = rules.take(false);
  // Up as many levels as there are, and down one fewer.
  const double up = stamp + others * look + rules.local(0, bytes, joined),
               down = stamp + look + rules.local(0, 2 * bytes, 0);
  const double up_levels = static_cast<double>(from_root ? 1 : levels),
               down_levels = static_cast<double>(to_root ? 0 : levels - 1);
  const double way = up_levels * up + down_levels * down;
  if (size <= cores) return way;
  const double all = n * (2 * rules.post(false) + 2 * look + rules.local(0, 2 * bytes, joined / 2));
  return std::max(way, all / cores) +
         (from_root || to_root ? 1 : 2) * n / cores * rules.change_of_ranks();
}

}  // namespace

std::optional<double> price(const detail::collective_call& call, int size, int cores,
                            const cost_parameters& costs, bool named) noexcept {
  const bool oversubscribed = size > cores, is_short = fits(call, size);
  const cost_rules rules{costs, oversubscribed};
  if (size > most_ranks(oversubscribed)) {
    if (!group_call::fits(call, size, true)) return std::nullopt;
    return price_by_groups(call, size, cores, rules);
  }
  if (!is_short && !(named ? long_call::serves(call) : long_call::fits(call, size, oversubscribed)))
    return std::nullopt;
  const double n = size,
               bytes = static_cast<double>(call.kind == collective::barrier ? 0 : call.bytes);
  const bool chain =
      !is_short && (call.kind == collective::scan || call.kind == collective::exscan);
  const bool shares = !is_short && long_call::usually_shares(call, size, oversubscribed);
  work asked = work_of(call.kind, n, bytes, shares);
  // Each passes on what it has joined.
  if (chain) asked = {{2 * bytes, bytes}, {2 * n * bytes, n * bytes}, false};
  const double pieces = is_short ? 1 : static_cast<double>(long_call::pieces_of(call, size));
  // A stamp, and a look at each that is waited for; in a scan by pieces one rank after the other.
  const double stamp = rules.post(false) + rules.flight(false), look = rules.take(false);
  const double looks =
      has_root(call.kind) && call.kind != collective::gather && call.kind != collective::reduce
          ? 1
          : n - 1;
  const auto taken = [&](const load& by) { return rules.local(0, by.copied, by.joined); };
  double way = pieces * (stamp + looks * look) + taken(asked.most);
  // A whole piece, though the pieces of a call are alike: else two would cost less than one that is
  // as long as it may be.
  const double vector = bytes * (call.kind == collective::scatter ? n : 1);
  const double of_a_piece =
      taken(asked.most) * std::min(1.0, static_cast<double>(piece_bytes) / vector);
  if (chain) way += (n - 2) * (stamp + look + of_a_piece);
  if (asked.one_way) way += of_a_piece;  // the last one is taken when it was given
  if (!oversubscribed) return way;
  // Every piece makes each rank of a core take its turn; a rank that only gives is two pieces
  // ahead.
  const double turns = asked.one_way ? (pieces + 1) / 2 : pieces + (shares ? 1 : 0);
  const double all = taken(asked.all) + n * pieces * (rules.post(false) + looks * look);
  return std::max(way, all / cores) +
         (turns + (asked.one_way ? 0 : 1)) * n / cores * rules.change_of_ranks();
}

}  // namespace peal::direct
