#include "mpi/info/env_info.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <fstream>
#include <iterator>
#include <string>

namespace peal::mpi {

namespace {

/// The words with which the process was started.
std::vector<std::string> command_line() {
  std::ifstream file{"/proc/self/cmdline", std::ios::binary};
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

/// A value is no longer than one may be.
void set_cut(info& to, std::string_view key, std::string_view value) {
  to.set(key, value.substr(0, MPI_MAX_INFO_VAL - 1));
}

/// "command", and "argv": what follows it, with blanks between.
template <class Words>
void set_command(info& to, const Words& words) {
  std::string arguments;
  for (std::size_t each = 1; each < words.size(); ++each) {
    if (each > 1) arguments += ' ';
    arguments += words[each];
  }
  if (!words.empty()) set_cut(to, "command", words[0]);
  set_cut(to, "argv", arguments);
}

info made_of_process() {
  info made;
  set_command(made, command_line());
  if (utsname system{}; uname(&system) == 0) {
    set_cut(made, "host", system.nodename);
    set_cut(made, "arch", system.machine);
  }
  std::array<char, PATH_MAX> folder{};
  if (getcwd(folder.data(), folder.size()) != nullptr) set_cut(made, "wdir", folder.data());
  return made;
}

/// Without what MPI_Init adds, so that it is the same before and after that.
const info& info_at_start() {
  static const info& of_process = *new info{made_of_process()};  // as the table that names it
  return of_process;
}

}  // namespace

info& env_info() {
  static info& of_process = *new info{info_at_start()};
  return of_process;
}

info env_info_for(std::span<char* const> arguments) {
  info made = info_at_start();
  if (!arguments.empty()) set_command(made, arguments);
  return made;
}

const char* name_of_thread_level(int level) noexcept {
  switch (level) {
    case MPI_THREAD_SINGLE: return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED: return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED: return "MPI_THREAD_SERIALIZED";
    case MPI_THREAD_MULTIPLE: return "MPI_THREAD_MULTIPLE";
    default: return nullptr;
  }
}

}  // namespace peal::mpi
