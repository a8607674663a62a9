// peal_bare_copy: what this machine can do at best, as bare loops between two or more processes
// without any messaging library: the limits that the other benchmarks are compared with. It needs
// no pealrun: it forks.
#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "base/cache_line.hpp"
#include "common/progress.hpp"

namespace {

using clock_type = std::chrono::steady_clock;
constexpr std::size_t line_bytes = 64;
// Of the pipeline. All slots together must exceed a core's second-level cache (1 MiB on the machine
// this was tried on), so that what the receiver reads has left the sender's cache for the shared
// third level: 512 KiB of slots gave 12 GB/s there, 2 MiB 35 GB/s.
constexpr std::size_t slot_bytes = 128 << 10;
constexpr std::size_t slots = 16;
constexpr std::size_t ring_cells = 1024;
constexpr int most_ranks = 64;
// a few hundred microseconds, a thousand times what a wait takes on a quiet machine
constexpr int spin_limit = 10'000;

struct alignas(line_bytes) flag {
  std::atomic<std::uint64_t> value{0};
};

// Shared by the processes; anonymous memory, so that nothing is left behind.
struct board {
  flag ping, pong, head, tail, start, finish;
  flag flags[most_ranks];
  struct alignas(line_bytes) cell {
    std::atomic<std::uint64_t> sequence{0};
    std::uint64_t payload = 0;
  } ring[ring_cells];
  std::atomic<pid_t> pids[2]{};      // of the processes whose memory the kernel copies
  std::atomic<bool> refused{false};  // by the kernel
  double seconds = 0;                // what rank 0 has measured
};

void* map_shared(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc{};
  return memory;
}

void bind_to(int core_index) {
  cpu_set_t allowed, mine;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (int cpu = 0, seen = 0, count = CPU_COUNT(&allowed); cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || seen++ != core_index % count) continue;
    CPU_ZERO(&mine);
    CPU_SET(cpu, &mine);
    sched_setaffinity(0, sizeof mine, &mine);
    return;
  }
}

// A loop of the widest vectors: string instructions, which memcpy uses at these lengths, lose half
// their speed at some addresses. Clones are never inlined.
__attribute__((target_clones("avx512f", "avx2", "default"))) void copy(char* into, const char* from,
                                                                       std::size_t bytes) {
  using vector = long long __attribute__((vector_size(64), aligned(64), may_alias));
  std::size_t i = 0;
  for (; i + 4 * sizeof(vector) <= bytes; i += 4 * sizeof(vector)) {
    const auto* source = reinterpret_cast<const vector*>(from + i);
    auto* target = reinterpret_cast<vector*>(into + i);
    const vector a = source[0], b = source[1], c = source[2], d = source[3];
    target[0] = a;
    target[1] = b;
    target[2] = c;
    target[3] = d;
  }
  std::memcpy(into + i, from + i, bytes - i);
}

void wait_for(const std::atomic<std::uint64_t>& value, std::uint64_t least) {
  // On a busy machine the other process may have lost its core: then spinning on costs a whole time
  // slice.
  for (int spins = 0; value.load(std::memory_order_acquire) < least; ++spins) {
    if (spins < spin_limit) peal::relax();
    else sched_yield();
  }
}

// Runs `loop(rank, n)` in that many processes, first a tenth of n as a warm-up; returns the seconds
// of rank 0. Two have a core each, or share `one_core`.
double run(int ranks, board& shared, std::uint64_t n,
           const std::function<void(int, std::uint64_t)>& loop, bool one_core = false) {
  new (&shared) board{};
  std::vector<pid_t> children;
  for (int rank = 1; rank < ranks; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      if (ranks <= 2) bind_to(one_core ? 0 : rank);
      loop(rank, n / 10 + 1);
      loop(rank, n);
      _exit(0);
    }
    children.push_back(child);
  }
  const pid_t zero = fork();
  if (zero == 0) {
    if (ranks <= 2) bind_to(0);
    loop(0, n / 10 + 1);
    const auto start = clock_type::now();
    loop(0, n);
    shared.seconds = std::chrono::duration<double>(clock_type::now() - start).count();
    _exit(0);
  }
  children.push_back(zero);
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  return shared.seconds;
}

// One cache line to and fro: half a round trip, in microseconds.
double line_latency(board& b, std::uint64_t n) {
  const double seconds = run(2, b, n, [&b](int rank, std::uint64_t count) {
    flag& mine = rank == 0 ? b.ping : b.pong;
    flag& theirs = rank == 0 ? b.pong : b.ping;
    for (std::uint64_t i = 0, now = mine.value.load(std::memory_order_relaxed); i < count; ++i) {
      if (rank == 0) mine.value.store(++now, std::memory_order_release);
      wait_for(theirs.value, rank == 0 ? now : now + 1);
      if (rank == 1) mine.value.store(++now, std::memory_order_release);
    }
  });
  return seconds / static_cast<double>(n) / 2 * 1e6;
}

// 8 bytes through pipes between two processes of one core: half a round trip, with one switch from
// one to the other; microseconds.
double pipe_switch(board& b, std::uint64_t n) {
  int to[2], fro[2];
  if (pipe(to) != 0 || pipe(fro) != 0) throw std::bad_alloc{};
  const auto loop = [&](int rank, std::uint64_t count) {
    const int in = rank == 0 ? fro[0] : to[0], out = rank == 0 ? to[1] : fro[1];
    for (std::uint64_t i = 0, word = 0; i < count; ++i) {
      if (rank == 0 && write(out, &i, sizeof i) != sizeof i) _exit(1);
      if (read(in, &word, sizeof word) != sizeof word || word != i) _exit(1);
      if (rank == 1 && write(out, &word, sizeof word) != sizeof word) _exit(1);
    }
  };
  const double seconds = run(2, b, n, loop, true);
  for (const int each : {to[0], to[1], fro[0], fro[1]}) close(each);
  return seconds / static_cast<double>(n) / 2 * 1e6;
}

// 8 bytes in a cell of 64 through one ring, in millions a second: no matching, no requests.
double ring_rate(board& b, std::uint64_t n) {
  const double seconds = run(2, b, n, [&b](int rank, std::uint64_t count) {
    std::uint64_t at = rank == 0 ? b.head.value.load() : b.tail.value.load();
    const std::uint64_t end = at + count;
    std::uint64_t known = rank == 0 ? b.tail.value.load() : 0;
    for (; at < end; ++at) {
      auto& cell = b.ring[at % ring_cells];
      if (rank == 0) {
        while (at - known >= ring_cells) known = b.tail.value.load(std::memory_order_acquire);
        cell.payload = at;
        cell.sequence.store(at + 1, std::memory_order_release);
      } else {
        wait_for(cell.sequence, at + 1);
        if (cell.payload != at) _exit(1);
        if (at % 64 == 63) b.tail.value.store(at + 1, std::memory_order_release);
      }
    }
    (rank == 0 ? b.head : b.tail).value.store(at, std::memory_order_release);
    if (rank == 0) wait_for(b.tail.value, at);
  });
  return static_cast<double>(n) / seconds / 1e6;
}

// One copy, the two cores taking half each, from one process's buffer to the other's; MB/s.
double one_copy(board& b, std::size_t bytes, std::uint64_t n) {
  auto* from = static_cast<char*>(map_shared(bytes));
  auto* into = static_cast<char*>(map_shared(bytes));
  std::memset(from, 1, bytes);
  std::memset(into, 2, bytes);
  const double seconds = run(2, b, n, [&](int rank, std::uint64_t count) {
    flag& mine = rank == 0 ? b.ping : b.pong;
    flag& theirs = rank == 0 ? b.pong : b.ping;
    std::uint64_t now = mine.value.load(std::memory_order_relaxed);
    const std::size_t half = bytes / 2 / line_bytes * line_bytes;
    for (std::uint64_t i = 0; i < count; ++i) {
      copy(into + (rank == 0 ? 0 : half), from + (rank == 0 ? 0 : half),
           rank == 0 ? half : bytes - half);
      mine.value.store(++now, std::memory_order_release);
      wait_for(theirs.value, now);
    }
  });
  munmap(from, bytes);
  munmap(into, bytes);
  return static_cast<double>(bytes) * static_cast<double>(n) / seconds / 1e6;
}

// What a process has of an alltoall of two ranks: a block for each rank, and room for one from
// each. It lies at the same addresses in both processes, and each has its own.
class own_blocks {
 public:
  explicit own_blocks(std::size_t bytes)
      : bytes_{bytes},
        memory_{static_cast<char*>(std::aligned_alloc(4096, 4 * whole())), std::free} {
    if (memory_ == nullptr) throw std::bad_alloc{};
  }
  // `both`: as rank `rank` of an alltoall; else rank 0 has something for rank 1.
  void fill(int rank, bool both) {
    if (both || rank == 0) std::memset(given(1 - rank), rank + 1, whole());
    if (both || rank == 1) std::memset(taken(1 - rank), 0, whole());
    if (both) std::memset(given(rank), rank + 1, whole()), std::memset(taken(rank), 0, whole());
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);  // fails where it is not needed
  }
  // What the other process, of rank `from`, has for `rank`; false where the kernel refuses.
  bool read(pid_t peer, int from, int rank) {
    for (std::size_t done = 0; done < bytes_;) {
      const iovec into{taken(from) + done, bytes_ - done},
          source{given(rank) + done, bytes_ - done};
      const ssize_t moved = process_vm_readv(peer, &into, 1, &source, 1, 0);
      if (moved <= 0) return false;
      done += static_cast<std::size_t>(moved);
    }
    return true;
  }
  // The block that stays in the process.
  void copy_own(int rank) { copy(taken(rank), given(rank), bytes_); }
  [[nodiscard]] bool has_of(int rank) const { return taken(rank)[bytes_ - 1] == rank + 1; }

 private:
  [[nodiscard]] std::size_t whole() const { return (bytes_ + 4095) / 4096 * 4096; }
  [[nodiscard]] char* given(int rank) const {
    return memory_.get() + static_cast<std::size_t>(rank) * whole();
  }
  [[nodiscard]] char* taken(int rank) const { return given(2 + rank); }

  std::size_t bytes_;
  std::unique_ptr<char, void (*)(void*)> memory_;
};

// Copies by the kernel, which the receiver asks for, from one process's own memory to the other's;
// seconds a round. `both` take a block from each other and copy one of their own, as in an alltoall
// of two ranks; else process 1 takes one from process 0. NaN where the kernel refuses.
double kernel_copy(board& b, std::size_t bytes, std::uint64_t n, bool both) {
  own_blocks mine{bytes};
  const double seconds = run(2, b, n, [&](int rank, std::uint64_t count) {
    mine.fill(rank, both);
    b.pids[rank].store(getpid());
    std::atomic<std::uint64_t>&own = b.flags[rank].value, &theirs = b.flags[1 - rank].value;
    std::uint64_t now = own.load(std::memory_order_relaxed);
    const auto meet = [&] {
      own.store(++now, std::memory_order_release);
      wait_for(theirs, now);
    };
    for (std::uint64_t i = 0; i < count; ++i) {
      meet();
      if (both || rank == 1) {
        const bool allowed = mine.read(b.pids[1 - rank].load(), 1 - rank, rank);
        if (!allowed) b.refused = true;
        else if (!mine.has_of(1 - rank)) _exit(1);
      }
      if (both) mine.copy_own(rank);
      meet();
    }
  });
  if (b.refused.load()) return std::numeric_limits<double>::quiet_NaN();
  return seconds / static_cast<double>(n);
}

// Two copies, through eight slots: the sender copies in while the receiver copies out; MB/s.
double pipeline(board& b, std::size_t bytes, std::uint64_t n) {
  auto* between = static_cast<char*>(map_shared(slots * slot_bytes));
  const std::unique_ptr<char, void (*)(void*)> memory{
      static_cast<char*>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096)), std::free};
  char* const mine = memory.get();
  if (mine == nullptr) throw std::bad_alloc{};
  std::memset(mine, 1, bytes);
  const double seconds = run(2, b, n, [&](int rank, std::uint64_t count) {
    std::uint64_t at = (rank == 0 ? b.head : b.tail).value.load(std::memory_order_relaxed);
    for (std::uint64_t i = 0; i < count; ++i) {
      for (std::size_t done = 0; done < bytes; done += slot_bytes, ++at) {
        char* slot = between + at % slots * slot_bytes;
        const std::size_t length = std::min(slot_bytes, bytes - done);
        if (rank == 0) {
          if (at >= slots) wait_for(b.tail.value, at - slots + 1);
          copy(slot, mine + done, length);
          b.head.value.store(at + 1, std::memory_order_release);
        } else {
          wait_for(b.head.value, at + 1);
          copy(mine + done, slot, length);
          b.tail.value.store(at + 1, std::memory_order_release);
        }
      }
    }
    if (rank == 0) wait_for(b.tail.value, at);
  });
  munmap(between, slots * slot_bytes);
  return static_cast<double>(bytes) * static_cast<double>(n) / seconds / 1e6;
}

// A sum over all ranks with one flag a rank, each written by its owner and read by everyone;
// microseconds. It yields at the first miss when the ranks outnumber the cores.
double flat_sum(board& b, int ranks, std::uint64_t n) {
  const bool yields = ranks > static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  const double seconds = run(ranks, b, n, [&b, ranks, yields](int rank, std::uint64_t count) {
    auto& mine = b.flags[rank].value;
    std::uint64_t now = mine.load(std::memory_order_relaxed);
    for (std::uint64_t i = 0; i < count; ++i) {
      mine.store(++now, std::memory_order_release);
      for (int other = 0; other < ranks; ++other) {
        const auto& theirs = b.flags[other].value;
        if (!yields) wait_for(theirs, now);
        while (theirs.load(std::memory_order_acquire) < now) sched_yield();
      }
    }
  });
  return seconds / static_cast<double>(n) * 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t bytes = 1 << 20;
  std::uint64_t n = 200000;
  std::vector<int> ranks{2, 4, 8, 16};
  std::string only;
  CLI::App app{
      "Bare loops between processes: what this machine can do at best. Start it without pealrun."};
  app.add_option("-m,--message-size", bytes, "bytes of a copy")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 32));
  app.add_option("-i,--iterations", n, "round trips of the latency; the others are scaled to it")
      ->check(CLI::Range(100, 1'000'000'000));
  app.add_option("--ranks", ranks, "processes of the sums")
      ->delimiter(',')
      ->check(CLI::Range(2, most_ranks));
  app.add_option("--only", only, "only the loops whose names contain this");
  CLI11_PARSE(app, argc, argv);

  auto& shared = *static_cast<board*>(map_shared(sizeof(board)));
  const auto copies = std::max<std::uint64_t>(10, n * 10240 / bytes);  // about 2 GB
  const auto show = [&only](const std::string& label, int digits, const auto& measure) {
    if (label.find(only) == std::string::npos) return;
    bench::progress progress{{label}, false};
    progress.begin_step();
    const double value = measure();
    progress.clear();
    fmt::print("{:<56}{:>12.{}f}\n", label, value, digits);
    std::fflush(stdout);
  };
  fmt::print("# Bare loops between processes of this machine\n");
  std::fflush(stdout);
  show("cache line, one way (us)", 4, [&] { return line_latency(shared, n); });
  show("64-byte cells through a ring (millions/s)", 2, [&] { return ring_rate(shared, n * 20); });
  show(fmt::format("one copy by both cores, {} B (MB/s)", bytes), 2,
       [&] { return one_copy(shared, bytes, copies); });
  show(fmt::format("one copy by process_vm_readv, {} B (MB/s)", bytes), 2, [&] {
    return static_cast<double>(bytes) / kernel_copy(shared, bytes, copies, false) / 1e6;
  });
  show(fmt::format("alltoall of 2 ranks by process_vm_readv, {} B (us)", bytes), 2,
       [&] { return kernel_copy(shared, bytes, copies, true) * 1e6; });
  show(fmt::format("two copies through slots, {} B (MB/s)", bytes), 2,
       [&] { return pipeline(shared, bytes, copies); });
  show("a switch and 8 B by a pipe, one core (us)", 4, [&] { return pipe_switch(shared, n); });
  for (const int count : ranks)
    show(fmt::format("flat sum, {} ranks (us)", count), 4,
         [&] { return flat_sum(shared, count, count > 2 ? n / 20 : n); });
}
