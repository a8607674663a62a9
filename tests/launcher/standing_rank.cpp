// tests/launcher/standing_rank.cpp
// A rank that shows a wait and sends nothing, for tests in which nodes have no device between them:
//
//   cycle     each waits for a message from the next one
//   missing   rank 1 computes, the others wait in a barrier
//   gone      rank 1 works until there is a file `go`, the others wait for a message of it
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "state/rank_state.hpp"

int main(int count, char** words) {
  using namespace peal::state;
  const std::string what = count > 1 ? words[1] : "cycle";
  const char* const name = std::getenv("PMIX_NAMESPACE");
  const char* const mine = std::getenv("PMIX_RANK");
  const char* const all = std::getenv("SLURM_NTASKS");
  if (name == nullptr || mine == nullptr || all == nullptr) return 2;
  const int rank = std::atoi(mine), size = std::atoi(all);
  rank_state shown{name, rank, size};
  shown.enter(phase::running);
  communicator_entry* const world = shown.add_communicator(0, rank, size);
  wait_entry* const entry = shown.add_wait();
  if (world == nullptr || entry == nullptr) return 2;
  const std::int64_t since = now_in_nanoseconds();
  if (what == "missing" && rank == 1) {
    shown.remove(*entry);
  } else if (what != "gone" || rank != 1) {
    const wait_writing writing{*entry};
    entry->since = since;
    entry->written = since;
    if (what == "missing") {
      world->calls = std::uint64_t{1} << 32;
      entry->kind = wait_kind::collective;
      entry->collective = 0;
      entry->number = 1;
    } else {
      entry->kind = wait_kind::receive;
      entry->peer = entry->world = what == "gone" ? 1 : (rank + 1) % size;
      entry->tag = 3;
    }
  }
  for (int lasts = 0; lasts != 20'000; ++lasts) {
    if (what == "gone" && rank == 1) {
      shown.activity(0).moves.fetch_add(1);
      if (::access("go", F_OK) == 0) return 0;
    }
    ::usleep(50'000);
  }
}
