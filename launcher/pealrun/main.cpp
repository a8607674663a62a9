// launcher/pealrun/main.cpp
// pealrun: from the command line to the exit code.
//
// Layer    launcher.
// Errors   every error ends as one line on standard error and an exit code (command_line.hpp says
//          which).
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "base/error_text.hpp"
#include "base/log.hpp"
#include "base/settings.hpp"
#include "bootstrap/owner.hpp"
#include "engine/other_launcher.hpp"
#include "engine/slurm/step_watch.hpp"
#include "explain/plan.hpp"
#include "hang/attach.hpp"
#include "hang/hang_report.hpp"
#include "job.hpp"
#include "nodes/agent/node_agent.hpp"
#include "nodes/node_watch.hpp"
#include "peal/error.hpp"
#include "placement/placement.hpp"
#include "pmix/pmix_host.hpp"
#include "processes/descriptors.hpp"
#include "processes/guard.hpp"
#include "processes/restart.hpp"
#include "processes/signals.hpp"
#include "processes/stack_limit.hpp"
#include "report/run_record.hpp"
#include "request/command_line.hpp"
#include "topology/distances.hpp"
#include "topology/machine.hpp"

namespace peal::launcher {
namespace {

void print(int descriptor, const std::string& text) {
  [[maybe_unused]] const ssize_t written = ::write(descriptor, text.data(), text.size());
}

// One that is closed would be given to the first pipe or socket, which ranks would then take for
// their input or output. Ranks have them as well.
void open_standard_descriptors() {
  int made = 0;
  do made = ::open("/dev/null", O_RDWR);
  while (made >= 0 && made <= STDERR_FILENO);
  if (made > STDERR_FILENO) ::close(made);
}

std::string temporary_folder() {
  const char* set = std::getenv("TMPDIR");
  return set != nullptr && *set != '\0' ? set : "/tmp";
}

// Private (mkdtemp makes it with 0700); its name tells whose it is, for the sweep of a later
// pealrun.
std::string make_private_folder(const std::string& job, const std::string& in) {
  std::string name = in + "/" + job + "." + std::string(6, 'X');
  if (::mkdtemp(name.data()) == nullptr)
    throw stop{
        1, fmt::format("pealrun: cannot make a folder in {}: {} (TMPDIR names the folder to use)\n",
                       in, std::strerror(errno))};
  return name;
}

// One way for all ranks, so what is set for one application counts for all.
bool meet_directly(const job_settings& settings, const job_request& request) {
  bool by_pmix = settings.bootstrap == bootstrap_mode::pmix;
  for (const application& each : request.applications)
    for (const auto& [variable, value] : each.variables)
      by_pmix |= variable == "PEAL_BOOTSTRAP" && value == "pmix";
  return !by_pmix;
}

// hwloc's plugins (PCI, OpenCL, OpenGL by way of X libraries, libxml2) tell nothing that is asked
// for here, and loading them takes longer than all the rest of the discovery. Ranks have them.
class no_hwloc_plugins {
 public:
  no_hwloc_plugins() : set_{std::getenv(name) == nullptr} {
    if (set_) ::setenv(name, "/nonexistent", 0);
  }
  ~no_hwloc_plugins() {
    if (set_) ::unsetenv(name);
  }
  no_hwloc_plugins(const no_hwloc_plugins&) = delete;
  no_hwloc_plugins& operator=(const no_hwloc_plugins&) = delete;

 private:
  static constexpr const char* name = "HWLOC_PLUGINS_PATH";
  bool set_;
};

struct job_end {
  int code = 1;
  bool may_start_again = false;
};

job_end run_job(const job_request& request, signal_source& signals, descriptor_limit& files,
                const restart& starts) {
  const job_settings settings = job_settings::from_environment();  // of unknown names rank 0 warns
  const std::string temporary = temporary_folder();
  std::vector<std::string> shared{temporary, settings.shm.dir};
  for (const application& each : request.applications)
    for (const auto& [variable, value] : each.variables)
      if (variable == "PEAL_SHM_DIR") shared.push_back(value);
  for (const std::string& each : shared) remove_leftovers(each);

  const std::string name = starts.name_of(job_name_of(this_process()));
  run_record record{request};
  strays left_behind;
  guard watch{name, shared};  // before any thread is started
  left_behind.leave_out(watch.pid());
  job_end end;
  std::exception_ptr problem;
  try {
    if (record.wanted()) record.begin(make_private_folder(name, temporary));
    std::optional<no_hwloc_plugins> unplugged{std::in_place};
    const machine node;
    const placement places{node, request};
    files.require(request);  // besides the sockets that hold the cores
    if (!places.warning().empty() && settings.log >= log_level::warning)
      print(STDERR_FILENO, fmt::format("pealrun: warning: {}\n", places.warning()));
    if (request.placement.report_bindings) print(STDERR_FILENO, places.text());
    pmix_host host{{name, make_private_folder(name, temporary), places.cores(), node.handle(),
                    distances{node.handle()}.text(), meet_directly(settings, request)},
                   request};
    unplugged.reset();
    job ranks{request, host, {watch, signals, left_behind, files}, places.places()};
    end.code = ranks.run();
    end.may_start_again = ranks.may_start_again();
    if (!record.write(end.code) && end.code == 0) end.code = 1;
  } catch (...) {
    problem = std::current_exception();
  }
  for (const std::string& each : shared) remove_entries_of(name, each);
  if (problem) std::rethrow_exception(problem);
  return end;
}

int run(const restart& starts) {
  try {
    const std::vector<std::string>& arguments = starts.arguments();
    if (!arguments.empty() && arguments.front() == attach_word)
      return attach({arguments.begin() + 1, arguments.end()});
    const job_request request = read_command_line(arguments);
    const std::optional<other_launcher> elsewhere = other_launcher_for(request);
    if (request.placement.explain)
      throw stop{0, elsewhere ? explain(*elsewhere) : explain(request)};
    descriptor_limit files;
    signal_source signals;
    if (elsewhere) {
      (void)job_settings::from_environment();  // refuses what is wrong before ranks are started
      const other_end end = run_by(*elsewhere, request, signals);
      if (end.may_start_again && starts.count() < request.restarts)
        starts.once_more(request.restarts, signals, files);
      return end.code;
    }
    require_stack();
    const job_end end = run_job(request, signals, files, starts);
    if (end.may_start_again && starts.count() < request.restarts)
      starts.once_more(request.restarts, signals, files);
    return end.code;
  } catch (const stop& end) {
    print(end.code == 0 ? STDOUT_FILENO : STDERR_FILENO, end.text);
    return end.code;
  } catch (const error& problem) {
    const bool by_user = problem.code() == errc::invalid_config;
    const std::string text = text_without_place(problem);
    print(STDERR_FILENO, by_user
                             ? fmt::format("pealrun: {}\n", text)
                             : fmt::format("pealrun: {}: {}\n", text, problem.code().message()));
    return by_user ? 2 : 1;
  } catch (const std::exception& problem) {
    print(STDERR_FILENO, fmt::format("pealrun: {}\n", problem.what()));
    return 1;
  }
}

}  // namespace
}  // namespace peal::launcher

int main(int count, char** words) {
  using namespace peal::launcher;
  if (count == 2 && std::string_view{words[1]} == stand_in_word) connect_and_vanish();
  open_standard_descriptors();
  if (count == 3 && std::string_view{words[1]} == hang_report_word)
    return write_hang_report(words[2]);
  if (count == 3 && std::string_view{words[1]} == node_watch_word) return watch_nodes(words[2]);
  if (count == 3 && std::string_view{words[1]} == node_agent_word) return serve_node(words[2]);
  if (count == 3 && std::string_view{words[1]} == watch_step_word) return watch_step(words[2]);
  // For libpmix's own use of hwloc too, here and in the ranks: gl asks X servers over the network,
  // x86 takes most of the discovery's time.
  ::setenv("HWLOC_COMPONENTS", "-gl,-x86", 0);
  // _exit: the PMIx server cannot be finalized once ranks have died, and its threads must not meet
  // destroyed objects.
  ::_exit(run(restart{std::vector<std::string>(words, words + count)}));
}
