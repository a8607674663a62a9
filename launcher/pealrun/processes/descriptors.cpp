#include "processes/descriptors.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>

#include "streams/rank_output.hpp"

namespace peal::launcher {

namespace {

// libpmix keeps 8 open for itself; as many more are for files that it reads and for pipes on their
// way to a rank.
constexpr rlim_t for_the_server = 16;

rlim_t open_now() {
  std::error_code failed;
  const std::filesystem::directory_iterator list{"/proc/self/fd", failed};
  return failed ? 0 : static_cast<rlim_t>(std::distance(begin(list), end(list)));
}

}  // namespace

descriptor_limit::descriptor_limit() {
  if (::getrlimit(RLIMIT_NOFILE, &before_) != 0) {
    before_ = {RLIM_INFINITY, RLIM_INFINITY};
    return;
  }
  rlimit raised = before_;
  raised.rlim_cur = raised.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &raised);
}

// A rank has a connection to the server, a descriptor that tells its end, and pipes and files for
// what it reads and writes.
void descriptor_limit::require(const job_request& request) const {
  const int of_a_rank = 2 + rank_output::files_of_a_rank(request) +
                        (request.streams.input == input_policy::all ? 1 : 0);
  const rlim_t needed = open_now() + for_the_server +
                        static_cast<rlim_t>(request.ranks()) * static_cast<rlim_t>(of_a_rank);
  rlimit now{};
  if (::getrlimit(RLIMIT_NOFILE, &now) != 0 || needed <= now.rlim_cur) return;
  throw stop{1, fmt::format("pealrun: {} rank{} {} {} open files here, but {} are allowed: raise "
                            "the hard limit (ulimit -Hn, or nofile in "
                            "limits.conf)\n",
                            request.ranks(), request.ranks() == 1 ? "" : "s",
                            request.ranks() == 1 ? "needs" : "need", needed, now.rlim_cur)};
}

void descriptor_limit::restore() const noexcept { ::setrlimit(RLIMIT_NOFILE, &before_); }

}  // namespace peal::launcher
