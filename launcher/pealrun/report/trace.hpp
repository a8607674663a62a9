// launcher/pealrun/report/trace.hpp
// What each rank did when, in Chrome's trace format, which Perfetto opens; arrows go from sends to
// the receives of their messages.
//
// Layer    launcher.
// Units    microseconds since the first event, as the format has it.
// Errors   none of its own.
// Source   Trace Event Format (Google, 2016).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "report/gathered.hpp"

namespace peal::launcher {

/// A message from its send to its receive: the numbers of both among the events of their ranks.
struct joined_message {
  int from, to;
  std::size_t send, receive;
};
/// Messages of a pair, a communicator and a tag are received in the order in which they were sent,
/// by receives in the order in which those were started. Where that order is not known any more,
/// since events are missing, messages are left out.
std::vector<joined_message> joined_messages(const gathered_run&);

/// Nanoseconds by which clocks of two nodes may differ: as far as they were compared, and more
/// where a message would have come before it was sent.
std::int64_t clock_error_of(const gathered_run&, const std::vector<joined_message>&);

/// In parts, one after another.
void write_trace(const gathered_run&, const std::function<void(const std::string&)>& put);

}  // namespace peal::launcher
