#include "nodes/watched_run.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "bootstrap/owner.hpp"
#include "engine/supervisor.hpp"
#include "nodes/node_view.hpp"
#include "report/gathered.hpp"
#include "report/run_record.hpp"

namespace peal::launcher {

namespace {

std::string temporary_files() {
  const char* const set = std::getenv("TMPDIR");
  return set != nullptr && *set == '/' ? set : "/tmp";
}

/// A private folder of this process; removed with all that is in it.
class own_folder {
 public:
  own_folder() : in_{temporary_files()}, job_{job_name_of(this_process())} {
    remove_leftovers(in_);
    name_ = fmt::format("{}/{}.XXXXXX", in_, job_);
    if (::mkdtemp(name_.data()) == nullptr)
      throw stop{1, fmt::format("pealrun: cannot make a folder in {}: {} (TMPDIR names the folder "
                                "to use)\n",
                                in_, std::strerror(errno))};
  }
  ~own_folder() { remove_entries_of(job_, in_); }
  own_folder(const own_folder&) = delete;
  own_folder& operator=(const own_folder&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// On the nodes, where each may have files of its own there. Another name, since a node may be
  /// this host.
  [[nodiscard]] std::string on_nodes() const { return fmt::format("{}/{}.noted", in_, job_); }

 private:
  std::string in_, job_, name_;
};

}  // namespace

other_end run_watched(const other_launcher& how, const job_request& request,
                      signal_source& signals) {
  const allocation slurm =
      allocation_of([](const char* name) -> const char* { return std::getenv(name); });
  run_record record{request};
  watch_order order{how.step, slurm.job, request.hang_after, {}, {}};
  if (!record.wanted()) {
    node_view nodes{order};
    nodes.begin();
    return supervisor{request, signals, how.words, how.step, &nodes}.run();
  }
  // The nodes would be gone with the last rank, and what it has noted with them.
  if (slurm.job.empty())
    throw stop{2, fmt::format("pealrun: {}: what the ranks note has to be fetched from the nodes "
                              "after their end, which takes an allocation: run pealrun inside of "
                              "salloc or sbatch\n",
                              request.report.empty() ? "--trace" : "--report")};
  const own_folder here;
  order.on_nodes = here.on_nodes();
  order.here = here.name();
  node_view nodes{order};
  nodes.begin();
  nodes.prepare();
  record.begin(order.on_nodes);
  other_end end = supervisor{request, signals, how.words, how.step, &nodes}.run();
  const bool all_here = nodes.collect(signals);
  record.moved_to(here.name(), ranks_in(here.name()));
  if ((!record.write(end.code) || !all_here) && end.code == 0) end.code = 1;
  return end;
}

}  // namespace peal::launcher
