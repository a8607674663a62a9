#include "processes/stack_limit.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include "request/request.hpp"

namespace peal::launcher {

void require_stack() {
  rlimit now{};
  if (::getrlimit(RLIMIT_STACK, &now) != 0 || now.rlim_cur >= least_stack) return;
  throw stop{1, fmt::format("pealrun: the stack is limited to {} KiB, but libpmix needs {}: raise "
                            "the limit (ulimit -s, or stack in limits.conf)\n",
                            now.rlim_cur >> 10, least_stack >> 10)};
}

}  // namespace peal::launcher
