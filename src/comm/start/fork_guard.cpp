#include "comm/start/fork_guard.hpp"

#include <pthread.h>

namespace peal {

bool detail_start::in_forked_child = false;

namespace {
void (*called_in_child)() = nullptr;
}

void watch_forks(void (*in_child)()) {
  called_in_child = in_child;
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] {
    detail_start::in_forked_child = true;
    called_in_child();
  });
}

}  // namespace peal
