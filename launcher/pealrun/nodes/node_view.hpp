// launcher/pealrun/nodes/node_view.hpp
// pealrun's end of the helper process that watches the nodes of a job (node_watch.hpp): starts it,
// orders reports, and has it fetch what ranks have noted.
//
// Layer    launcher.
// Units    seconds.
// Threads  one.
// Errors   `prepare` throws stop; `collect` says on standard error what went wrong.
#pragma once

#include <sys/types.h>

#include <string>

#include "nodes/node_watch.hpp"
#include "processes/signals.hpp"

namespace peal::launcher {

class node_view {
 public:
  explicit node_view(watch_order order) : order_{std::move(order)} {}
  ~node_view();
  node_view(const node_view&) = delete;
  node_view& operator=(const node_view&) = delete;

  /// Starts to look, if the order says for what.
  void begin();
  /// Waits until what ranks note can be fetched. Requires: begin. Throws stop with 1.
  void prepare();
  /// Somebody wants to know what the ranks do.
  void report();
  /// Fetches what they have noted, when they have ended; an interrupt ends that. False: something
  /// is missing, and has been told.
  bool collect(signal_source&);

 private:
  void start();
  bool order(const std::string& word);
  /// A line of the helper's; empty: it has ended, or a signal has come.
  std::string line(signal_source* interrupts, bool* interrupted);

  watch_order order_;
  pid_t helper_ = -1;
  int to_ = -1, from_ = -1;
  std::string read_;
};

}  // namespace peal::launcher
