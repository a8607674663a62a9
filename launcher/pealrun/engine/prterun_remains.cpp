#include "engine/prterun_remains.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace peal::launcher {

namespace {

std::string session_root() {
  for (const char* name : {"TMPDIR", "TEMP", "TMP"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  return "/tmp";
}

}  // namespace

prterun_remains::prterun_remains() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

void prterun_remains::end(pid_t prterun) {
  left_behind_.end();
  const std::string user = fmt::format(".{}", ::getuid()), folder = fmt::format("dvm.{}", prterun);
  std::error_code failed;
  std::vector<std::filesystem::path> sessions;
  for (const auto& each : std::filesystem::directory_iterator{session_root(), failed}) {
    const std::string name = each.path().filename();
    if (name.starts_with("prte.") && name.ends_with(user)) sessions.push_back(each.path());
  }
  for (const auto& each : sessions) {
    std::filesystem::remove_all(each / folder, failed);
    std::filesystem::remove(each, failed);  // unless other jobs have folders in it
  }
}

}  // namespace peal::launcher
