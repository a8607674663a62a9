// tests/bench/shm_bench.cpp
// What the shared-memory transport does without anything above it: two processes, a core each.
//
// Usage    shm_bench [latency] [rate] [bandwidth]; without arguments all. Not part of make check: a
// figure is no verdict.
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "memory/node_heap.hpp"
#include "memory/node_segment.hpp"
#include "transport/shm/shm_transport.hpp"

namespace {

using namespace peal;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct counter final : sink {
  std::uint64_t messages = 0;
  envelope last;
  std::vector<std::byte> copy = std::vector<std::byte>(4096);
  std::vector<remote_region> announced;
  void arrived(peer_id, envelope head, const std::byte* payload) noexcept override {
    if (head.kind() == envelope_kind::announce) {
      remote_region region;
      std::memcpy(&region, payload, sizeof region);
      announced.push_back(region);
    } else if (head.bytes() > 0) {
      std::memcpy(copy.data(), payload, head.bytes());
    }
    last = head;
    ++messages;
  }
};

struct rendezvous {  // of the two processes, outside of what is measured
  std::atomic<int> here;
  void meet() {
    const int goal = (here.fetch_add(1) / 2 + 1) * 2;
    while (here.load() < goal) sched_yield();
  }
};

class side {
 public:
  side(int index, const std::string& name, rendezvous& meeting, shm_copy copy)
      : index_{index},
        meeting_{meeting},
        segment_{segment_plan{.directory = "/dev/shm",
                              .job_name = name,
                              .index = index,
                              .count = 2,
                              .front_bytes = shm_transport::front_bytes(),
                              .slices = shm_transport::slices(2),
                              .transport_bytes = shm_transport::transport_bytes(2),
                              .heap_bytes = std::size_t{1} << 30}},
        heap_{segment_},
        transport_{segment_, sink_, std::vector<peer_id>{0, 1}, {.copy = copy}} {
    meeting_.meet();
    segment_.unlink();
  }

  void send(envelope e, const void* data) {
    while (!transport_.send(other(), e, data)) transport_.poll();
  }
  void receive(std::uint64_t messages) {
    while (sink_.messages < messages) transport_.poll();
  }

  void latency(std::size_t bytes) {
    std::vector<std::byte> data(bytes + 1);
    const envelope e = envelope::make(1, 1, 0, envelope_kind::eager, bytes);
    std::vector<double> runs;
    for (int run = 0; run < 9; ++run) {
      constexpr int turns = 20'000;
      meeting_.meet();
      const std::uint64_t before = sink_.messages;
      const double start = now();
      for (int turn = 0; turn < turns; ++turn) {
        if (index_ == 0) send(e, data.data());
        receive(before + static_cast<std::uint64_t>(turn) + 1);
        if (index_ == 1) send(e, data.data());
      }
      runs.push_back((now() - start) / turns / 2);
    }
    std::sort(runs.begin(), runs.end());
    if (index_ == 0)
      std::printf("latency %6zu B: %8.1f ns (best %.1f)\n", bytes, runs[4] * 1e9, runs[0] * 1e9);
  }

  void rate(std::size_t bytes) {
    std::vector<std::byte> data(bytes + 1);
    const envelope e = envelope::make(1, 1, 0, envelope_kind::eager, bytes);
    std::vector<double> runs;
    for (int run = 0; run < 9; ++run) {
      constexpr int windows = 10'000, window = 64;
      meeting_.meet();
      const std::uint64_t before = sink_.messages;
      const double start = now();
      if (index_ == 0) {
        for (int each = 0; each < windows * window; ++each) send(e, data.data());
        receive(before + 1);
      } else {
        receive(before + windows * window);
        send(e, data.data());
      }
      runs.push_back(windows * window / (now() - start));
    }
    std::sort(runs.begin(), runs.end());
    if (index_ == 0)
      std::printf("rate    %6zu B: %8.2f M/s (best %.2f)\n", bytes, runs[4] / 1e6, runs[8] / 1e6);
  }

  /// As OSU's bandwidth: a window of sends, then an answer.
  void bandwidth(const char* what, std::size_t bytes, bool shared) {
    constexpr std::size_t window = 64;
    auto* const data =
        static_cast<std::byte*>(shared ? heap_.allocate(bytes) : std::aligned_alloc(4096, bytes));
    std::memset(data, index_, bytes);
    const int windows =
        static_cast<int>(std::max<std::size_t>(1, (std::size_t{1} << 30) / bytes / window));
    std::vector<double> runs;
    for (int run = 0; run < 5; ++run) {
      meeting_.meet();
      const double start = now();
      for (int turn = 0; turn < windows; ++turn) {
        const std::uint64_t before = sink_.messages;
        if (index_ == 0) {
          const remote_region region = transport_.expose(1, data, bytes);
          for (std::size_t each = 0; each < window; ++each)
            send(envelope::make(1, 1, 0, envelope_kind::announce, sizeof region), &region);
          receive(before + 1);
        } else {
          fetch_all(data, bytes, window);
          send(envelope::make(1, 1, 1, envelope_kind::fetched, 0), nullptr);
        }
      }
      runs.push_back(static_cast<double>(bytes) * window * windows / (now() - start));
      meeting_.meet();
      sink_.announced.clear();
    }
    std::sort(runs.begin(), runs.end());
    if (index_ == 0)
      std::printf("bandwidth %-18s %8zu B: %6.1f GB/s (best %.1f)\n", what, bytes, runs[2] / 1e9,
                  runs[4] / 1e9);
    if (shared) heap_.deallocate(data);
    else std::free(data);
  }

 private:
  peer_id other() const { return static_cast<peer_id>(1 - index_); }
  void fetch_all(std::byte* data, std::size_t bytes, std::size_t count) {
    std::vector<fetch> fetches(count);
    std::size_t begun = 0, ended = 0;
    while (ended < count) {
      transport_.poll();
      for (; begun < sink_.announced.size(); ++begun) {
        fetch& each = fetches[begun];
        each.from = other();
        each.where = sink_.announced[begun];
        each.into = data;
        each.bytes = bytes;
        each.context = &ended;
        each.done = [](fetch& f, std::error_code error) noexcept {
          if (error) std::abort();
          ++*static_cast<std::size_t*>(f.context);
        };
        transport_.start_fetch(each);
      }
    }
    sink_.announced.clear();
  }

  int index_;
  rendezvous& meeting_;
  counter sink_;
  node_segment segment_;
  node_heap heap_;
  shm_transport transport_;
};

/// The bare loops that the transport is held against: 64 KiB slots, two copies; and one copy from
/// memory that both see.
void bare(int index, rendezvous& meeting, std::byte* shared, std::size_t bytes, bool twice) {
  constexpr std::size_t slot = 64 * 1024, slots = 8;
  auto* const filled = reinterpret_cast<std::atomic<std::uint64_t>*>(shared);
  auto* const emptied = reinterpret_cast<std::atomic<std::uint64_t>*>(shared + 256);
  std::byte* const ring = shared + 4096;
  auto* const data = static_cast<std::byte*>(std::aligned_alloc(4096, bytes));
  std::memset(data, 1, bytes);
  std::memset(ring, 1, bytes);
  std::vector<double> runs;
  const int turns = static_cast<int>((std::size_t{1} << 30) / bytes);
  for (int run = 0; run < 5; ++run) {
    meeting.meet();
    if (index == 0) filled->store(0), emptied->store(0);
    meeting.meet();
    const double start = now();
    if (twice) {
      std::uint64_t position = 0;
      for (int turn = 0; turn < turns; ++turn)
        for (std::size_t at = 0; at < bytes; at += slot, ++position) {
          std::byte* const place = ring + position % slots * slot;
          const std::size_t length = std::min(slot, bytes - at);
          if (index == 0) {
            while (position - emptied->load(std::memory_order_acquire) >= slots) relax();
            std::memcpy(place, data + at, length);
            filled->store(position + 1, std::memory_order_release);
          } else {
            while (filled->load(std::memory_order_acquire) <= position) relax();
            std::memcpy(data + at, place, length);
            emptied->store(position + 1, std::memory_order_release);
          }
        }
    } else if (index == 1) {
      for (int turn = 0; turn < turns; ++turn) {
        std::memcpy(data, ring, bytes);
        asm volatile("" ::: "memory");
      }
    }
    if (index == 1) runs.push_back(static_cast<double>(bytes) * turns / (now() - start));
  }
  if (index == 1) {
    std::sort(runs.begin(), runs.end());
    std::printf("bare %-23s %8zu B: %6.1f GB/s (best %.1f)\n", twice ? "two copies" : "one copy",
                bytes, runs[2] / 1e9, runs[4] / 1e9);
    std::fflush(stdout);
  }
  meeting.meet();
  std::free(data);
}

void run(int index, rendezvous& meeting, std::byte* shared, const std::string& name,
         const std::vector<std::string_view>& wanted) {
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(index, &core);
  sched_setaffinity(0, sizeof core, &core);
  const auto asked = [&](std::string_view what) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), what) != wanted.end();
  };
  if (asked("latency") || asked("rate")) {
    side mine{index, name, meeting, shm_copy::automatic};
    if (asked("latency"))
      for (const std::size_t bytes : {0, 8, 40, 64, 256, 1024, 4096}) mine.latency(bytes);
    if (asked("rate"))
      for (const std::size_t bytes : {0, 8, 32, 64, 256, 1024, 4096}) mine.rate(bytes);
    meeting.meet();
  }
  if (!asked("bandwidth")) return;
  for (const std::size_t bytes : {std::size_t{1} << 20, std::size_t{4} << 20}) {
    bare(index, meeting, shared, bytes, true);
    bare(index, meeting, shared, bytes, false);
  }
  for (const auto& [copy, what] : {std::pair{shm_copy::direct, "direct"},
                                   {shm_copy::pipeline, "pipeline"},
                                   {shm_copy::automatic, "auto"}}) {
    side mine{index, name, meeting, copy};
    for (const std::size_t bytes :
         {std::size_t{16} << 10, std::size_t{64} << 10, std::size_t{256} << 10,
          std::size_t{1} << 20, std::size_t{4} << 20}) {
      mine.bandwidth(what, bytes, false);
      if (copy == shm_copy::automatic) mine.bandwidth("shared", bytes, true);
    }
    meeting.meet();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> wanted(argv + 1, argv + argc);
  const std::size_t size = std::size_t{8} << 20;
  auto* const shared = static_cast<std::byte*>(
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (shared == MAP_FAILED) return 1;
  auto* const meeting = new (shared + size - 4096) rendezvous{};
  const std::string name = "peal-bench-" + std::to_string(getpid());
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const pid_t child = fork();
  run(child == 0 ? 1 : 0, *meeting, shared, name, wanted);
  if (child == 0) _exit(0);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? 0 : 1;
}
