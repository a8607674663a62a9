// The table of PEAL_ variables. man/peal_environment.7 says the same in full sentences; tests/style compares the two.
#include "base/config.hpp"

namespace peal {

const std::vector<variable>& variables() {
  using enum variable_kind;
  // Never destroyed: an environment may be held by a static object, and ends after this would have.
  static const std::vector<variable>& table = *new std::vector<variable>{
      {"PEAL_LOG", choice, "quiet|error|warning|info|debug", "warning", "how much peal says on standard error"},
      {"PEAL_SHM_DIR", path, "an absolute path", "/dev/shm", "folder of the node's shared segment"},
      {"PEAL_SHM_COPY", choice, "auto|direct|pipeline", "auto",
       "how large messages move inside a node: direct (process_vm_readv) or in two copies through a pipeline"},
      {"PEAL_SHM_HEAP", bytes, "0..1024G", "1G", "most memory that peal::allocate takes from the shared segment, a process"},
      {"PEAL_EAGER_LIMIT", bytes, "0..8K", "8K", "longest message that is sent before the receiver asks for it; inside a node 4K at most"},
      {"PEAL_UNEXPECTED_LIMIT", bytes, "64K..1024G", "64M", "most memory a receiver takes for messages that nobody has asked for yet"},
      {"PEAL_UNWIND_TIMEOUT", seconds, "0..86400", "10",
       "how long the end of a request waits while an exception is on its way, before the job is aborted"},
      {"PEAL_TRANSPORT", choice, "auto|shm|verbs", "auto",
       "what carries messages: shared memory inside a node and RDMA between nodes (auto), shared memory only, or RDMA everywhere"},
      {"PEAL_VERBS_DEVICE", text, "up to four names of RDMA devices, with a port if need be (mlx5_0, mlx5_0:1), or all", "",
       "which RDMA devices to use instead of the nearest one: the first for all messages, the others for parts of large ones"},
      {"PEAL_VERBS_GID", count_or_auto, "auto|0..65535", "auto",
       "under which GID the device is to be known: an index into the GID table of its port"},
      {"PEAL_VERBS_QPS", count, "1..4", "1", "queue pairs over which a large message is spread, to each peer"},
      {"PEAL_VERBS_COALESCE", choice, "on|off", "on", "whether small messages that wait behind others to one peer share a packet"},
      {"PEAL_VERBS_SRQ", choice, "on|off", "on", "whether all peers share one receive queue, where the device has such"},
      {"PEAL_VERBS_REGISTRATION_CACHE", choice, "on|off", "on",
       "whether memory stays registered after its use, where it can be seen when memory goes away"},
      {"PEAL_VERBS_PUSH", bytes, "0..1M", "64K", "how much of a large message is sent at once, without being asked for"},
      {"PEAL_VERBS_MAX_RC", count, "1..1000000", "1024", "most peers to which a rank has a connection at a time; the others get datagrams"},
      {"PEAL_VERBS_PROMOTE", count, "1..1000000000", "16",
       "messages that a peer without a connection gets as datagrams before it is connected; set: also where everyone may be connected"},
      {"PEAL_VERBS_RENDEZVOUS", choice, "auto|read|write|both", "auto",
       "how large messages move: read by the receiver, written by the sender, or half of each"},
      {"PEAL_VERBS_TIMEOUT", seconds, "0.1..600", "4", "how long an adapter may be silent before its peer counts as failed"},
      {"PEAL_STATS", choice, "0|1", "0", "whether each rank prints its counters when its environment ends"},
      {"PEAL_WAIT", choice, "adaptive|poll|block", "adaptive",
       "how a rank waits: poll never gives the core away, block sleeps at once, adaptive polls for a while first"},
      {"PEAL_WAIT_LEAST", microseconds_or_auto, "auto|0..1000000", "auto", "how long an adaptive wait polls at least before it sleeps"},
      {"PEAL_WAIT_MOST", microseconds_or_auto, "auto|0..1000000", "auto", "how long an adaptive wait polls at most before it sleeps"},
      {"PEAL_ASYNC", choice, "0|1", "0", "whether a helper thread of each rank moves messages while the program computes"},
      {"PEAL_LANES", count_or_auto, "auto|1..16", "auto",
       "with thread_level::multiple: among how many lanes communicators are dealt, so that their threads do not meet"},
      {"PEAL_COMMUNICATORS", count_or_auto, "auto|1..500000000", "auto",
       "how many communicators may be alive at a time that have the same first rank, but for the world"},
      {"PEAL_CHECK", choice, "0|1", "0",
       "whether ranks compare their calls of each collective first, and tell what differs instead of hanging"},
      {"PEAL_CHECK_AFTER", seconds, "0.1..86400", "30",
       "with PEAL_CHECK=1: how long a rank waits for others in a collective before it says who is missing"},
      {"PEAL_TUNING", text, "auto, none, or the name of a file", "auto",
       "what peal-info --tune measured, by which algorithms are chosen: auto looks in $XDG_CONFIG_HOME/peal or ~/.config/peal"},
      {"PEAL_BARRIER", choice, "auto|direct|flat|dissemination|leaders", "auto", "algorithm of barrier"},
      {"PEAL_BCAST", choice, "auto|direct|tree|chain|scatter_allgather|leaders|shares", "auto", "algorithm of bcast"},
      {"PEAL_REDUCE", choice, "auto|direct|tree|scatter_gather|leaders|shares", "auto", "algorithm of reduce"},
      {"PEAL_ALLREDUCE", choice, "auto|direct|flat|doubling|rabenseifner|ring|leaders|shares", "auto", "algorithm of allreduce"},
      {"PEAL_GATHER", choice, "auto|direct|tree|linear", "auto", "algorithm of gather"},
      {"PEAL_SCATTER", choice, "auto|direct|tree|linear", "auto", "algorithm of scatter"},
      {"PEAL_ALLGATHER", choice, "auto|direct|flat|bruck|doubling|ring|leaders", "auto", "algorithm of allgather"},
      {"PEAL_ALLTOALL", choice, "auto|direct|linear|bruck|pairwise", "auto", "algorithm of alltoall"},
      {"PEAL_REDUCE_SCATTER", choice, "auto|direct|flat|halving|pairwise|ring", "auto",
       "algorithm of reduce_scatter and reduce_scatter_block"},
      {"PEAL_SCAN", choice, "auto|direct|flat|doubling|chain", "auto", "algorithm of scan"},
      {"PEAL_EXSCAN", choice, "auto|direct|flat|doubling|chain", "auto", "algorithm of exscan"},
  };
  return table;
}

}  // namespace peal
