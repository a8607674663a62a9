#include "hang/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "hang/rank_ranges.hpp"
#include "hang/wait_words.hpp"

namespace peal::launcher {

namespace {

using state::wait_kind;

/// More of a kind would hide the others.
constexpr std::size_t most_of_a_kind = 8, most_odd = 3;

bool waits_in_message(const shown_wait& of) {
  return of.kind == wait_kind::receive || of.kind == wait_kind::probe;
}

bool is_stopped(const shown_rank& of) { return of.process == 'T' || of.process == 't'; }

/// Something else than a wait for other ranks keeps it.
bool is_free(const shown_rank& of) {
  return !of.ended.empty() || is_stopped(of) || !of.shows || of.waits.empty();
}

std::vector<int> members_of(const job_snapshot& in, std::uint32_t context) {
  std::vector<int> found;
  for (const shown_rank& each : in.ranks)
    if (context == 0 || each.communicator(context) != nullptr) found.push_back(each.rank);
  return found;
}

/// Members that have begun fewer collectives than that wait's one is. A rank that has ended and
/// shows nothing more counts for the world, where all are members.
std::vector<int> missing_in(const shown_wait& wait, const job_snapshot& in) {
  std::vector<int> found;
  for (const int each : members_of(in, wait.context)) {
    const shown_rank& rank = *in.find(each);
    const shown_communicator* const of = rank.communicator(wait.context);
    if (of != nullptr ? of->collectives < wait.number : !rank.ended.empty()) found.push_back(each);
  }
  return found;
}

const shown_wait* wait_in(const shown_rank& rank, const shown_wait& collective) {
  for (const shown_wait& each : rank.waits)
    if (each.kind == wait_kind::collective && each.context == collective.context &&
        each.number == collective.number)
      return &each;
  return nullptr;
}

/// What has to be alike on all ranks.
std::string arguments_of(const shown_wait& wait) {
  return fmt::format("{}{}{}", wait.collective.empty() ? "a collective" : wait.collective,
                     wait.bytes ? " of " + bytes_text(*wait.bytes) : "",
                     wait.root >= 0 ? fmt::format(" with root {}", wait.root) : "");
}

class analyst {
 public:
  explicit analyst(const job_snapshot& of) : job_{of} {
    for (const shown_rank& each : job_.ranks) edges_[each.rank] = awaited_by(each, job_);
  }

  diagnosis result() {
    group();
    collectives();
    cycles();
    for (const shown_rank& each : job_.ranks)
      for (const shown_wait& wait : each.waits) messages(each, wait);
    held_up();
    order();
    return std::move(made_);
  }

 private:
  void add(finding_kind kind, std::vector<int> guilty, std::string text) {
    const auto same = std::ranges::count(made_.findings, kind, &finding::kind);
    if (static_cast<std::size_t>(same) < most_of_a_kind)
      made_.findings.push_back({kind, std::move(guilty), std::move(text)});
  }

  void group() {
    std::map<std::string, std::size_t> places;
    for (const shown_rank& each : job_.ranks) {
      std::string text = state_text(each, job_);
      const auto [place, is_new] = places.emplace(text, made_.groups.size());
      if (is_new) made_.groups.push_back({{}, std::move(text)});
      made_.groups[place->second].ranks.push_back(each.rank);
    }
    for (rank_group& each : made_.groups)
      each.text = (each.ranks.size() > 1 ? "each " : "") + each.text + duration_of(each.ranks);
  }

  /// ", for 31 s" or ", for 31 to 40 s".
  [[nodiscard]] std::string duration_of(const std::vector<int>& ranks) const {
    std::optional<double> least, most;
    for (const int each : ranks) {
      const shown_rank& rank = *job_.find(each);
      if (!rank.ended.empty() || !rank.shows) return "";
      const shown_wait* const wait = rank.wait();
      const std::optional<double> lasts = wait != nullptr ? wait->seconds
                                          : rank.phase == state::phase::running
                                              ? rank.quiet
                                              : rank.phase_seconds;
      if (!lasts) continue;
      least = std::min(least.value_or(*lasts), *lasts);
      most = std::max(most.value_or(*lasts), *lasts);
    }
    if (!least) return "";
    const std::string from = seconds_text(*least), to = seconds_text(*most);
    return from == to ? ", for " + to : fmt::format(", for {} to {}", from, to);
  }

  void collectives() {
    // By communicator and number: the ranks that wait there.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const shown_rank*>> calls;
    for (const shown_rank& each : job_.ranks)
      for (const shown_wait& wait : each.waits)
        if (wait.kind == wait_kind::collective) calls[{wait.context, wait.number}].push_back(&each);
    for (const auto& [name, waiting] : calls) {
      shown_wait like;
      like.kind = wait_kind::collective;
      like.context = name.first;
      like.number = name.second;
      compare(like, waiting);
      const shown_wait& first = *wait_in(*waiting.front(), like);
      for (const auto& [text, ranks] : by_state(missing_in(first, job_)))
        add(finding_kind::missing, ranks,
            fmt::format("{} {} missing in {}, where {} wait{}; {} {}", words_of(ranks),
                        ranks.size() == 1 ? "is" : "are", collective_text(first, job_),
                        words_of(numbers_of(waiting)), waiting.size() == 1 ? "s" : "",
                        ranks.size() == 1 ? fmt::format("rank {}", ranks.front()) : "each", text));
    }
  }

  [[nodiscard]] std::map<std::string, std::vector<int>> by_state(
      const std::vector<int>& ranks) const {
    std::map<std::string, std::vector<int>> made;
    for (const int each : ranks) {
      const shown_rank& rank = *job_.find(each);
      made[state_text(rank, job_) + duration_of({each})].push_back(each);
    }
    return made;
  }

  static std::vector<int> numbers_of(const std::vector<const shown_rank*>& ranks) {
    std::vector<int> made;
    std::ranges::transform(ranks, std::back_inserter(made),
                           [](const shown_rank* each) { return each->rank; });
    return made;
  }

  /// Ranks in the same collective of a communicator that have called something else.
  void compare(const shown_wait& like, const std::vector<const shown_rank*>& waiting) {
    std::map<std::string, std::vector<int>> calls;
    for (const shown_rank* each : waiting)
      calls[arguments_of(*wait_in(*each, like))].push_back(each->rank);
    if (calls.size() < 2) return;
    const auto fewest =
        std::ranges::min_element(calls, {}, [](const auto& each) { return each.second.size(); });
    std::string text;
    for (const auto& [call, ranks] : calls)
      text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", words_of(ranks),
                          ranks.size() == 1 ? "is in" : "are in", call);
    const bool alone = fewest->second.size() * 2 < waiting.size();
    add(finding_kind::mismatch, alone ? fewest->second : numbers_of(waiting),
        fmt::format("call #{} on {} is not the same on all ranks: {}", like.number,
                    job_.name_of(like.context), text));
  }

  /// Along the waits that only that rank can end.
  void cycles() {
    std::set<int> seen;
    for (const shown_rank& each : job_.ranks) {
      std::vector<int> path;
      walk(each.rank, path, seen);
    }
  }

  void walk(int rank, std::vector<int>& path, std::set<int>& seen) {
    if (const auto again = std::ranges::find(path, rank); again != path.end())
      return tell_cycle({again, path.end()});
    if (!seen.insert(rank).second) return;
    const auto of = edges_.find(rank);
    if (of == edges_.end() || (of->second.any && of->second.ranks.size() != 1)) return;
    path.push_back(rank);
    for (const int next : of->second.ranks) walk(next, path, seen);
    path.pop_back();
  }

  void tell_cycle(std::vector<int> ranks) {
    std::string way, steps;
    for (std::size_t at = 0; at != ranks.size(); ++at) {
      way += fmt::format("{} -> ", ranks[at]);
      const int next = ranks[(at + 1) % ranks.size()];
      const shown_rank& rank = *job_.find(ranks[at]);
      if (rank.wait() == nullptr) continue;
      // Of a long cycle the beginning says enough.
      if (at < 4)
        steps += fmt::format("{}rank {} waits for rank {}: {}{}", at == 0 ? "" : "; ", rank.rank,
                             next, subject_text(*rank.wait(), job_),
                             rank.wait()->place.empty() ? "" : " (" + rank.wait()->place + ")");
      else if (at == 4) steps += "; ...";
    }
    const int first = ranks.front();
    add(finding_kind::cycle, std::move(ranks), fmt::format("cycle {}{}: {}", way, first, steps));
  }

  /// Messages that have come to a rank and are not what it waits for.
  void messages(const shown_rank& rank, const shown_wait& wait) {
    if (wait.kind == wait_kind::send) return tell_send(rank, wait);
    if (!waits_in_message(wait)) return;
    for (const shown_message& each : wait.messages) {
      if (each.kind != state::pending::what::unexpected) continue;
      if (wait.world >= 0 && each.peer != wait.world) continue;
      const bool same_communicator = each.context == wait.context,
                 same_tag = each.tag == wait.tag || wait.tag == state::any_tag;
      if (same_communicator && same_tag) continue;  // on its way to be matched
      if (!same_communicator && !same_tag) continue;
      const std::string has_sent =
          same_communicator
              ? fmt::format("tag {}", tag_text(each.tag))
              : fmt::format("tag {} on {}", tag_text(each.tag), job_.name_of(each.context));
      const std::string waits_for =
          same_communicator
              ? fmt::format("tag {}", tag_text(wait.tag))
              : fmt::format("tag {} on {}", tag_text(wait.tag), job_.name_of(wait.context));
      add(finding_kind::unclaimed, {rank.rank, each.peer},
          fmt::format("rank {} waits for {} from {}, but what rank {} has sent is {} ({}), which "
                      "lies unclaimed at rank {}",
                      rank.rank, waits_for,
                      wait.world >= 0 ? fmt::format("rank {}", wait.world) : "any rank", each.peer,
                      has_sent, bytes_text(each.bytes), rank.rank));
    }
  }

  void tell_send(const shown_rank& rank, const shown_wait& wait) {
    const shown_rank* const to = job_.find(wait.world);
    if (to == nullptr || to->waits.empty()) return;  // held_up tells of it
    std::string posted;
    for (const shown_wait& other : to->waits)
      for (const shown_message& each : other.messages)
        if (each.kind == state::pending::what::posted &&
            (each.peer == rank.rank || each.peer == state::any_rank))
          posted +=
              fmt::format("{}tag {}{}", posted.empty() ? "" : ", ", tag_text(each.tag),
                          each.context == wait.context ? "" : " on " + job_.name_of(each.context));
    add(finding_kind::unmatched_send, {rank.rank, to->rank},
        fmt::format("rank {} has sent tag {} ({}) on {} to rank {}, which does not receive it: {}; "
                    "rank {} {}",
                    rank.rank, tag_text(wait.tag), bytes_text(wait.bytes.value_or(0)),
                    job_.name_of(wait.context), to->rank,
                    posted.empty() ? "it has posted no receive for a message of that rank"
                                   : "of that rank it receives " + posted,
                    to->rank, wait_text(*to->wait(), job_)));
  }

  /// Ranks that others wait for, and that do not wait themselves.
  void held_up() {
    std::map<int, std::vector<int>> waiting;  // by the rank that is waited for
    for (const auto& [rank, awaited] : edges_)
      if (!awaited.any || awaited.ranks.size() == 1)
        for (const int each : awaited.ranks) waiting[each].push_back(rank);
    for (const auto& [rank, others] : waiting) {
      const shown_rank* const of = job_.find(rank);
      if (of == nullptr || !is_free(*of)) continue;
      const bool told = std::ranges::any_of(made_.findings, [&](const finding& each) {
        return each.kind == finding_kind::missing && std::ranges::count(each.guilty, rank) != 0;
      });
      if (told) continue;
      add(finding_kind::held_up, {rank},
          fmt::format("{} wait{} for rank {}, which {}{}", words_of(others),
                      others.size() == 1 ? "s" : "", rank, state_text(*of, job_),
                      duration_of({rank})));
    }
    // A receive from any rank has nobody in particular to wait for.
    for (const auto& [rank, awaited] : edges_) {
      const shown_rank& of = *job_.find(rank);
      if (!awaited.any || awaited.ranks.size() == 1 || of.wait() == nullptr) continue;
      if (std::ranges::any_of(awaited.ranks, [&](int each) {
            const shown_rank* const other = job_.find(each);
            return other == nullptr || (is_free(*other) && other->ended.empty());
          }))
        continue;
      add(finding_kind::never_comes, {rank},
          fmt::format("rank {} waits for {}, and each rank that might send it waits, or has ended",
                      rank, subject_text(*of.wait(), job_)));
    }
  }

  void order() {
    const auto weight = [](finding_kind kind) {
      switch (kind) {
        case finding_kind::mismatch: return 0;
        case finding_kind::unclaimed: return 1;
        case finding_kind::missing: return 2;
        case finding_kind::held_up: return 3;
        case finding_kind::unmatched_send: return 4;
        case finding_kind::cycle: return 5;
        case finding_kind::never_comes: return 6;
      }
      return 7;
    };
    std::ranges::stable_sort(made_.findings, {},
                             [&](const finding& each) { return weight(each.kind); });
    // A rank that does not wait tells nothing by itself, so its stack does.
    const auto add_odd = [&](int rank, bool free_only) {
      const shown_rank* const of = job_.find(rank);
      if (of == nullptr || !of->ended.empty() || !of->shows || (free_only && !is_free(*of))) return;
      if (made_.odd.size() < most_odd && std::ranges::count(made_.odd, rank) == 0)
        made_.odd.push_back(rank);
    };
    for (const bool free_only : {true, false})
      for (const finding& each : made_.findings)
        for (const int rank : each.guilty) add_odd(rank, free_only);
  }

  const job_snapshot& job_;
  std::map<int, awaited_ranks> edges_;
  diagnosis made_;
};

}  // namespace

awaited_ranks awaited_by(const shown_rank& rank, const job_snapshot& in) {
  awaited_ranks made;
  if (is_free(rank)) return made;
  std::set<int> found;
  for (const shown_wait& wait : rank.waits) {
    switch (wait.kind) {
      case wait_kind::receive:
      case wait_kind::probe:
      case wait_kind::send:
        if (wait.world >= 0) found.insert(wait.world);
        if (wait.world != state::any_rank) break;
        made.any = true;
        for (const int each : members_of(in, wait.context)) found.insert(each);
        break;
      case wait_kind::several:
        made.any = true;
        for (const shown_message& each : wait.messages) {
          if (each.kind == state::pending::what::unexpected) continue;
          if (each.peer >= 0) found.insert(each.peer);
          else
            for (const int member : members_of(in, each.context)) found.insert(member);
        }
        break;
      case wait_kind::collective: {
        std::vector<int> missing = missing_in(wait, in);
        // All have come: then some have come to something else.
        if (missing.empty())
          for (const shown_rank& each : in.ranks)
            if (const shown_wait* const other = wait_in(each, wait))
              if (arguments_of(*other) != arguments_of(wait)) missing.push_back(each.rank);
        if (missing.empty()) missing = wait.awaited;
        found.insert(missing.begin(), missing.end());
        break;
      }
      case wait_kind::other: break;
    }
  }
  found.erase(rank.rank);
  // A program of several threads goes on when one of them does.
  if (rank.waits.size() > 1) made.any = true;
  made.ranks.assign(found.begin(), found.end());
  return made;
}

diagnosis diagnose(const job_snapshot& of) { return analyst{of}.result(); }

}  // namespace peal::launcher
