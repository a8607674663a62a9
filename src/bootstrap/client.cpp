#include "bootstrap/client.hpp"

#include <pmix.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <numeric>
#include <optional>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "base/log.hpp"
#include "bootstrap/deaths.hpp"
#include "bootstrap/owner.hpp"
#include "bootstrap/pmix_events.hpp"
#include "bootstrap/pmix_fence.hpp"
#include "bootstrap/pmix_library.hpp"
#include "bootstrap/start_member.hpp"
#include "peal/error.hpp"

namespace peal {

namespace {

[[noreturn]] void fail(std::string_view call, pmix_status_t status, std::string_view advice = {}) {
  throw error(errc::bootstrap_failed,
              fmt::format("{}: {} ({}){}{}", call, pmix().error_string(status), status,
                          advice.empty() ? "" : "; ", advice));
}

// Keeps signals meant for the program away from the threads that PMIx starts.
class signals_blocked {
 public:
  signals_blocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
      sigdelset(&all, fault);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;

 private:
  sigset_t before_;
};

class pmix_value_holder {
 public:
  pmix_value_holder() = default;
  ~pmix_value_holder() {
    if (value == nullptr) return;
    pmix().value_destruct(value);  // as PMIX_VALUE_RELEASE
    std::free(value);
  }
  pmix_value_holder(const pmix_value_holder&) = delete;
  pmix_value_holder& operator=(const pmix_value_holder&) = delete;
  pmix_value_t* value = nullptr;
};

pmix_proc_t process_named(const std::string& job, pmix_rank_t rank) {
  pmix_proc_t process;
  PMIX_LOAD_PROCID(&process, job.c_str(), rank);
  return process;
}

// Launchers give one key in different integer types (Slurm's APPNUM is an int).
bool get_number(const pmix_proc_t& of, const char* key, std::uint32_t& number) {
  pmix_value_holder held;
  pmix_status_t status = pmix().get(&of, key, nullptr, 0, &held.value);
  if (status != PMIX_SUCCESS) return false;
  PMIX_VALUE_GET_NUMBER(status, held.value, number, std::uint32_t);
  return status == PMIX_SUCCESS;
}

/// Empty where the launcher does not give it.
std::string get_text(const pmix_proc_t& of, const char* key) {
  pmix_value_holder held;
  if (pmix().get(&of, key, nullptr, 0, &held.value) != PMIX_SUCCESS ||
      held.value->type != PMIX_STRING || held.value->data.string == nullptr)
    return {};
  return held.value->data.string;
}

std::vector<int> get_local_ranks(const std::string& job, int self) {
  std::vector<int> ranks;
  const pmix_proc_t everyone = process_named(job, PMIX_RANK_WILDCARD);
  pmix_value_holder held;
  if (pmix().get(&everyone, PMIX_LOCAL_PEERS, nullptr, 0, &held.value) == PMIX_SUCCESS &&
      held.value->type == PMIX_STRING) {
    const std::string_view list{held.value->data.string};
    for (std::size_t at = 0; at < list.size();) {
      int rank = 0;
      const auto end = std::from_chars(list.data() + at, list.data() + list.size(), rank).ptr;
      ranks.push_back(rank);
      at = static_cast<std::size_t>(end - list.data()) + 1;
    }
  }
  if (std::find(ranks.begin(), ranks.end(), self) == ranks.end()) ranks.push_back(self);
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

// The namespace as part of a file name. Names of pealrun stand as they are, for the sweep reads the
// owner out of them.
std::string file_name_of(std::string_view job) {
  const bool of_pealrun = job.starts_with("peal-");
  std::string name{of_pealrun ? "" : "peal-at-"};
  for (const char each : job)
    name += (std::isalnum(static_cast<unsigned char>(each)) != 0 || each == '-' || each == '_' ||
             (of_pealrun && each == '.'))
                ? each
                : '_';
  return name;
}

/// What is told begins with one of these.
constexpr char going_on = '+';
constexpr char refusal = '-';

std::string key_of(int exchange) { return fmt::format("peal.{}", exchange); }

[[noreturn]] void fail_for(int rank, const std::string& told) {
  throw error(errc::peer_failed, fmt::format("rank {} could not start: {}", rank, told.substr(1)),
              rank);
}

}  // namespace

struct bootstrap_client::state {
  pmix_proc_t self{};
  std::string job;  // the PMIx namespace; empty when alone
  std::string name;
  int rank = 0;
  int size = 1;
  int cores = 0;
  std::optional<int> application;
  std::string distances;
  std::vector<int> local{0};
  bool met = false;  // PMIx_Init succeeded and PMIx_Finalize was not called
  int exchanged = 0;
  bool refused = false;                  // by any rank
  std::unique_ptr<start_member> direct;  // of pealrun; without it the launcher is met by PMIx
  std::thread listener;                  // for deaths, where `direct` tells of them

  void become_alone();
  void meet_launcher();
  void meet_directly();
  void look() const;
  void listen();
  void stop_listening() noexcept;
  bool fence(std::chrono::milliseconds patience, const std::function<bool()>& progress,
             bool throws = true) const;
  void tell(const std::string& what) const;
  std::string value_of(const std::string& key, int of) const;
  std::string ask(const std::string& key, int of, const char* how, int seconds) const;
};

void bootstrap_client::state::become_alone() {
  // Of the step, which srun sets: a program in a batch script is one task, however many the
  // allocation is for.
  if (const char* tasks = std::getenv("SLURM_STEP_NUM_TASKS");
      tasks != nullptr && std::atoi(tasks) > 1)
    throw error(errc::bootstrap_failed,
                fmt::format("Slurm started {} tasks without PMIx, so they cannot find each other: "
                            "add --mpi=pmix to srun",
                            tasks));
  if (const char* ranks = std::getenv("PMI_SIZE"); ranks != nullptr && std::atoi(ranks) > 1)
    throw error(errc::bootstrap_failed,
                fmt::format("a launcher started {} processes with PMI instead of PMIx, so they "
                            "cannot find each other: use pealrun, or one "
                            "that has PMIx",
                            ranks));
  name = job_name_of(this_process());
}

void bootstrap_client::state::meet_launcher() {
  {
    const signals_blocked quiet;
    const pmix_status_t status = pmix().init(&self, nullptr, 0);
    if (status != PMIX_SUCCESS)
      fail("PMIx_Init", status,
           fmt::format("PMIX_NAMESPACE={} is set: is the launcher that set it still there?",
                       std::getenv("PMIX_NAMESPACE")));
  }
  met = true;
  job = self.nspace;
  name = file_name_of(job);
  rank = static_cast<int>(self.rank);
  const pmix_proc_t everyone = process_named(job, PMIX_RANK_WILDCARD);
  std::uint32_t number = 0;
  if (!get_number(everyone, PMIX_JOB_SIZE, number) || number == 0 || number > INT32_MAX ||
      self.rank >= number)
    throw error(
        errc::bootstrap_failed,
        fmt::format("the launcher does not say how many ranks the job has (rank {}, size {})", rank,
                    number));
  size = static_cast<int>(number);
  if (get_number(everyone, launcher_cores_key, number)) cores = static_cast<int>(number);
  // Slurm's PMIx says 0 of every program, where pealrun has set the variable.
  if (const char* told = std::getenv("PEALRUN_APPNUM"); told != nullptr)
    application = std::atoi(told);
  else if (get_number(self, PMIX_APPNUM, number) && number <= INT32_MAX)
    application = static_cast<int>(number);
  // Another launcher knows neither; a question that it cannot answer may take a turn of its server.
  if (cores > 0) distances = get_text(everyone, launcher_distances_key);
  local = get_local_ranks(job, rank);
  begin_to_hear(job);
  listen_for_events();
}

void bootstrap_client::state::meet_directly() {
  met = true;
  name = job = direct->job();
  rank = direct->rank();
  size = direct->size();
  cores = direct->cores();
  application = direct->application();
  distances = direct->distances();
  local.resize(static_cast<std::size_t>(size));
  std::iota(local.begin(), local.end(), 0);
  begin_to_hear(job);
}

/// PMIx calls when a rank has died; where ranks meet directly, they look.
void bootstrap_client::state::look() const {
  if (direct && direct->has_news())
    direct->look([this](const rank_failure& dead) { note_death(job, dead); });
}

/// Somebody may sleep, and is to be woken when a death is told.
void bootstrap_client::state::listen() {
  if (!direct || size == 1 || listener.joinable()) return;
  const signals_blocked quiet;
  listener = std::thread{[this] {
    std::uint32_t seen = direct->news();
    do look();
    while (direct->await_news(seen));
  }};
}

void bootstrap_client::state::stop_listening() noexcept {
  if (!listener.joinable()) return;
  direct->stop();
  listener.join();
}

/// False when not all came.
bool bootstrap_client::state::fence(std::chrono::milliseconds patience,
                                    const std::function<bool()>& progress, bool throws) const {
  if (direct) {
    const bool complete = direct->fence(patience, progress);
    look();
    return complete;
  }
  const pmix_status_t status =
      fence_all(process_named(job, PMIX_RANK_WILDCARD), patience, progress);
  if (status == PMIX_SUCCESS || status == PMIX_ERR_PARTIAL_SUCCESS) return status == PMIX_SUCCESS;
  if (throws) fail("PMIx_Fence", status);
  log_info("PMIx_Fence: {} ({}): not all ranks have come", pmix().error_string(status), status);
  return false;
}

// Puts it where the node's server has it at once, and the other nodes after the next fence that
// collects.
void bootstrap_client::state::tell(const std::string& what) const {
  if (direct) return direct->tell(what);
  pmix_value_t value;
  PMIX_VALUE_CONSTRUCT(&value);
  value.type = PMIX_BYTE_OBJECT;
  value.data.bo.bytes = const_cast<char*>(what.data());  // PMIx_Put copies
  value.data.bo.size = what.size();
  const std::string key = key_of(exchanged);
  if (const pmix_status_t status = pmix().put(PMIX_GLOBAL, key.c_str(), &value);
      status != PMIX_SUCCESS)
    fail("PMIx_Put", status);
  if (const pmix_status_t status = pmix().commit(); status != PMIX_SUCCESS)
    fail("PMIx_Commit", status);
}

std::string bootstrap_client::state::ask(const std::string& key, int of, const char* how,
                                         int seconds) const {
  const pmix_proc_t process = process_named(job, static_cast<pmix_rank_t>(of));
  const bool yes = true;
  pmix_info_t infos[2];
  PMIX_INFO_CONSTRUCT(&infos[0]);
  PMIX_INFO_CONSTRUCT(&infos[1]);
  pmix().info_load(&infos[0], how, &yes, PMIX_BOOL);
  pmix().info_load(&infos[1], PMIX_TIMEOUT, &seconds, PMIX_INT);
  pmix_value_holder held;
  const pmix_status_t status =
      pmix().get(&process, key.c_str(), infos, std::size(infos), &held.value);
  if (status != PMIX_SUCCESS || held.value->type != PMIX_BYTE_OBJECT) return {};
  return {held.value->data.bo.bytes, held.value->data.bo.size};
}

// Empty when the rank died before it told. After a fence that collects, everything that there is
// lies here or with the node's server, so no rank need wait for it: first a look that does not ask
// the server, then one that the server answers at once.
std::string bootstrap_client::state::value_of(const std::string& key, int of) const {
  constexpr int patience = 20;  // a server that has not answered by then has lost the question
  std::string found = ask(key, of, PMIX_OPTIONAL, patience);
  return found.empty() ? ask(key, of, PMIX_IMMEDIATE, patience) : found;
}

bootstrap_client::bootstrap_client() : state_{std::make_unique<state>()} {
  if (std::getenv("PMIX_NAMESPACE") == nullptr) state_->become_alone();
  else if ((state_->direct = start_member::of_environment())) state_->meet_directly();
  else state_->meet_launcher();
}

bootstrap_client::~bootstrap_client() { finish(true); }

int bootstrap_client::rank() const noexcept { return state_->rank; }
int bootstrap_client::size() const noexcept { return state_->size; }
bool bootstrap_client::alone() const noexcept { return state_->job.empty(); }
int bootstrap_client::cores() const noexcept { return state_->cores; }
std::optional<int> bootstrap_client::application() const noexcept { return state_->application; }
const std::string& bootstrap_client::distances() const noexcept { return state_->distances; }
const std::string& bootstrap_client::job_name() const noexcept { return state_->name; }
const std::vector<int>& bootstrap_client::local_ranks() const noexcept { return state_->local; }

std::vector<std::string> bootstrap_client::exchange(const std::string& mine) {
  if (alone()) return {mine};
  state_->tell(going_on + mine);
  const std::string key = key_of(state_->exchanged++);
  // The living may still be on their way here when a death is known: they tell what they have, and
  // this is for all to see.
  constexpr std::chrono::seconds patience{10};
  (void)state_->fence(patience, nullptr);

  std::vector<std::string> told(static_cast<std::size_t>(size()));
  if (state_->direct) told = state_->direct->told_by_all();
  else
    for (int of = 0; of < size(); ++of)
      told[static_cast<std::size_t>(of)] =
          of == rank() ? going_on + mine : state_->value_of(key, of);
  for (int of = 0; of < size(); ++of)
    if (told[static_cast<std::size_t>(of)].starts_with(refusal)) {
      state_->refused = true;
      fail_for(of, told[static_cast<std::size_t>(of)]);
    }
  // Without the dead a fence may be over before the news of the death is here. A caller that finds
  // a rank's part empty must be able to learn that a rank has died.
  const bool complete =
      std::none_of(told.begin(), told.end(), [](const std::string& each) { return each.empty(); });
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!complete && !somebody_died() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
    state_->look();
  }
  for (std::string& each : told)
    if (!each.empty()) each.erase(0, 1);
  return told;
}

void bootstrap_client::refuse(const std::string& why) noexcept {
  if (alone() || state_->refused) return;
  state_->refused = true;
  try {
    state_->tell(refusal + why);
    ++state_->exchanged;
    (void)state_->fence(std::chrono::seconds{10}, nullptr);
  } catch (const std::exception& problem) {
    log_info("the other ranks cannot be told that this one does not start: {}", problem.what());
  }
}

int bootstrap_client::exchanged() const noexcept { return state_->exchanged; }

bool bootstrap_client::has_come(int rank, int exchange) const {
  const std::string told = state_->direct ? state_->direct->told_by(rank, exchange)
                                          : state_->ask(key_of(exchange), rank, PMIX_IMMEDIATE, 1);
  if (told.starts_with(refusal)) fail_for(rank, told);
  return !told.empty() || exchange < state_->exchanged;
}

bool bootstrap_client::fence(const std::function<bool()>& progress) {
  if (alone()) return true;
  if (knows_of_death()) return false;
  // Under Slurm 22.05 a fence in which ranks are missing that have left ends with UNPACK-PAST-END.
  const bool complete = state_->fence(std::chrono::milliseconds{0}, progress, false);
  // A fence succeeds without a rank that died before any rank came.
  return complete && !somebody_died();
}

void bootstrap_client::on_death(std::function<void()> call) {
  {
    const std::lock_guard hold{deaths().lock};
    deaths().tell = std::move(call);
  }
  state_->listen();
}

bool bootstrap_client::knows_of_death() const noexcept {
  state_->look();
  return somebody_died();
}

bool bootstrap_client::knows_of_death(int rank) const noexcept {
  state_->look();
  const std::lock_guard hold{deaths().lock};
  return deaths().dead.contains(rank);
}

std::vector<rank_failure> bootstrap_client::failures() {
  state_->look();
  death_list& box = deaths();
  if (!box.filled.load(std::memory_order_relaxed)) return {};
  const std::lock_guard hold{box.lock};
  box.filled.store(false, std::memory_order_relaxed);
  return std::exchange(box.not_fetched, {});
}

void bootstrap_client::tell_unreachable(int rank) noexcept {
  if (state_->met && !state_->direct) peal::tell_unreachable(state_->self, rank);
}

std::vector<unreachable_report> bootstrap_client::reports() {
  death_list& box = deaths();
  if (!box.reported.load(std::memory_order_relaxed)) return {};
  const std::lock_guard hold{box.lock};
  box.reported.store(false, std::memory_order_relaxed);
  return std::exchange(box.reports, {});
}

void bootstrap_client::abort(int code, const std::string& why) noexcept {
  if (alone() || !state_->met) return;
  if (state_->direct) state_->direct->abort(code, why);
  else pmix().abort(code, why.c_str(), nullptr, 0);
  ::_exit((code & 0xff) != 0 ? code & 0xff : 1);  // the launcher ends the other ranks
}

void bootstrap_client::abandon() noexcept {
  state_->met = false;
  state_->stop_listening();
}

// PMIx_Finalize waits for the server's answer two seconds at most, so a launcher that is gone does
// not hold us up.
void bootstrap_client::finish(bool) noexcept {
  if (!state_->met) return;
  state_->met = false;
  {
    const std::lock_guard hold{deaths().lock};
    deaths().job.clear();
  }
  if (state_->direct) {
    state_->direct->leave();
    state_->stop_listening();
  } else if (const pmix_status_t status = pmix().finalize(nullptr, 0); status != PMIX_SUCCESS)
    log_info("PMIx_Finalize: {}", pmix().error_string(status));
}

}  // namespace peal
