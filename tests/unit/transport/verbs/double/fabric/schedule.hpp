// tests/unit/transport/verbs/double/fabric/schedule.hpp
// What happens to a fabric of several processes while they run: links that go and return, ports
// with other addresses, losses.
//
// VERBS_DOUBLE_EVENTS has such events, separated by semicolons, each behind the seconds since its
// process has joined the others:
//
//     VERBS_DOUBLE_EVENTS='0.5 cut 1/0/1; 2 mend 1/0/1'
//
// Behind a slash stands after how many seconds one happens again and again. It then counts from the
// last whole number of periods of the machine's clock, which is the same for all processes:
//
//     VERBS_DOUBLE_EVENTS='0.01/0.05 cut 1/0/1; 0.03/0.05 mend 1/0/1'
//
// VERBS_DOUBLE_CONTROL names a file to which a test appends lines of the same form when it likes;
// without seconds they happen at once. The file need not be there at first. It is read every few
// milliseconds, from its beginning by a process that starts later. Who has made it removes it.
//
// Every process of a job follows the same events, so that all see one fabric.
//
//     cut PORT, mend PORT            packets vanish, and nobody is told
//     down PORT                      the link goes: IBV_EVENT_PORT_ERR
//     up PORT [lid N] [host N]       it returns, with another LID, or the GID of another host
//     keys PORT KEY...               another table of partitions
//     take PORT BYTES                the switch before it takes no longer packets
//     lose PORT N                    every Nth packet that comes from another process; 0: none
//     die CARD                       IBV_EVENT_DEVICE_FATAL
//
// PORT is NODE/CARD/PORT, as in 1/0/1; nodes and cards are counted from 0, ports from 1. CARD is
// NODE/CARD.
//
// Layer    tests.
// Units    seconds.
// Threads  one of its own, which takes `guard()`.
// Errors   what is not known is told on stderr, and ends the process: a test that asks for
//          something else than it gets is worth nothing.
// Source   none.
#pragma once

#include <string>

namespace peal::verbs_double {

/// Does it. Throws std::invalid_argument.
void happen(const std::string& what);
/// Follows what the environment names, if anything. Once.
void follow_schedule();

}  // namespace peal::verbs_double
