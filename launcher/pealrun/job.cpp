#include "job.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>

#include "processes/spawn.hpp"
#include "say.hpp"

extern char** environ;

namespace peal::launcher {

namespace {

// Between asking with SIGTERM and SIGKILL. Long enough to write a last line, short enough that the
// user does not press ^C meanwhile.
constexpr std::chrono::seconds grace{2};
// Output of processes that we could not kill is read for this long after all other processes have
// ended.
constexpr std::chrono::seconds drain{2};

constexpr int timeout_code = 124;  // as timeout(1)

std::vector<std::string> environment_of(const application& what) {
  std::vector<std::string> list;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view name =
        std::string_view{*each}.substr(0, std::string_view{*each}.find('='));
    const auto replaced = [name](const auto& variable) { return variable.first == name; };
    if (std::none_of(what.variables.begin(), what.variables.end(), replaced))
      list.emplace_back(*each);
  }
  for (auto each = what.variables.begin(); each != what.variables.end(); ++each) {
    const auto same = [each](const auto& other) { return other.first == each->first; };
    // The last one counts.
    if (std::none_of(each + 1, what.variables.end(), same))
      list.push_back(each->first + "=" + each->second);
  }
  return list;
}

}  // namespace

job::job(const job_request& request, pmix_host& host, const surroundings& around,
         std::vector<place> places)
    : request_{request},
      host_{host},
      guard_{around.watch},
      signals_{around.signals},
      strays_{around.left_behind},
      files_{around.files},
      places_{std::move(places)},
      order_{request.ranks()},
      output_{request},
      input_{request.streams},
      hangs_{request.hang_after} {
  members_.resize(static_cast<std::size_t>(request.ranks()));
  for (int rank = 0; rank < request.ranks(); ++rank)
    members_[static_cast<std::size_t>(rank)].end.rank = rank;
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  host_name_ = name.data();
  // What ranks leave behind becomes our child, so that it can be found and ended.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

job::~job() {
  signal_groups(SIGKILL, true);
  for (const member& each : members_) fetch(each);
  strays_.end();
}

int job::run() {
  if (request_.timeout > 0)
    timeout_ = clock::now() + std::chrono::duration_cast<clock::duration>(
                                  std::chrono::duration<double>{request_.timeout});
  start_all();
  while (!over()) {
    wait_for_something();
    serve_signals();
    look_for_ends();
    share_terminal();
    // After the look: whatever a rank told the server before its end is known when its end is
    // judged.
    serve_host();
    judge_ends();
    check_deadlines();
    if (phase_ == phase::running) hangs_.look(request_.ranks(), [this] { return ends_in_words(); });
    if (output_.broken() != 0 && phase_ == phase::running) {
      if (output_.broken() == EPIPE) fail(128 + SIGPIPE, "nobody reads the output any more");
      else
        fail(1, fmt::format("the output cannot be written: {}",
                            std::generic_category().message(output_.broken())));
      end_job();
    }
  }
  if (!output_.close_files() && result_ == 0) result_ = 1;
  return result_;
}

// Ranks that run already leave little time to start the other ranks where there are few cores, so
// the time may be over before all have started.
void job::start_all() {
  int started = 0;
  while (started < request_.ranks() && phase_ == phase::running) {
    start(started++);
    if (timeout_ && clock::now() >= *timeout_) check_deadlines();
  }
  for (; started < request_.ranks(); ++started)
    members_[static_cast<std::size_t>(started)].ended = true;
}

void job::start(int rank) {
  const auto at = static_cast<std::size_t>(rank);
  const application& what = request_.applications[request_.application_of(rank)];
  rank_start how;
  how.what = &what;
  std::vector<std::string> variables = environment_of(what);
  how.threads = places_[at].all_threads();
  // What the user has said stands.
  const auto said = [](const std::string& each) {
    return each.starts_with("OMP_PLACES=") || each.starts_with("OMP_PROC_BIND=");
  };
  if (const std::string list = places_[at].openmp_places();
      !list.empty() && std::none_of(variables.begin(), variables.end(), said))
    variables.push_back("OMP_PLACES=" + list);
  how.environment = host_.environment_for(rank, variables);
  how.guard = guard_.descriptor();
  how.input = input_.open(rank);
  const rank_output::ends written = output_.open(rank);
  how.output = written.output;
  how.error = written.error;
  members_[at].pid = start_rank(how, signals_, files_);
  strays_.leave_out(members_[at].pid);
  order_.add(rank, members_[at].pid);
  output_.close_child_ends();
  input_.close_child_end();
}

void job::wait_for_something() {
  std::vector<pollfd> list{{signals_.descriptor(), POLLIN, 0}, {host_.descriptor(), POLLIN, 0}};
  output_.add_to(list);
  input_.add_to(list);
  auto next = clock::time_point::max();
  for (const auto& each :
       {timeout_, kill_at_, give_up_at_, drain_until_, reap_at_, output_.deadline(), hangs_.next()})
    if (each) next = std::min(next, *each);
  for (const member& each : members_)
    if ((each.ended || each.end.aborted) && !each.judged) {
      const auto dying_until = each.end.at + dying_wait;
      next = std::min(next, dying_until > clock::now() ? dying_until : each.end.at + farewell_wait);
    }
  int wait = -1;
  if (next != clock::time_point::max()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - clock::now()).count();
    wait = static_cast<int>(std::clamp<long long>(left, 0, std::numeric_limits<int>::max()));
  }
  ::poll(list.data(), list.size(), wait);
  output_.serve(list);
  input_.serve(list);
}

// Only ranks that meet through the server wait for those that it has not seen.
void job::stand_in_for_absent() {
  for (member& each : members_)
    if (std::exchange(each.absent, false)) stand_in_for(each.end.rank);
}

// The server counts a rank as gone when its connection ends. One that died before it connected
// would be waited for by every fence, so another process connects in its name and ends at once.
void job::stand_in_for(int rank) {
  const application itself{1, {"pealrun", stand_in_word}, "/proc/self/exe", {}, {}};
  rank_start how;
  how.what = &itself;
  how.environment = host_.environment_for(rank, environment_of(itself));
  how.guard = guard_.descriptor();
  start_rank(how, signals_, files_);  // it is fetched as a stray
}

void job::check_deadlines() {
  const auto now = clock::now();
  if (timeout_ && now >= *timeout_) {
    timeout_.reset();
    if (phase_ == phase::running) {
      fail(timeout_code, fmt::format("the job ran longer than {} s (--timeout) and is killed; {}",
                                     request_.timeout, still_running()));
      end_job();
    }
  }
  if (kill_at_ && now >= *kill_at_) {
    kill_at_.reset();
    kill_all();
  }
  if (give_up_at_ && now >= *give_up_at_) give_up();
  if (reap_at_ && now >= *reap_at_) {
    reap_at_.reset();
    strays_.reap();
  }
  if (drain_until_ && now >= *drain_until_) {
    // What is left open belongs to processes that we could not end. As long as our own reader is
    // behind, there may be more to read.
    if (output_.idle()) output_.stop_reading();
    drain_until_ = now + drain;
  }
  const bool all_ended = std::all_of(members_.begin(), members_.end(),
                                     [](const member& each) { return each.judged && each.ended; });
  if (all_ended && !drain_until_) clear_groups();
}

// All ranks have ended; what they started may run on. After a failure it has had SIGTERM and gets
// the rest of its grace. The ranks are fetched last: until then their groups' numbers are theirs.
void job::clear_groups() {
  for (strays_.reap(); kill_at_ && clock::now() < *kill_at_ && strays_.any_in_group_of_others();
       strays_.reap())
    ::usleep(2000);
  signal_groups(SIGKILL, true);
  for (member& each : members_) {
    fetch(each);
    each.pid = -1;
  }
  kill_at_.reset();
  strays_.end();
  drain_until_ = clock::now() + drain;
}

// Waits for the end of a rank and lets its number go.
void job::fetch(const member& of) {
  if (of.pid <= 0) return;
  ::waitpid(of.pid, nullptr, of.given_up ? WNOHANG : 0);
  strays_.forget(of.pid);
}

void job::fail(int code, const std::string& line) {
  const bool first = result_ == 0;
  if (first) result_ = code;
  if (phase_ == phase::running) say(line);
}

void job::end_job() {
  if (phase_ != phase::running) return;
  phase_ = phase::asked_to_end;
  kill_at_ = clock::now() + grace;
  signal_groups(SIGTERM, true);
  signal_groups(SIGCONT, true);  // a stopped process hears SIGTERM only when it goes on
}

void job::signal_groups(int signal, bool also_ended) const {
  for (const member& each : members_)
    if (each.pid > 0 && (also_ended || !each.ended)) ::kill(-each.pid, signal);
}

bool job::over() const { return drain_until_ && (output_.finished() || output_.broken() != 0); }

std::string job::describe(int rank) const {
  return fmt::format("rank {} on {} (pid {}, {})", rank, host_name_,
                     members_[static_cast<std::size_t>(rank)].pid,
                     request_.applications[request_.application_of(rank)].arguments.front());
}

std::string job::still_running() const {
  std::string list;
  for (std::size_t rank = 0; rank < members_.size(); ++rank)
    if (members_[rank].pid > 0 && !members_[rank].ended)
      fmt::format_to(std::back_inserter(list), "{}{}", list.empty() ? "ranks still running: " : ",",
                     rank);
  return list;
}

}  // namespace peal::launcher
