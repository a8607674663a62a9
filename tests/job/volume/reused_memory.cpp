// reused_memory: large messages from and into memory that went away and came again at the same
// address, in every way in which it can; a buffer that grows; little memory that may be locked,
// from the beginning and of a sudden; children in the middle of messages.
//
// Two ranks. Hits of the registration cache are counted, so that a run over RDMA without a cache
// does not pass for a test of it; with the argument "uncached" there may be none.
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdio>

#include "../../unit/memory/leaving_memory.hpp"
#include "../support.hpp"

namespace {

using peal::tag;
constexpr std::size_t size = 256 << 10;
bool uncached = false;

std::span<std::byte> bytes_at(std::byte* at) { return {at, size}; }

/// A message from 0 to 1, with a key of its own each time.
class stream {
 public:
  explicit stream(const peal::communicator& world) : world_{world} {}

  void pass(std::span<std::byte> through, const std::string& what) {
    const std::uint64_t key = ++key_;
    if (world_.rank() == 0) {
      job::fill(through, key);
      world_.send(through, 1, tag{1});
    } else {
      job::equal(world_.recv_into(through, 0, tag{1}).bytes, through.size(), what);
      job::check(job::holds(through, key), what + ": wrong data");
    }
  }

 private:
  const peal::communicator& world_;
  std::uint64_t key_ = 0;
};

/// `changing`: the rank whose memory goes away; the other's stays.
void lose_memory(const peal::communicator& world, int changing) {
  stream messages{world};
  std::vector<std::byte> staying(size);
  for (const peal::test::way_to_leave& each : peal::test::ways_to_leave()) {
    const auto memory = each.make();
    const bool mine = world.rank() == changing;
    std::byte* at = mine ? memory->come(size) : staying.data();
    job::check(at != nullptr, std::string{each.name} + ": no memory");
    for (int round = 0; round < 3; ++round) {
      messages.pass(bytes_at(at), each.name);
      messages.pass(bytes_at(at), each.name);
      if (at == staying.data()) continue;
      memory->leave();
      at = memory->come_again();
      if (at) continue;
      std::printf("%s: its place is taken\n", each.name);  // nothing that could go wrong
      at = staying.data();
    }
    if (mine && at != staying.data()) memory->end();
  }
}

void grow(const peal::communicator& world) {
  stream messages{world};
  void* block = nullptr;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t bytes = 20'000; bytes < 3'000'000; bytes += bytes / 3) {
      block = std::realloc(block, bytes);
      for (int twice = 0; twice < 2; ++twice)
        messages.pass({static_cast<std::byte*>(block), bytes}, "a buffer that grows");
    }
  }
  std::free(block);
}

void limit_locked_memory(rlim_t bytes) {
  const rlimit limit{bytes, bytes};
  job::equal(setrlimit(RLIMIT_MEMLOCK, &limit), 0, "setrlimit");
}

/// Root may lock as much as it likes; from here on it is as everybody. Before the device is opened,
/// since devices serve nobody who has become somebody else.
void be_held_to_limits(rlim_t bytes) {
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  job::equal(syscall(SYS_capget, &head, data), 0L, "capget");
  data[CAP_IPC_LOCK / 32].effective &= ~(1U << (CAP_IPC_LOCK % 32));
  job::equal(syscall(SYS_capset, &head, data), 0L, "capset");
  limit_locked_memory(bytes);
}

void run_short(const peal::communicator& world) {
  stream messages{world};
  std::vector<std::vector<std::byte>> buffers(4, std::vector<std::byte>(1 << 20));
  for (int round = 0; round < 2; ++round)
    for (auto& each : buffers) messages.pass(each, "before the limit");
  limit_locked_memory(64 << 10);
  std::vector<std::byte> fresh(1 << 20);
  for (int round = 0; round < 2; ++round) messages.pass(fresh, "beyond the limit");
  for (auto& each : buffers) messages.pass(each, "what was registered before the limit");
}

void have_children(const peal::communicator& world) {
  stream messages{world};
  std::vector<std::byte> buffer(1 << 20);
  messages.pass(buffer, "before");
  std::vector<std::byte> large(8 << 20);
  for (int round = 0; round < 3; ++round) {
    const auto key = static_cast<std::uint64_t>(1000 + round);
    peal::request<> sent;
    peal::request<peal::status> got;
    if (world.rank() == 0) {
      job::fill(large, key);
      sent = world.isend(large, 1, tag{2});
    } else {
      got = world.irecv_into(large, 0, tag{2});
    }
    const pid_t child = fork();
    if (child == 0) {
      for (auto* each : {&buffer, &large}) std::fill(each->begin(), each->end(), std::byte{0xee});
      std::free(std::malloc(64 << 20));
      _exit(9);
    }
    // While the child lives, and has what is registered, we write to it and send it.
    messages.pass(buffer, "beside a child");
    job::equal(std::system("exit 4"), 4 << 8, "system");
    std::FILE* const output = popen("echo word", "r");
    char word[5]{};
    job::check(output && std::fread(word, 1, 4, output) == 4 && std::strcmp(word, "word") == 0,
               "popen");
    pclose(output);
    if (world.rank() == 0) sent.wait();
    else got.wait();
    if (world.rank() == 1)
      job::check(job::holds(large, key), "a message during which there was a child: wrong data");
    int status = 0;
    job::equal(waitpid(child, &status, 0), child, "the child");
    job::check(WIFEXITED(status) && WEXITSTATUS(status) == 9, "the child's end");
    messages.pass(buffer, "after a child");
  }
}

void ask_for_hits(const peal::communicator& world) {
  const peal::stats counted = peal::counters(world);
  const bool over_rdma = counted["verbs.reads"] > 0 || counted["verbs.registrations"] > 0;
  if (over_rdma)
    job::equal(counted["verbs.registration_hits"] > 0, !uncached,
               "there were hits of the registration cache");
}

}  // namespace

int main(int argc, char** argv) {
  const auto is = [&](int at, const char* word) {
    return argc > at && std::strcmp(argv[at], word) == 0;
  };
  if (is(1, "short from the beginning")) be_held_to_limits(64 << 10);
  if (is(1, "short")) be_held_to_limits(64 << 20);
  peal::environment env{argc, argv};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  uncached = is(2, "uncached");
  if (is(1, "sender")) lose_memory(world, 0);
  else if (is(1, "receiver")) lose_memory(world, 1);
  else if (is(1, "grow")) grow(world);
  else if (is(1, "short") || is(1, "short from the beginning")) run_short(world);
  else if (is(1, "children")) have_children(world);
  else
    job::fail(
        "reused_memory sender|receiver|grow|short|short from the beginning|children [uncached]");
  ask_for_hits(world);
  return 0;
}
