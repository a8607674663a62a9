// launcher/pealrun/streams/rank_output.hpp
// Lines that ranks write, whole, on their way to pealrun's own output and errors or to files. Where
// nothing could be mixed and nothing is to be added, ranks write there themselves.
//
// Layer    launcher.
// Units    bytes.
// Threads  one.
// Errors   the constructor throws stop when the folder of --output cannot be used; output that
//          cannot be written is told by `broken`, a file that cannot be written in a line of
//          pealrun's; nothing else throws.
#pragma once

#include <poll.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "request/request.hpp"
#include "streams/descriptor_sink.hpp"
#include "streams/line_prefix.hpp"
#include "streams/output_folder.hpp"

namespace peal::launcher {

class rank_output {
 public:
  using clock = std::chrono::steady_clock;

  explicit rank_output(const job_request&);
  ~rank_output();
  rank_output(const rank_output&) = delete;
  rank_output& operator=(const rank_output&) = delete;

  /// How many files of a rank pealrun has open for its output, at most.
  static int files_of_a_rank(const job_request&);

  /// What a rank shall have as its output and errors; -1: what pealrun has.
  struct ends {
    int output = -1, error = -1;
  };
  /// `close_child_ends` when the rank has them.
  ends open(int rank);
  void close_child_ends();

  /// Appends what there is to poll for.
  void add_to(std::vector<pollfd>&);
  /// Looks at the answers of poll, given the list that add_to appended to.
  void serve(const std::vector<pollfd>&);
  /// When `serve` is to be called although nothing happened.
  [[nodiscard]] std::optional<clock::time_point> deadline() const;

  /// Writes a line of pealrun's own to its errors, never within a line of a rank.
  void say(std::string_view line);

  /// All pipes have ended and everything is written.
  [[nodiscard]] bool finished() const noexcept;
  /// Everything that was read is written.
  [[nodiscard]] bool idle() const noexcept;
  /// Leaves the pipes that have not ended.
  void stop_reading();
  /// Why our standard output or error cannot be written, EPIPE when no process reads it any more; 0
  /// while it can.
  [[nodiscard]] int broken() const noexcept;
  /// Closes the files, tells of what they lost, and returns whether that was nothing.
  bool close_files();

 private:
  struct stream {
    int number;  // of all streams, by which a sink knows it
    int rank;
    int from;
    bool pseudo_terminal;
    sink* to;
    bool alone;                              // nothing else leads to this sink
    bool live;                               // a user may wait for a part of a line
    bool on_terminal;                        // lets a line that another has begun end first
    bool at_once;                            // shows a part of a line as soon as it may
    bool colours;                            // may stand in what is added
    std::string part{};                      // of a line that has not ended, not shown yet
    line_prefix::clock::time_point began{};  // the line
    clock::time_point due{};                 // when the part is shown
    std::string kept{};                      // that waits for the end of another's line
    line_prefix::clock::time_point kept_since{};
    clock::time_point kept_until{};
  };
  struct piped {
    bool output, error;
  };

  static piped which(const job_request&, const descriptor_sink& out, const descriptor_sink& err);
  int open_pipe(int rank, int to);
  void follow_window() const;
  void read(stream&);
  void take(stream&, std::string_view bytes);
  void add(stream&, std::string_view bytes, line_prefix::clock::time_point now);
  [[nodiscard]] bool waits(const stream&) const noexcept;
  void show_what_is_due();
  void end_line(stream&);
  void hold(stream&, std::string_view bytes, line_prefix::clock::time_point now);
  void show_part(stream&);
  void start_line(const stream&, std::string& text, line_prefix::clock::time_point began);
  [[nodiscard]] bool too_long(const stream&) const noexcept;
  void tell_of_losses();
  [[nodiscard]] descriptor_sink& errors() noexcept { return same_ ? out_ : err_; }

  const job_request& request_;
  descriptor_sink out_, err_;
  bool same_;  // errors lead where the output leads, so they share its sink
  piped piped_;
  line_prefix prefix_;
  std::optional<output_folder> folder_;
  std::vector<stream> streams_;
  std::vector<int> child_ends_;
  std::vector<int> polled_;      // streams that the list has, by number
  std::size_t polled_from_ = 0;  // where they stand in the list
  std::size_t turn_ = 0;         // the first to be read next
  std::size_t unfinished_ = 0;   // bytes of all parts, and of what is kept
  int opened_ = 0;               // streams so far
  bool loss_told_ = false;
};

}  // namespace peal::launcher
