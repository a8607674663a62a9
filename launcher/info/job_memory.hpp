// launcher/info/job_memory.hpp
// The segments of a running job on this node, which its processes share, as peal-info reads them:
// without a word to the job, which notices nothing.
//
// Layer    launcher: may include memory/.
// Errors   find throws std::runtime_error where the process is not there, is another user's, or has
//          no segment.
// Source   proc_pid_fd(5), proc_pid_stat(5).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "memory/segment_layout.hpp"

namespace peal::info {

class job_memory {
 public:
  /// Of a rank, or of a process that has started ranks, such as pealrun: those of the first rank
  /// that is found. One for each lane of the job.
  [[nodiscard]] static std::vector<job_memory> find(pid_t process);

  ~job_memory();
  job_memory(job_memory&&) noexcept;
  job_memory(const job_memory&) = delete;
  job_memory& operator=(const job_memory&) = delete;

  /// Ranks of this node.
  [[nodiscard]] std::size_t ranks() const noexcept { return header_.count; }
  [[nodiscard]] std::size_t front_bytes() const noexcept { return header_.front_bytes; }
  /// Of a rank, by its index on the node; 0: it has not come so far.
  [[nodiscard]] std::int64_t process_of(std::size_t index) const;
  /// Copies bytes out of that rank's front. False: they are not there.
  [[nodiscard]] bool read_front(std::size_t index, std::size_t offset, void* into,
                                std::size_t bytes) const noexcept;

 private:
  job_memory(int file, const segment_header& header) noexcept : file_{file}, header_{header} {}
  [[nodiscard]] static std::vector<job_memory> of_process(pid_t process);

  int file_;
  segment_header header_;
};

}  // namespace peal::info
