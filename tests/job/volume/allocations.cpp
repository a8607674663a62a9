// allocations: messages that come again and again take no memory from the system. Two ranks
// exchange some of each length, and then as many while what libpeal allocates is counted. Not where
// ranks sleep: each sleep makes a list of what it waits for.
#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "../support.hpp"

namespace {

bool counts = false;
int counted = 0;

// The device double allocates, too, and it is not what this is about.
bool is_of_libpeal(const void* caller) {
  Dl_info found{};
  return dladdr(caller, &found) != 0 && found.dli_fname != nullptr &&
         std::strstr(found.dli_fname, "libpeal") != nullptr;
}

void* allocate(std::size_t bytes, const void* caller) {
  if (counts && is_of_libpeal(caller)) ++counted;
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return allocate(bytes, __builtin_return_address(0));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

void exchange(const peal::communicator& world, std::vector<std::byte>& sent,
              std::vector<std::byte>& received, int count) {
  const int other = 1 - world.rank();
  for (int each = 0; each != count; ++each) {
    sent.back() = static_cast<std::byte>(each + world.rank());
    if (world.rank() == 0) world.send(sent, other);
    world.recv_into(received, other);
    if (world.rank() == 1) world.send(sent, other);
    job::equal(received.back() == static_cast<std::byte>(each + other), true, "the last byte");
  }
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const peal::communicator& world = env.world();
  job::my_rank() = world.rank();
  // Ways of messages are tried at first, and queue pairs.
  constexpr int before = 400, while_counted = 100;
  // Now and then a list becomes longer than it ever was.
  constexpr int rounds = 8;
  for (const std::size_t bytes :
       {std::size_t{8}, std::size_t{4} << 10, std::size_t{64} << 10, std::size_t{1} << 20}) {
    std::vector<std::byte> sent(bytes), received(bytes);
    exchange(world, sent, received, before);
    int least = while_counted;
    for (int round = 0; round != rounds; ++round) {
      counted = 0;
      counts = true;
      exchange(world, sent, received, while_counted);
      counts = false;
      least = std::min(least, counted);
    }
    job::equal(least, 0, "allocations in messages of " + std::to_string(bytes) + " B");
  }
  return 0;
}
