#include "report.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "base/variables.hpp"
#include "collective/choice/tuning.hpp"
#include "memory/unmap_hooks.hpp"
#include "peal/error.hpp"
#include "topology/machine.hpp"

namespace peal::info {

namespace {

/// Below this a rank that starts can register hardly more than its message slots, and every large
/// message must be staged through them.
constexpr std::uint64_t least_locked_memory = std::uint64_t{64} << 20;
/// Each rank reserves some fifty KiB at its start, and a pair that talks some three hundred.
constexpr std::uint64_t least_shared_memory = std::uint64_t{16} << 20;

std::string host_name() {
  std::string name(HOST_NAME_MAX + 1, '\0');
  if (gethostname(name.data(), name.size()) != 0) return "unknown";
  name.resize(std::strlen(name.c_str()));
  return name;
}

std::optional<std::uint64_t> locked_memory() {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  return limit.rlim_cur;
}

std::optional<std::uint64_t> free_bytes(const std::string& folder) {
  struct statvfs facts{};
  if (::statvfs(folder.c_str(), &facts) != 0) return std::nullopt;
  return std::uint64_t{facts.f_bavail} * facts.f_frsize;
}

/// Tried in earnest, in the way of two ranks: a process reads one that is not its child.
std::string direct_copy_problem() {
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);  // without Yama an error of no meaning
  static volatile int number = 0;
  number = 4711;
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child < 0) return fmt::format("it cannot be tried: {}", std::strerror(errno));
  if (child == 0) {
    int seen = 0;
    iovec into{&seen, sizeof seen}, from{const_cast<int*>(&number), sizeof seen};
    const ssize_t done = process_vm_readv(self, &into, 1, &from, 1, 0);
    _exit(done == sizeof seen && seen == 4711 ? 0 : done < 0 && errno < 255 ? errno : 255);
  }
  int status = 0;
  waitpid(child, &status, 0);
  prctl(PR_SET_PTRACER, 0, 0, 0, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return WIFEXITED(status) && WEXITSTATUS(status) != 255 ? std::strerror(WEXITSTATUS(status))
                                                         : "it reads something else";
}

std::vector<setting> listed(const job_settings& settings) {
  std::vector<setting> found;
  for (const variable& each : variables()) {
    // One that is not allowed is shown as it is.
    const char* const value = std::getenv(std::string{each.name}.c_str());
    found.push_back({each.name, value ? value : each.written(settings), value != nullptr,
                     each.allowed, each.meaning});
  }
  return found;
}

void look_at_machine(report& about, const machine& here, const job_settings& settings) {
  machine_report& found = about.machine;
  found.host = host_name();
  found.cores = static_cast<int>(here.cores().size());
  found.usable_cores = here.usable_cores();
  found.locked_memory = locked_memory();
  found.shared_folder = settings.shm.dir;
  found.shared_free = free_bytes(found.shared_folder);
  const int shared_errno = errno;
  found.direct_copy_problem = direct_copy_problem();
  if (!found.shared_free)
    about.problems.push_back(fmt::format(
        "{}: {}; ranks of one node meet there: make it, or set PEAL_SHM_DIR to a folder of a tmpfs",
        found.shared_folder, std::strerror(shared_errno)));
  else if (*found.shared_free < least_shared_memory)
    about.problems.push_back(
        fmt::format("{} has {} KiB free, too little for more than a few ranks: free some, mount it "
                    "with a larger size "
                    "(in a container --shm-size), or set PEAL_SHM_DIR",
                    found.shared_folder, *found.shared_free / 1024));
  if (!found.direct_copy_problem.empty())
    about.problems.push_back(
        fmt::format("processes may not read each other's memory (process_vm_readv: {}), so large "
                    "messages are copied "
                    "twice: allow it (kernel.yama.ptrace_scope at most 1; in a container "
                    "--cap-add=SYS_PTRACE), or use "
                    "peal::allocate",
                    found.direct_copy_problem));
}

/// Tried in this process; a program with another allocator may fare otherwise.
std::string cache_problem(const verbs_settings& settings) {
  if (!settings.registration_cache) return "PEAL_VERBS_REGISTRATION_CACHE=off";
  return use_unmap_hooks().problem;
}

void look_at_devices(report& about, const machine& here, const job_settings& settings) {
  about.cache_problem = cache_problem(settings.verbs);
  about.devices = verbs::inventory(here);
  std::vector<verbs::port_facts> ports;
  for (const verbs::device_report& each : about.devices) {
    ports.insert(ports.end(), each.ports.begin(), each.ports.end());
    if (!each.problem.empty())
      about.problems.push_back(
          fmt::format("RDMA device {} cannot be opened: {}; may this user read and write "
                      "/dev/infiniband/uverbs*?",
                      each.name, each.problem));
  }
  transport_report verbs{"verbs", "between nodes; everything with PEAL_TRANSPORT=verbs", {}};
  const verbs::choice_wishes wishes = verbs::wishes_of(settings.verbs, 0);
  verbs::rails_result result = verbs::choose_rails(ports, wishes);
  for (const verbs::choice& each : result.rails)
    about.rail_names.push_back(ports[each.port].name());
  for (verbs::skipped_port& each : result.skipped)
    about.skipped_ports.push_back({ports[each.port].name(), std::move(each.reason)});
  if (!result.rails.empty()) {
    verbs::trial tried =
        verbs::try_device(here, wishes, settings.verbs.promote.has_value(), settings.verbs.pinned);
    about.limits = std::move(tried.limits);
    about.pinned = tried.pinned;
    about.most_pinned = settings.verbs.pinned;
    verbs.problem = std::move(tried.problem);
    if (verbs.problem.empty() && about.machine.locked_memory &&
        *about.machine.locked_memory < least_locked_memory)
      about.problems.push_back(
          fmt::format("only {} KiB of memory may be locked, so large messages go through slots, "
                      "slowly: raise the limit "
                      "(ulimit -l unlimited; /etc/security/limits.conf; under Slurm "
                      "PropagateResourceLimits, under "
                      "systemd LimitMEMLOCK=infinity)",
                      *about.machine.locked_memory / 1024));
  } else {
    verbs.problem = std::move(result.problem);
  }
  about.rails = std::move(result.rails);
  // No device is no problem on a machine that is to work alone.
  if (!verbs.problem.empty() &&
      (!about.devices.empty() || settings.transport == transport_mode::verbs ||
       !wishes.device.empty()))
    about.problems.push_back(verbs.problem);
  about.transports.push_back(std::move(verbs));
}

void look_at_tuning(report& about, const job_settings& settings) {
  tuning found = read_tuning(settings.tuning);
  about.tuning_file = std::move(found.from);
  if (!found.problem.empty())
    about.problems.push_back(fmt::format(
        "{}: peal-info --tune makes a new one, PEAL_TUNING=none does without", found.problem));
}

}  // namespace

report look_around() {
  report made;
  const machine here;
  const job_settings settings = read_environment(made.problems);
  const std::size_t wrong = made.problems.size();
  std::ranges::move(unknown_variables(), std::back_inserter(made.problems));
  made.settings = listed(settings);
  look_at_machine(made, here, settings);
  made.transports.push_back({"self", "of a rank to itself", {}});
  made.transports.push_back(
      {"shm", "between ranks of one node",
       made.machine.shared_free ? "" : fmt::format("there is no {}", made.machine.shared_folder)});
  look_at_devices(made, here, settings);
  if (wrong == 0) look_at_tuning(made, settings);  // else a rank would not start
  return made;
}

}  // namespace peal::info
