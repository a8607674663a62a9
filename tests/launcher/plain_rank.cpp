// tests/launcher/plain_rank.cpp
// A rank that knows nothing of peal: what pealrun does for any program can be seen with it.
//
//   places           prints the hardware threads that it may run on: "rank 1: 0 1"
//   lines N          writes N lines to standard output and to standard error by turns, each in
//   three pieces
//   long N           writes one line of N letters
//   typed            prints what it reads, a line at a time, and whether that came from a terminal
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

void put(int to, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(to, text.data() + done, text.size() - done);
    if (written < 0) std::exit(9);
    done += static_cast<std::size_t>(written);
  }
}

void places(const std::string& rank) {
  cpu_set_t* set = CPU_ALLOC(4096);
  CPU_ZERO_S(CPU_ALLOC_SIZE(4096), set);
  if (::sched_getaffinity(0, CPU_ALLOC_SIZE(4096), set) != 0) std::exit(8);
  std::string line = "rank " + rank + ":";
  for (std::size_t at = 0; at < 4096; ++at)
    if (CPU_ISSET_S(at, CPU_ALLOC_SIZE(4096), set)) line += " " + std::to_string(at);
  CPU_FREE(set);
  put(STDOUT_FILENO, line + "\n");
}

void lines(const std::string& rank, int count) {
  for (int number = 0; number < count; ++number) {
    const int to = number % 2 == 0 ? STDOUT_FILENO : STDERR_FILENO;
    put(to, "line ");
    put(to, std::to_string(number) + " of rank");
    put(to, " " + rank + " ends\n");
  }
}

void typed() {
  put(STDOUT_FILENO, ::isatty(STDIN_FILENO) != 0 ? "a terminal\n" : "no terminal\n");
  for (std::string line; std::getline(std::cin, line);) put(STDOUT_FILENO, "read '" + line + "'\n");
  put(STDOUT_FILENO, "end of input\n");
}

}  // namespace

int main(int count, char** words) {
  const char* set = std::getenv("PMIX_RANK");
  const std::string rank = set != nullptr ? set : "-", mode = count > 1 ? words[1] : "";
  if (mode == "places") places(rank);
  if (mode == "lines") lines(rank, std::atoi(words[2]));
  if (mode == "long")
    put(STDOUT_FILENO, std::string(static_cast<std::size_t>(std::atoi(words[2])), 'x') + "\n");
  if (mode == "typed") typed();
  return 0;
}
