// launcher/pealrun/report/run_record.hpp
// The life of a report in pealrun: makes sure before the ranks start that it can be written, has
// the ranks note what they do, and writes it when they have ended.
//
// Layer    launcher.
// Threads  before any other thread is started, since it sets variables; then the main thread.
// Errors   the constructor throws `stop`; `write` says on standard error what went wrong.
#pragma once

#include <optional>
#include <string>

#include "request/request.hpp"

namespace peal::launcher {

struct gathered_run;

/// A file that is written at the end, and has been found to be writable. One that was made for that
/// and stays empty is removed.
class promised_file {
 public:
  promised_file(const std::string& option, const std::string& name);
  ~promised_file();
  promised_file(const promised_file&) = delete;
  promised_file& operator=(const promised_file&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Replaces what is there, or goes on with it. 0, or errno.
  int write(const std::string& text) noexcept;

 private:
  std::string name_;
  int descriptor_ = -1;
  bool made_ = false, written_ = false;
};

class run_record {
 public:
  explicit run_record(const job_request&);

  /// Whether there is anything to note.
  [[nodiscard]] bool wanted() const noexcept { return report_ || trace_; }
  /// Tells the ranks, by variables of this process, where they are to write.
  void begin(const std::string& folder);
  /// What they have written was put there since, by so many ranks; 0: that is not known.
  void moved_to(const std::string& folder, int ranks);
  /// The ranks have ended, with that code of the job. False: something could not be written.
  bool write(int code) noexcept;

 private:
  /// Which of several programs each rank has run.
  void name_programs(gathered_run&) const;

  const job_request& request_;
  std::optional<promised_file> report_, trace_;
  std::string folder_;
  int ranks_ = 0;  // 0: as many as were asked for
};

}  // namespace peal::launcher
