// The table of PEAL_ variables. man/peal_environment.7 says the same in full sentences; tests/style
// compares the two.
#include "base/variables.hpp"

#include <type_traits>
#include <utility>

#include "base/value_types.hpp"

namespace peal {

namespace {

constexpr std::size_t K = 1024, M = K * K, G = K * M;

/// Whether a variable must be the same for all ranks of a job: where one decides which ranks take
/// part in an exchange of addresses, how the node's segment is laid out, which messages a
/// collective has, or whether calls are compared first. The verbs transport's need not be:
/// processes tell each other what they do.
enum sameness : bool { each_its_own, alike };

template <class Member>
auto at(Member job_settings::* member) {
  return [member](auto& of) -> auto& { return of.*member; };
}
template <class Part, class Member>
auto at(Part job_settings::* part, Member Part::* member) {
  return [part, member](auto& of) -> auto& { return of.*part.*member; };
}

/// `field` gives the member of the settings that the variable fills.
template <class Type, class Field>
variable row(std::string_view name, const Type& type, sameness same, const Field& field,
             std::string_view meaning) {
  static_assert(
      std::is_same_v<decltype(field(std::declval<job_settings&>())), typename Type::value&>,
      "the setting has the variable's type");
  const auto fill = [type, field](job_settings& into, std::string_view value) {
    const auto read = type.read(value);
    if (read) field(into) = *read;
    return read.has_value();
  };
  const job_settings defaults;
  return {.name = name,
          .allowed = type.allowed(),
          .form = type.form(),
          .fallback = type.write(field(defaults)),
          .meaning = meaning,
          .must_agree = same == alike,
          .fill = fill,
          .written = [type, field](const job_settings& of) { return type.write(field(of)); }};
}

variable algorithm_row(std::string_view name, detail::collective kind, std::string_view meaning) {
  const auto field = [kind](auto& of) -> auto& {
    return of.algorithms[static_cast<std::size_t>(kind)];
  };
  return row(name, types::auto_or{types::algorithm_of(kind)}, alike, field, meaning);
}

types::choice<log_level> log_levels() {
  types::choice<log_level> made;
  for (std::size_t each = 0; each != log_level_names.size(); ++each)
    made.words.emplace_back(log_level_names[each], static_cast<log_level>(each));
  return made;
}

}  // namespace

const std::vector<variable>& variables() {
  using namespace types;
  using detail::collective;
  // Never destroyed: an environment may be held by a static object, and ends after this would have.
  static const std::vector<variable>& table = *new std::vector<variable>{
      row("PEAL_LOG", log_levels(), each_its_own, at(&job_settings::log),
          "how much peal says on standard error"),
      row("PEAL_BOOTSTRAP",
          choice<bootstrap_mode>{
              {{"auto", bootstrap_mode::automatic}, {"pmix", bootstrap_mode::pmix}}},
          each_its_own, at(&job_settings::bootstrap),
          "how ranks of pealrun meet: through memory that it shares with them, or through PMIx"),
      row("PEAL_SHM_DIR", path{}, each_its_own, at(&job_settings::shm, &shm_settings::dir),
          "folder of the node's shared segment"),
      row("PEAL_SHM_COPY",
          choice<shm_copy>{{{"auto", shm_copy::automatic},
                            {"direct", shm_copy::direct},
                            {"pipeline", shm_copy::pipeline},
                            {"alone", shm_copy::alone}}},
          each_its_own, at(&job_settings::shm, &shm_settings::copy),
          "how large messages move inside a node: in one copy by both ranks (direct) or by the "
          "receiver (alone), in two through a pipeline, or the way that is fastest of late (auto)"),
      row("PEAL_SHM_HEAP", bytes{0, 1024 * G}, alike, at(&job_settings::shm, &shm_settings::heap),
          "most memory that peal::allocate takes from the shared segment, a process"),
      row("PEAL_EAGER_LIMIT", bytes{0, 32 * K}, each_its_own,
          at(&job_settings::messages, &message_settings::eager_limit),
          "longest message that is sent before the receiver asks for it; between nodes 8K at most"),
      row("PEAL_UNEXPECTED_LIMIT", bytes{64 * K, 1024 * G}, each_its_own,
          at(&job_settings::messages, &message_settings::unexpected_limit),
          "most memory a receiver takes for messages that nobody has asked for yet"),
      row("PEAL_UNWIND_TIMEOUT", seconds{0, 86400}, each_its_own, at(&job_settings::unwind_timeout),
          "how long the end of a request waits while an exception is on its way, before the job is "
          "aborted"),
      row("PEAL_TRANSPORT",
          choice<transport_mode>{{{"auto", transport_mode::automatic},
                                  {"shm", transport_mode::shm},
                                  {"verbs", transport_mode::verbs}}},
          alike, at(&job_settings::transport),
          "what carries messages: shared memory inside a node and RDMA between nodes (auto), "
          "shared memory only, or RDMA everywhere"),
      row("PEAL_VERBS_DEVICE",
          text{"up to four names of RDMA devices, with a port if need be (mlx5_0, mlx5_0:1), or "
               "all; any but some: ^mlx5_2,mlx5_3"},
          each_its_own, at(&job_settings::verbs, &verbs_settings::device),
          "which RDMA devices to use instead of the best one: the first for all messages, the "
          "others for parts of large ones"),
      row("PEAL_VERBS_GID", auto_or{count{0, 65535}}, each_its_own,
          at(&job_settings::verbs, &verbs_settings::gid),
          "under which GID the device is to be known: an index into the GID table of its port"),
      row("PEAL_VERBS_PKEY", auto_or{pkey{}}, each_its_own,
          at(&job_settings::verbs, &verbs_settings::pkey),
          "in which partition of an InfiniBand fabric to talk: a P_Key, not its index"),
      row("PEAL_VERBS_SL", count{0, 15}, each_its_own,
          at(&job_settings::verbs, &verbs_settings::service_level),
          "the service level of all packets; on RoCE the priority of their frames"),
      row("PEAL_VERBS_TRAFFIC_CLASS", count{0, 255}, each_its_own,
          at(&job_settings::verbs, &verbs_settings::traffic_class),
          "the traffic class of packets with a network header: on RoCE v2 their DSCP, times four"),
      row("PEAL_VERBS_HOP_LIMIT", count{1, 255}, each_its_own,
          at(&job_settings::verbs, &verbs_settings::hop_limit),
          "how many routers a packet with a network header may pass"),
      row("PEAL_VERBS_MTU",
          auto_or{choice<std::size_t>{
              {{"256", 256}, {"512", 512}, {"1024", 1024}, {"2048", 2048}, {"4096", 4096}}}},
          each_its_own, at(&job_settings::verbs, &verbs_settings::mtu),
          "the longest payload of a packet, where a switch takes less than both ports say"),
      row("PEAL_VERBS_QPS", auto_or{count{1, 8}}, each_its_own,
          at(&job_settings::verbs, &verbs_settings::qps),
          "queue pairs over which a large message is spread, to each peer; auto: as many as the "
          "adapter gains from"),
      row("PEAL_VERBS_COALESCE", on_or_off(), each_its_own,
          at(&job_settings::verbs, &verbs_settings::coalesce),
          "whether small messages that wait behind others to one peer share a packet"),
      row("PEAL_VERBS_SRQ", on_or_off(), each_its_own,
          at(&job_settings::verbs, &verbs_settings::srq),
          "whether all peers share one receive queue, where the device has such"),
      row("PEAL_VERBS_REGISTRATION_CACHE", on_or_off(), each_its_own,
          at(&job_settings::verbs, &verbs_settings::registration_cache),
          "whether memory stays registered after its use, where it can be seen when memory goes "
          "away"),
      row("PEAL_VERBS_PUSH", auto_or{bytes{0, 1 * M}}, each_its_own,
          at(&job_settings::verbs, &verbs_settings::push),
          "how much of a large message is sent at once, without being asked for; auto: 64K on "
          "Soft-RoCE, nothing on adapters"),
      row("PEAL_VERBS_BLOCKS", auto_or{bytes{0, 1 * G}}, each_its_own,
          at(&job_settings::verbs, &verbs_settings::blocks),
          "from which length on the blocks of a large message that lies in blocks at equal "
          "distances are moved without being packed; 0: they are packed; auto: 4K on adapters, 0 "
          "on Soft-RoCE"),
      row("PEAL_VERBS_MAX_RC", count{1, 1000000}, each_its_own,
          at(&job_settings::verbs, &verbs_settings::max_rc),
          "most peers to which a rank has a connection at a time; the others get datagrams"),
      row("PEAL_VERBS_PINNED", bytes{8 * M, 64 * G}, each_its_own,
          at(&job_settings::verbs, &verbs_settings::pinned),
          "memory that a rank keeps registered for messages, datagrams and handshakes, at most"),
      row("PEAL_VERBS_PROMOTE", auto_or{count{1, 1000000000}}, each_its_own,
          at(&job_settings::verbs, &verbs_settings::promote),
          "messages that a peer without a connection gets as datagrams before it is connected; "
          "auto: 16, and all at once where everyone "
          "may be connected"),
      row("PEAL_VERBS_RENDEZVOUS",
          choice<rendezvous_mode>{{{"auto", rendezvous_mode::automatic},
                                   {"read", rendezvous_mode::read},
                                   {"write", rendezvous_mode::write},
                                   {"both", rendezvous_mode::both}}},
          each_its_own, at(&job_settings::verbs, &verbs_settings::rendezvous),
          "how large messages move: read by the receiver, written by the sender, or half of each"),
      row("PEAL_VERBS_ACK_TIMEOUT", seconds{0.001, 10}, each_its_own,
          at(&job_settings::verbs, &verbs_settings::ack_timeout),
          "how long an adapter waits for an acknowledgement before it sends again"),
      row("PEAL_VERBS_TIMEOUT", seconds{0.1, 600}, each_its_own,
          at(&job_settings::verbs, &verbs_settings::timeout),
          "for how long a connection that broke is made again before its peer counts as failed"),
      row("PEAL_STATS", zero_or_one(), each_its_own, at(&job_settings::stats),
          "whether each rank prints its counters when its environment ends"),
      row("PEAL_RECORD", text{"none, or the name of a folder"}, each_its_own,
          at(&job_settings::record, &record_settings::folder),
          "the folder into which each rank writes what it notes of its run; pealrun --report and "
          "--trace set it"),
      row("PEAL_RECORD_EVENTS", count{0, 1000000000}, each_its_own,
          at(&job_settings::record, &record_settings::events),
          "with PEAL_RECORD: most events that a rank notes for a trace"),
      row("PEAL_WAIT",
          choice<wait_mode>{{{"adaptive", wait_mode::adaptive},
                             {"poll", wait_mode::poll},
                             {"block", wait_mode::block}}},
          each_its_own, at(&job_settings::wait, &wait_settings::mode),
          "how a rank waits: poll never gives the core away, block sleeps at once, adaptive polls "
          "for a while first"),
      row("PEAL_WAIT_LEAST", auto_or{microseconds{0, 1000000}}, each_its_own,
          at(&job_settings::wait, &wait_settings::least),
          "how long an adaptive wait polls at least before it sleeps"),
      row("PEAL_WAIT_MOST", auto_or{microseconds{0, 1000000}}, each_its_own,
          at(&job_settings::wait, &wait_settings::most),
          "how long an adaptive wait polls at most before it sleeps"),
      row("PEAL_ASYNC", zero_or_one(), each_its_own, at(&job_settings::async),
          "whether a helper thread of each rank moves messages while the program computes"),
      row("PEAL_LANES", auto_or{count{1, 16}}, each_its_own, at(&job_settings::lanes),
          "with thread_level::multiple: among how many lanes communicators are dealt, so that "
          "their threads do not meet"),
      row("PEAL_COMMUNICATORS", auto_or{count{1, 500000000}}, each_its_own,
          at(&job_settings::communicators),
          "how many communicators may be alive at a time that have the same first rank, but for "
          "the world"),
      row("PEAL_CHECK", zero_or_one(), alike, at(&job_settings::check),
          "whether ranks compare their calls of each collective first, and tell what differs "
          "instead of hanging"),
      row("PEAL_CHECK_AFTER", seconds{0.1, 86400}, each_its_own, at(&job_settings::check_after),
          "with PEAL_CHECK=1: how long a rank waits for others in a collective before it says who "
          "is missing"),
      row("PEAL_RESTART", count{0, 1000000}, each_its_own, at(&job_settings::restart),
          "how often pealrun --restart has started this job again; pealrun sets it"),
      row("PEAL_TUNING", text{"auto, none, or the name of a file"}, each_its_own,
          at(&job_settings::tuning),
          "what peal-info --tune measured, by which algorithms are chosen: auto looks in "
          "$XDG_CONFIG_HOME/peal or ~/.config/peal"),
      row("PEAL_LEARN",
          choice<learn_mode>{{{"auto", learn_mode::automatic},
                              {"any", learn_mode::any},
                              {"off", learn_mode::off}}},
          alike, at(&job_settings::learn),
          "whether blocking collectives try several ways and go the fastest one: auto where "
          "results keep their bits, any also where sums of floating-point numbers do not"),
      algorithm_row("PEAL_BARRIER", collective::barrier, "algorithm of barrier"),
      algorithm_row("PEAL_BCAST", collective::bcast, "algorithm of bcast"),
      algorithm_row("PEAL_REDUCE", collective::reduce, "algorithm of reduce"),
      algorithm_row("PEAL_ALLREDUCE", collective::allreduce, "algorithm of allreduce"),
      algorithm_row("PEAL_GATHER", collective::gather, "algorithm of gather"),
      algorithm_row("PEAL_SCATTER", collective::scatter, "algorithm of scatter"),
      algorithm_row("PEAL_ALLGATHER", collective::allgather, "algorithm of allgather"),
      algorithm_row("PEAL_ALLTOALL", collective::alltoall, "algorithm of alltoall"),
      algorithm_row("PEAL_REDUCE_SCATTER", collective::reduce_scatter,
                    "algorithm of reduce_scatter and reduce_scatter_block"),
      algorithm_row("PEAL_SCAN", collective::scan, "algorithm of scan"),
      algorithm_row("PEAL_EXSCAN", collective::exscan, "algorithm of exscan"),
  };
  return table;
}

}  // namespace peal
