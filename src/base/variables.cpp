// The table of PEAL_ variables. man/peal_environment.7 says the same in full sentences; tests/style compares the two.
#include "base/config.hpp"

namespace peal {

const std::vector<variable>& variables() {
  using enum variable_kind;
  static const std::vector<variable> table{
      {"PEAL_LOG", choice, "quiet|error|warning|info|debug", "warning", "how much peal says on standard error"},
      {"PEAL_SHM_DIR", path, "an absolute path", "/dev/shm", "folder of the node's shared segment"},
      {"PEAL_SHM_COPY", choice, "auto|direct|pipeline", "auto",
       "how large messages move inside a node: direct (process_vm_readv) or in two copies through a pipeline"},
      {"PEAL_SHM_HEAP", bytes, "0..1024G", "1G", "most memory that peal::allocate takes from the shared segment, a process"},
      {"PEAL_EAGER_LIMIT", bytes, "0..4K", "4K", "longest message that is sent before the receiver asks for it"},
      {"PEAL_UNEXPECTED_LIMIT", bytes, "64K..1024G", "64M", "most payload a receiver keeps of messages that nobody has asked for yet"},
      {"PEAL_UNWIND_TIMEOUT", seconds, "0..86400", "10",
       "how long the end of a request waits while an exception is on its way, before the job is aborted"},
      {"PEAL_WAIT", choice, "adaptive|poll|yield", "adaptive", "how a rank waits: poll never gives the core away, yield does so at once"},
      {"PEAL_BARRIER", choice, "auto|flat|dissemination", "auto", "algorithm of barrier"},
      {"PEAL_BCAST", choice, "auto|tree|chain|scatter_allgather", "auto", "algorithm of bcast"},
      {"PEAL_REDUCE", choice, "auto|tree|scatter_gather", "auto", "algorithm of reduce"},
      {"PEAL_ALLREDUCE", choice, "auto|flat|doubling|rabenseifner|ring", "auto", "algorithm of allreduce"},
      {"PEAL_GATHER", choice, "auto|tree|linear", "auto", "algorithm of gather"},
      {"PEAL_SCATTER", choice, "auto|tree|linear", "auto", "algorithm of scatter"},
      {"PEAL_ALLGATHER", choice, "auto|flat|bruck|doubling|ring", "auto", "algorithm of allgather"},
      {"PEAL_ALLTOALL", choice, "auto|linear|bruck|pairwise", "auto", "algorithm of alltoall"},
  };
  return table;
}

}  // namespace peal
