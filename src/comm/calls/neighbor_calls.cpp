// The functions of peal/detail/core.hpp about neighbours.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "comm/checks/checks.hpp"
#include "comm/start/job.hpp"
#include "peal/error.hpp"

namespace peal::detail {

namespace {

/// How often each rank is named.
std::vector<int> times_named(const std::vector<int>& ranks, int size) {
  std::vector<int> counted(static_cast<std::size_t>(size));
  for (const int each : ranks)
    if (each >= 0 && each < size) ++counted[static_cast<std::size_t>(each)];
  return counted;
}

const int* first_wrong(const std::vector<int>& ranks, int size) {
  const auto found = std::ranges::find_if(
      ranks, [size](int each) { return each != proc_null_value && (each < 0 || each >= size); });
  return found == ranks.end() ? nullptr : &*found;
}

/// What is wrong on this rank; empty when nothing is. Collective.
std::string wrong_here(communicator_state& from, const neighborhood& near, const location& where) {
  const int size = from.size();
  const std::vector<int> outgoing = times_named(near.destinations, size),
                         named = times_named(near.sources, size);
  std::vector<int> incoming(outgoing.size());
  collective_call call;
  call.kind = collective::alltoall;
  call.send = outgoing.data();
  call.receive = incoming.data();
  call.bytes = sizeof(int);
  run_collective(from, call, where);
  const auto [theirs, mine] = std::ranges::mismatch(incoming, named);
  if (theirs == incoming.end()) return {};
  return fmt::format(
      "rank {} names this rank as a destination {} times, but this rank names it as a source {} "
      "times",
      theirs - incoming.begin(), *theirs, *mine);
}

}  // namespace

communicator_state& with_neighbors(communicator_state& from, neighborhood near,
                                   const location& where) {
  const int size = from.size();
  // A rank that finds something wrong takes part to the end, so that no rank waits for it in vain,
  // and all ranks are told.
  const int* invalid = first_wrong(near.sources, size);
  if (!invalid) invalid = first_wrong(near.destinations, size);
  const std::string wrong = wrong_here(from, near, where);
  int told = invalid || !wrong.empty() ? from.rank() : size, first = size;
  collective_call call;
  call.kind = collective::allreduce;
  call.send = &told;
  call.receive = &first;
  call.bytes = call.element_size = sizeof(int);
  call.type = scalar::i32;
  call.op = {builtin::min, true};
  run_collective(from, call, where);
  if (invalid) refuse_rank(from, "neighbour", *invalid, false, where);
  if (!wrong.empty()) throw error(errc::invalid_argument, wrong, -1, where);
  if (first != size)
    throw error(
        errc::invalid_argument,
        fmt::format(
            "the neighbours of rank {} are wrong, or do not go together with those of others",
            first),
        first, where);
  communicator_state& made = duplicate(from, where);
  const std::lock_guard<engine> guard{made.home.progress};
  made.set_neighbors(std::move(near));
  return made;
}

const neighborhood& neighbors_of(const communicator_state& of) noexcept { return *of.neighbors; }

}  // namespace peal::detail
