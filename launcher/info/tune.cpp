#include "tune.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/settings.hpp"
#include "collective/choice/tuning.hpp"
#include "config.h"
#include "measure.hpp"
#include "peal/peal.hpp"
#include "topology/processor.hpp"

namespace peal::info {

namespace {

namespace fs = std::filesystem;

/// Takes the place of this process.
[[noreturn]] void start_again(bool json) {
  std::error_code unknown;
  const fs::path self = fs::read_symlink("/proc/self/exe", unknown);
  const fs::path beside = self.parent_path() / "pealrun";
  const std::string launcher = fs::exists(beside, unknown) ? beside.string() : "pealrun",
                    program = self.string();
  const char* words[] = {launcher.c_str(),          "-n",   "2", program.c_str(), "--tune",
                         json ? "--json" : nullptr, nullptr};
  ::execvp(launcher.c_str(), const_cast<char**>(words));
  throw std::runtime_error(fmt::format("{} cannot be started: {}", launcher, std::strerror(errno)));
}

/// Complete or not at all: a job may begin to read meanwhile.
void write_file(const fs::path& name, const std::string& text) {
  std::error_code failed;
  if (name.has_parent_path()) fs::create_directories(name.parent_path(), failed);
  fs::path beside = name;
  beside += fmt::format(".{}", ::getpid());
  errno = 0;
  std::ofstream file{beside};
  file << text;
  file.close();
  if (file) {
    fs::rename(beside, name, failed);
    if (!failed) return;
    errno = failed.value();
  }
  const int problem = failed ? failed.value() : errno;
  fs::remove(beside, failed);
  throw std::runtime_error(
      fmt::format("{} cannot be written: {}", name.string(), std::strerror(problem)));
}

std::string remark(const measured& found) {
  char day[32] = "";
  const std::time_t now = std::time(nullptr);
  std::tm split{};
  if (gmtime_r(&now, &split)) std::strftime(day, sizeof day, "%Y-%m-%d %H:%M UTC", &split);
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  return fmt::format(
      "What peal-info --tune ({}) measured on {}, {}{}.\nDelete this file, or set "
      "PEAL_TUNING=none, to go by what is built in.",
      PACKAGE_STRING, host, day,
      found.local && found.remote ? ""
      : found.local               ? "; nothing between nodes"
                                  : "; nothing inside a node");
}

std::string to_text(const measured& found, const cost_parameters& before, const std::string& file) {
  std::string text = fmt::format("{:<20}{:>12}{:>12}\n", "", "measured", "before");
  for (const cost_field& each : cost_fields()) {
    const double now = found.costs.*each.value, then = before.*each.value;
    text += fmt::format("{:<20}{:>12}{:>12.4g}  {}\n", each.name,
                        now == then ? "-" : fmt::format("{:.4g}", now), then, each.meaning);
  }
  if (!found.remote)
    text +=
        "\nNothing was measured between nodes: run it with a rank on each of two, as srun -N 2 -n "
        "2 peal-info --tune.\n";
  if (!found.local)
    text += "\nNothing was measured inside a node: run it with two ranks of one, too.\n";
  return text + fmt::format("\nWritten to {}; later jobs go by it.\n", file);
}

}  // namespace

std::string tune(int count, char** words, bool json) {
  const std::string wish = job_settings::from_environment().tuning;
  const std::string file = tuning_file(wish);
  if (file.empty())
    throw std::runtime_error(
        "there is no place for the tuning file: PEAL_TUNING is none, or neither XDG_CONFIG_HOME "
        "nor HOME is set");
  if (std::getenv("PMIX_RANK") == nullptr) start_again(json);
  const cost_parameters before = read_tuning(wish).costs;
  measured found;
  ::setenv("PEAL_TUNING", "none", 1);  // the file that is about to be made need not be told of
  {
    environment env{count, words};
    if (env.world().size() < 2)
      found.problem = "--tune needs two ranks; without a launcher peal-info starts them itself";
    else found = measure(env.world(), before);
    if (env.world().rank() != 0) return {};
  }
  // Only now, that no other rank waits for this one.
  if (!found.problem.empty()) throw std::runtime_error(found.problem);
  write_file(file, tuning_text(found.costs, remark(found), processor_name()));
  return json ? to_json(found.costs, found.local, found.remote, file)
              : to_text(found, before, file);
}

}  // namespace peal::info
