#include "processes/program.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "request/request.hpp"

namespace peal::launcher {

namespace {

enum class file_kind { runnable, missing, folder, forbidden };

file_kind look_at(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0)
    return errno == EACCES ? file_kind::forbidden : file_kind::missing;
  if (S_ISDIR(status.st_mode)) return file_kind::folder;
  if (!S_ISREG(status.st_mode) || ::access(path.c_str(), X_OK) != 0) return file_kind::forbidden;
  return file_kind::runnable;
}

[[noreturn]] void refuse(file_kind what, const std::string& name) {
  switch (what) {
    case file_kind::folder:
      throw stop{126, fmt::format("pealrun: {} is a folder, not a program\n", name)};
    case file_kind::forbidden:
      throw stop{126, fmt::format("pealrun: {} is not executable (permission denied; chmod +x "
                                  "makes a file executable)\n",
                                  name)};
    default: break;
  }
  if (name.find('/') != std::string::npos)
    throw stop{127, fmt::format("pealrun: {} does not exist\n", name)};
  const bool here = look_at("./" + name) == file_kind::runnable;
  throw stop{127,
             fmt::format("pealrun: {} is not found in PATH{}\n", name,
                         here ? fmt::format("; for the one in this folder write ./{}", name) : "")};
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.empty()) throw stop{127, "pealrun: the name of the program is empty\n"};
  if (name.find('/') != std::string::npos) {
    if (const file_kind what = look_at(name); what != file_kind::runnable) refuse(what, name);
    return std::filesystem::absolute(name.starts_with("./") ? name.substr(2) : name).string();
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders{path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin"};
  // As shells do: a file that cannot be run is told of only when there is no other.
  file_kind best = file_kind::missing;
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    const file_kind what = look_at(candidate);
    if (what == file_kind::runnable) return std::filesystem::absolute(candidate).string();
    if (what == file_kind::forbidden) best = what;
  }
  refuse(best, name);
}

std::string check_folder(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return fmt::format("{}: {}", path, std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) return fmt::format("{} is not a folder", path);
  if (::access(path.c_str(), X_OK) != 0) return fmt::format("{}: {}", path, std::strerror(errno));
  return {};
}

}  // namespace peal::launcher
