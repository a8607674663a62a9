// bootstrap/owner.hpp
// The name of a job says which process answers for what the job leaves in shared folders, so that
// any process can tell whether it is still wanted.
//
// Layer    bootstrap: may include base/.
// Units    `start` in clock ticks after boot, as in /proc/PID/stat: with it a pid that was given
//          out again is not taken for the first one.
// Threads  any.
// Errors   nothing throws but std::bad_alloc; what cannot be read counts as alive, what cannot be
//          removed stays.
// Source   proc(5), pid_namespaces(7), random(4): boot_id.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace peal {

struct job_owner {
  pid_t pid = 0;
  std::uint64_t start = 0;
  // Inode of the pid namespace: elsewhere the same pid is another process.
  std::uint64_t pid_space = 0;
  // From the system's boot id: folders may be shared between hosts; 0 when it is not told.
  std::uint64_t boot = 0;

  friend bool operator==(const job_owner&, const job_owner&) = default;
};

/// The calling process.
job_owner this_process();

/// "peal-<boot>-<pid space>-<pid>-<start>". Files of a job are named by it, or by it, a dot and
/// more.
std::string job_name_of(const job_owner&);
/// The owner that a file name tells of; nothing when it is no name of ours.
std::optional<job_owner> owner_in(std::string_view file_name);
/// False only when the process is surely gone: of other hosts, and of this one before it was
/// booted, nothing is known.
bool may_be_alive(const job_owner&);

/// Removes what belongs to `job`, files and folders, from a folder: entries of this user whose name
/// is `job` or begins with `job` and a dot. Returns how many.
int remove_entries_of(std::string_view job, const std::string& folder);
/// Removes what jobs whose owner is gone left in a folder. Returns how many entries.
int remove_leftovers(const std::string& folder);

}  // namespace peal
