#include "pmix/pmix_host.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pmix.h>
#include <pmix_server.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <thread>

#include "bootstrap/client.hpp"
#include "peal/error.hpp"
#include "pmix/pmix_infos.hpp"
#include "pmix/pmix_upcalls.hpp"

extern char** environ;

namespace peal::launcher {

namespace {

// Up to so many ranks PMIx's data travels in messages.
constexpr int few_ranks = 16;

void check(const char* call, pmix_status_t status) {
  if (status != PMIX_SUCCESS)
    throw error(errc::bootstrap_failed,
                fmt::format("{}: {} ({})", call, PMIx_Error_string(status), status));
}

// pealrun may itself run as a rank of something: what that something told its rank would confuse
// our server and ranks.
void forget_outer_launcher() {
  std::vector<std::string> names;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view line{*each};
    if (line.starts_with("PMIX_") && !line.starts_with("PMIX_MCA_"))
      names.emplace_back(line.substr(0, line.find('=')));
  }
  for (const std::string& each : names) ::unsetenv(each.c_str());
  ::unsetenv("PEALRUN_JOB");
}

start_host* make_direct_start(const host_facts& facts, const job_request& request) {
  if (!facts.direct) return nullptr;
  start_facts told{facts.job, facts.cores, facts.distances, {}};
  for (std::size_t each = 0; each < request.applications.size(); ++each)
    told.applications.insert(told.applications.end(),
                             static_cast<std::size_t>(request.applications[each].ranks),
                             static_cast<int>(each));
  return start_host::make(told).release();
}

// A rank that aborts the job may go on to be the child of a shell, whose end nobody would wait for.
void pass_aborts_on(const start_host& from, int ranks) {
  std::thread{[&from, ranks] {
    std::vector<bool> passed_on(static_cast<std::size_t>(ranks));
    for (std::uint32_t seen = 0;;) {
      from.await_call(seen);
      for (int rank = 0; rank < ranks; ++rank) {
        const start_state told = from.state_of(rank);
        if (!told.aborted || passed_on[static_cast<std::size_t>(rank)]) continue;
        passed_on[static_cast<std::size_t>(rank)] = true;
        upcalls().put({host_event::aborted, rank, told.abort_code, told.abort_text});
      }
    }
  }}.detach();
}

// libpmix leaves Nagle's algorithm on: an event after an event then waits 40 ms for an
// acknowledgement. What a listening socket accepts inherits the option. Where there is no /proc it
// is slower.
void accept_without_delay() {
  std::error_code failed;
  for (std::filesystem::directory_iterator each{"/proc/self/fd", failed}, end;
       !failed && each != end; each.increment(failed)) {
    const int descriptor = std::atoi(each->path().filename().c_str());
    int listening = 0;
    socklen_t size = sizeof listening;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) != 0 ||
        listening == 0)
      continue;
    const int on = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on,
                 sizeof on);  // fails on other kinds of socket, which need it not
  }
}

std::string list_of_ranks(int count) {
  std::string list;
  for (int rank = 0; rank < count; ++rank)
    fmt::format_to(std::back_inserter(list), "{}{}", rank == 0 ? "" : ",", rank);
  return list;
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

// PMIx's compressed forms of lists.
std::string regex_of(pmix_status_t (*generate)(const char*, char**), const std::string& list) {
  char* text = nullptr;
  check("PMIx_generate_regex", generate(list.c_str(), &text));
  const std::unique_ptr<char, void (*)(void*)> held{text, std::free};
  return text;
}

void describe_job(pmix_infos& job, const host_facts& facts, const job_request& request) {
  const auto ranks = static_cast<std::uint32_t>(request.ranks());
  const std::string host = host_name(), everyone = list_of_ranks(request.ranks());
  for (const char* key :
       {PMIX_UNIV_SIZE, PMIX_JOB_SIZE, PMIX_MAX_PROCS, PMIX_LOCAL_SIZE, PMIX_NODE_SIZE})
    job.add_u32(key, ranks);
  job.add_u32(PMIX_JOB_NUM_APPS, static_cast<std::uint32_t>(request.applications.size()));
  job.add_u32(PMIX_NUM_NODES, 1);
  job.add_u32(launcher_cores_key, static_cast<std::uint32_t>(facts.cores));
  job.add_text(launcher_distances_key, facts.distances);
  job.add_rank(PMIX_LOCALLDR, 0);
  job.add_text(PMIX_JOBID, facts.job);
  job.add_text(PMIX_LOCAL_PEERS, everyone);
  job.add_text(PMIX_TMPDIR, facts.folder);
  job.add_text(PMIX_NSDIR, facts.folder);
  job.add_text(PMIX_NODE_MAP, regex_of(PMIx_generate_regex, host));
  job.add_text(PMIX_PROC_MAP, regex_of(PMIx_generate_ppn, everyone));
  pmix_infos node;
  node.add_u32(PMIX_NODEID, 0);
  node.add_text(PMIX_HOSTNAME, host);
  node.add_u32(PMIX_LOCAL_SIZE, ranks);
  node.add_u32(PMIX_NODE_SIZE, ranks);
  node.add_text(PMIX_LOCAL_PEERS, everyone);
  node.add_rank(PMIX_LOCALLDR, 0);
  job.add_list(PMIX_NODE_INFO_ARRAY, node);

  pmix_rank_t rank = 0;
  for (std::size_t number = 0; number < request.applications.size(); ++number) {
    const auto count = static_cast<std::uint32_t>(request.applications[number].ranks);
    pmix_infos application;
    application.add_u32(PMIX_APPNUM, static_cast<std::uint32_t>(number));
    application.add_u32(PMIX_APP_SIZE, count);
    application.add_rank(PMIX_APPLDR, rank);
    job.add_list(PMIX_APP_INFO_ARRAY, application);
    for (std::uint32_t within = 0; within < count; ++within, ++rank) {
      pmix_infos process;
      process.add_rank(PMIX_RANK, rank);
      process.add_u32(PMIX_APPNUM, static_cast<std::uint32_t>(number));
      process.add_rank(PMIX_APP_RANK, within);
      process.add_rank(PMIX_GLOBAL_RANK, rank);
      process.add_u16(PMIX_LOCAL_RANK, static_cast<std::uint16_t>(rank));
      process.add_u16(PMIX_NODE_RANK, static_cast<std::uint16_t>(rank));
      process.add_u32(PMIX_NODEID, 0);
      process.add_text(PMIX_HOSTNAME, host);
      job.add_list(PMIX_PROC_DATA, process);
    }
  }
}

pmix_proc_t process_named(const std::string& job, int rank) {
  pmix_proc_t process;
  PMIX_LOAD_PROCID(&process, job.c_str(), static_cast<pmix_rank_t>(rank));
  return process;
}

// Settings of libpmix for as long as the server starts: they are not for the ranks. What the user
// has set stays.
class server_settings {
 public:
  explicit server_settings(int ranks) {
    // An event is otherwise kept back for a second, in case that more of its kind come.
    set("PMIX_MCA_pmix_event_caching_window", "0");
    // Where the ranks read what the server tells: files in memory cost each rank 10 ms to map,
    // messages cost the server more the more ranks there are. Measured, 2 cores, start to end: 4
    // ranks 41 against 23 ms, 16 ranks 69 against 66, 32 ranks 120 against 145, 64 ranks 252
    // against 447.
    if (ranks <= few_ranks) set("PMIX_MCA_gds", "hash");
  }
  ~server_settings() {
    for (const char* each : names_) ::unsetenv(each);
  }
  server_settings(const server_settings&) = delete;
  server_settings& operator=(const server_settings&) = delete;

 private:
  void set(const char* name, const char* value) {
    if (std::getenv(name) != nullptr) return;
    ::setenv(name, value, 1);
    names_.push_back(name);
  }
  std::vector<const char*> names_;
};

void start_server(const host_facts& facts) {
  pmix_infos how;
  how.add_text(PMIX_SERVER_TMPDIR, facts.folder);
  how.add_text(PMIX_SYSTEM_TMPDIR, facts.folder);
  how.add_text(PMIX_SERVER_NSPACE, facts.job + ".server");
  how.add_rank(PMIX_SERVER_RANK, 0);
  // Handed over, or libpmix would read the topology a second time.
  pmix_topology_t topology{const_cast<char*>("hwloc"), facts.topology};
  if (facts.topology != nullptr) how.add(PMIX_TOPOLOGY2, &topology, PMIX_TOPO);
  check("PMIx_server_init", PMIx_server_init(upcall_table(), how.data(), how.size()));

  std::promise<pmix_status_t> answer;
  const auto registered = [](pmix_status_t status, std::size_t, void* context) {
    static_cast<std::promise<pmix_status_t>*>(context)->set_value(status);
  };
  pmix_status_t lost = PMIX_ERR_LOST_CONNECTION;
  PMIx_Register_event_handler(&lost, 1, nullptr, 0, on_server_event, registered, &answer);
  check("PMIx_Register_event_handler", answer.get_future().get());
}

}  // namespace

pmix_host::pmix_host(const host_facts& facts, const job_request& request) : job_{facts.job} {
  forget_outer_launcher();
  direct_ = make_direct_start(facts, request);
  if (direct_ != nullptr) pass_aborts_on(*direct_, request.ranks());
  {
    const server_settings settings{request.ranks()};
    start_server(facts);
  }
  accept_without_delay();
  pmix_infos job;
  describe_job(job, facts, request);
  check("PMIx_server_register_nspace", await([&](pmix_op_cbfunc_t callback, void* context) {
          return PMIx_server_register_nspace(job_.c_str(), request.ranks(), job.data(), job.size(),
                                             callback, context);
        }));
  // All of them before the first starts: a fence of those that are known would otherwise end
  // without the rest.
  for (int rank = 0; rank < request.ranks(); ++rank) {
    const pmix_proc_t process = process_named(job_, rank);
    check("PMIx_server_register_client", await([&](pmix_op_cbfunc_t callback, void* context) {
            return PMIx_server_register_client(&process, ::getuid(), ::getgid(), nullptr, callback,
                                               context);
          }));
  }
}

std::vector<std::string> pmix_host::environment_for(int rank,
                                                    const std::vector<std::string>& base) const {
  // PMIx grows and frees it with malloc's family
  char** list = static_cast<char**>(std::calloc(base.size() + 1, sizeof(char*)));
  if (list == nullptr) throw std::bad_alloc{};
  for (std::size_t i = 0; i < base.size(); ++i) list[i] = ::strdup(base[i].c_str());
  const pmix_proc_t process = process_named(job_, rank);
  const pmix_status_t status = PMIx_server_setup_fork(&process, &list);
  std::vector<std::string> made;
  for (char** each = list; *each != nullptr; ++each) {
    made.emplace_back(*each);
    std::free(*each);
  }
  std::free(list);
  check("PMIx_server_setup_fork", status);
  if (direct_ != nullptr) made.push_back(direct_->variable());
  return made;
}

int pmix_host::descriptor() const noexcept { return upcalls().descriptor(); }

std::vector<host_event> pmix_host::events() {
  std::vector<host_event> all = upcalls().take();
  for (const host_event& each : all) was_asked_ |= each.what == host_event::connected;
  return all;
}

start_state pmix_host::state_of(int rank) const {
  return direct_ != nullptr ? direct_->state_of(rank) : start_state{};
}

void pmix_host::tell_of_death(int rank, bool by_signal, int code, bool silent) {
  if (direct_ != nullptr)
    direct_->tell_of_death({rank,
                            by_signal   ? failure_cause::signal
                            : code != 0 ? failure_cause::exit_code
                                        : failure_cause::left,
                            by_signal ? code - 128 : code, silent});
  struct news {
    pmix_proc_t dead;
    pmix_infos infos;
  };
  auto* told = new news{process_named(job_, rank), {}};
  told->infos.add(PMIX_EVENT_AFFECTED_PROC, &told->dead, PMIX_PROC);
  told->infos.add(PMIX_EXIT_CODE, &code, PMIX_INT);
  const pmix_status_t what = silent      ? silent_death_status
                             : by_signal ? PMIX_ERR_PROC_ABORTED_BY_SIG
                             : code != 0 ? PMIX_ERR_EXIT_NONZERO_TERM
                                         : PMIX_ERR_PROC_TERM_WO_SYNC;
  const auto free_news = [](pmix_status_t, void* context) { delete static_cast<news*>(context); };
  const pmix_status_t status =
      PMIx_Notify_event(what, &told->dead, PMIX_RANGE_NAMESPACE, told->infos.data(),
                        told->infos.size(), free_news, told);
  if (status != PMIX_SUCCESS) delete told;
}

void connect_and_vanish() {
  pmix_proc_t self;
  ::_exit(PMIx_Init(&self, nullptr, 0) == PMIX_SUCCESS ? 0 : 1);
}

}  // namespace peal::launcher
