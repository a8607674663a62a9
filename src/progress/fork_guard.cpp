#include "progress/fork_guard.hpp"

#include <pthread.h>

namespace peal {

bool detail_progress::in_forked_child = false;

void watch_forks() {
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] { detail_progress::in_forked_child = true; });
}

}  // namespace peal
