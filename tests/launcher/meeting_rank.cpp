// tests/launcher/meeting_rank.cpp
// A rank that meets the others through bootstrap/ alone and then does what its first argument says.
// Tests of pealrun start it.
//
//   meet            exchange, check what everyone told, fence, finish; rank 0 prints "met N ranks"
//   twice           as meet, with a second exchange of long values
//   survive         rank 1 kills itself after the exchange; the others print what they heard and go
//   on
//   absent          rank 1 ends before it meets anyone; the others print how many told something
//   abort CODE      rank 1 aborts the job while the others wait in a fence
//   relay           rank 2 kills itself when a file "go" appears; rank 1 sees it dead and exits
//   with 5; the others wait in a fence
//   overtaken       as relay, but rank 1 exits first: what pealrun finds when the system tells of
//   the end of a killed rank too late
//   linger          rank 1 exits with 0 without finishing while the others wait in a fence
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "bootstrap/client.hpp"

namespace {

using peal::bootstrap_client;

std::string word_of(int rank, std::size_t size) {
  return std::string(size, static_cast<char>('a' + rank % 26)) + std::to_string(rank);
}

bool met_all(bootstrap_client& client, std::size_t size) {
  const auto told = client.exchange(word_of(client.rank(), size));
  bool right = static_cast<int>(told.size()) == client.size() &&
               static_cast<int>(client.local_ranks().size()) == client.size();
  for (int rank = 0; rank < client.size(); ++rank)
    right = right && told[static_cast<std::size_t>(rank)] == word_of(rank, size);
  if (!right) std::printf("rank %d: the exchange went wrong\n", client.rank());
  return right;
}

int survive(bootstrap_client& client) {
  if (!met_all(client, 10)) return 3;
  if (client.rank() == 1) ::kill(::getpid(), SIGKILL);
  std::vector<peal::rank_failure> dead;
  for (const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
       dead.empty();) {
    dead = client.failures();
    if (std::chrono::steady_clock::now() > until) return 4;
    std::this_thread::yield();
  }
  const bool all_came = client.fence([] { return true; });
  std::printf("rank %d heard that rank %d died, fence %s\n", client.rank(), dead.front().rank,
              all_came ? "complete" : "incomplete");
  client.finish(true);
  return 0;
}

int absent(bootstrap_client& client) {
  const auto told = client.exchange("here");
  int count = 0;
  for (const std::string& each : told) count += each == "here" ? 1 : 0;
  std::printf("rank %d: %d of %d told something\n", client.rank(), count, client.size());
  client.finish(true);
  return 0;
}

// Without peal, so that pealrun alone has to find out what was first. Rank `first` ends when a file
// "go" appears, the other one of ranks 1 and 2 when it sees that.
void relay(bootstrap_client& client, int first) {
  const auto pids = client.exchange(std::to_string(::getpid()));
  std::printf("%d\n", ::getpid());
  std::fflush(stdout);
  const auto dead = [pid = pids[static_cast<std::size_t>(first)]] {
    std::ifstream file{"/proc/" + pid + "/stat"};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    if (text.find(") Z") == std::string::npos) return false;
    // The connection ends with the last thread.
    const std::filesystem::directory_iterator threads{"/proc/" + pid + "/task"};
    return std::distance(begin(threads), end(threads)) == 1;
  };
  if (client.rank() != 1 && client.rank() != 2) return;
  while (client.rank() == first ? ::access("go", F_OK) != 0 : !dead()) std::this_thread::yield();
  if (client.rank() == 2) ::kill(::getpid(), SIGKILL);
  ::_exit(5);
}

}  // namespace

int main(int count, char** words) {
  const std::string mode = count > 1 ? words[1] : "meet";
  if (mode == "absent" && std::string{std::getenv("PMIX_RANK")} == "1") return 3;
  bootstrap_client client;
  if (mode == "survive") return survive(client);
  if (mode == "absent") return absent(client);
  if (!met_all(client, 10)) return 3;
  if (mode == "twice" && !met_all(client, 100'000)) return 3;
  if (mode == "relay") relay(client, 2);
  if (mode == "overtaken") relay(client, 1);
  if (client.rank() == 1 && mode == "abort") client.abort(std::atoi(words[2]), "rank 1 gives up");
  if (client.rank() == 1 && mode == "linger") ::_exit(0);
  if (!client.fence([] { return true; })) return 5;
  if (client.rank() == 0) std::printf("met %d ranks on %d cores\n", client.size(), client.cores());
  client.finish(false);
  return 0;
}
