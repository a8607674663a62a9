// The self-test of the unmap hooks judges the hooks, not what other threads of the program do.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "memory/unmap_hooks.hpp"
#include "memory/unmap_log.hpp"
#include "memory/unmap_self_test.hpp"

namespace {

using namespace peal;

TEST(unmap_self_test, passes_while_another_thread_outruns_the_log) {
  if (const peal::unmap_hooks& hooks = use_unmap_hooks(); !hooks.work)
    GTEST_SKIP() << "needs unmap hooks: " << hooks.problem
                 << " (build without a sanitizer, run on x86-64 with glibc)";
  std::atomic<bool> over{false}, running{false};
  std::thread other{[&] {
    while (!over) unmapped().record_everything(), running = true;
  }};
  while (!running) std::this_thread::yield();
  for (int round = 0; round < 20; ++round) EXPECT_EQ(try_unmap_hooks(unmapped()), "");
  over = true;
  other.join();
}

}  // namespace
