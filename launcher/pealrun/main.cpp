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
#include <string>
#include <vector>

#include "base/error_text.hpp"
#include "base/log.hpp"
#include "base/settings.hpp"
#include "bootstrap/owner.hpp"
#include "job.hpp"
#include "peal/error.hpp"
#include "pmix/pmix_host.hpp"
#include "processes/descriptors.hpp"
#include "processes/guard.hpp"
#include "processes/placement.hpp"
#include "processes/signals.hpp"
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
// their input or output.
void open_standard_descriptors() {
  int made = 0;
  do made = ::open("/dev/null", O_RDWR | O_CLOEXEC);
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

int run_job(const job_request& request, signal_source& signals, descriptor_limit& files) {
  const job_settings settings = job_settings::from_environment();  // of unknown names rank 0 warns
  const std::string temporary = temporary_folder();
  std::vector<std::string> shared{temporary, settings.shm.dir};
  for (const application& each : request.applications)
    for (const auto& [variable, value] : each.variables)
      if (variable == "PEAL_SHM_DIR") shared.push_back(value);
  for (const std::string& each : shared) remove_leftovers(each);

  const std::string name = job_name_of(this_process());
  run_record record{request};
  strays left_behind;
  guard watch{name, shared};  // before any thread is started
  left_behind.leave_out(watch.pid());
  int code = 1;
  std::exception_ptr problem;
  try {
    if (record.wanted()) record.begin(make_private_folder(name, temporary));
    const machine node;
    const placement places{node, request};
    files.require(request);  // besides the sockets that hold the cores
    if (!places.warning().empty() && settings.log >= log_level::warning)
      print(STDERR_FILENO, fmt::format("pealrun: warning: {}\n", places.warning()));
    pmix_host host{{name, make_private_folder(name, temporary), places.cores(), node.handle(),
                    distances{node.handle()}.text()},
                   request};
    job ranks{request, host, {watch, signals, left_behind, files}, places.places()};
    code = ranks.run();
    if (!record.write(code) && code == 0) code = 1;
  } catch (...) {
    problem = std::current_exception();
  }
  for (const std::string& each : shared) remove_entries_of(name, each);
  if (problem) std::rethrow_exception(problem);
  return code;
}

int run(const std::vector<std::string>& arguments) {
  try {
    const job_request request = read_command_line(arguments);
    descriptor_limit files;
    signal_source signals;
    return run_job(request, signals, files);
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
  // For libpmix's own use of hwloc too, here and in the ranks: gl asks X servers over the network,
  // x86 takes most of the discovery's time.
  ::setenv("HWLOC_COMPONENTS", "-gl,-x86", 0);
  // _exit: the PMIx server cannot be finalized once ranks have died, and its threads must not meet
  // destroyed objects.
  ::_exit(run({words + 1, words + count}));
}
