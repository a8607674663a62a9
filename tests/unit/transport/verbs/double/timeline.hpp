// tests/unit/transport/verbs/double/timeline.hpp
// Simulated time of the double: how long a card takes for what it is asked.
//
// At first, and after `work_at_once`, work is done when it is posted. After `simulate` it takes as
// long as a cost_model says, in a time that stands still until somebody polls a completion queue
// in which nothing is: then it goes on to the next event. So results are exact, and the same each
// time. doc/internals/double.md says where the figures come from.
//
// A work request is fetched, waits for its queue pair's processing unit, which serves its queue
// pairs in turn, a packet at a time, then for the sender's wire and for the receiver's, which all
// that comes to a port shares. READs ask, and the data take the same way back. A host that
// registers memory polls nothing and posts nothing meanwhile; its card goes on.
//
// Layer    tests.
// Units    picoseconds, so that a byte's time is a whole number; bytes.
// Threads  under `guard()`.
// Errors   none.
// Source   A. Kalia, M. Kaminsky, D. Andersen, Design Guidelines for High Performance RDMA
//          Systems, USENIX ATC 2016 (processing units, doorbells, fetched requests).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <unordered_map>
#include <vector>

namespace peal::verbs_double {

struct card;
struct context;
struct pair;
struct request;

using picoseconds = std::int64_t;
constexpr picoseconds nanosecond = 1000;
constexpr picoseconds microsecond = 1000 * nanosecond;

struct cost_model {
  /// A queue pair is served by one of them: its number modulo their count.
  unsigned units = 4;
  picoseconds unit_byte = 240;                 // a third of the wire's rate
  picoseconds unit_request = 20 * nanosecond;  // for each 64 bytes of it
  picoseconds wire_byte = 80;                  // 100 Gbit/s
  std::size_t packet = 4096;
  std::size_t packet_overhead = 82;        // RoCE v2: Ethernet with its gap, IPv4, UDP, BTH, ICRC
  picoseconds latency = 600 * nanosecond;  // two cards' and a switch's, one way
  picoseconds doorbell = 100 * nanosecond;
  picoseconds fetch = 500 * nanosecond;  // a round trip on the host's bus; not of inlined requests
  picoseconds completion = 200 * nanosecond;
  std::size_t cached_pairs = 5000;  // queue pairs whose state the card keeps
  /// Pages whose translation it keeps; asked for by the side that reads the data from memory.
  std::size_t cached_pages = 1024;
  std::size_t page = std::size_t{2} << 20;
  picoseconds miss = 500 * nanosecond;
  /// What the host does for a registration, and meanwhile does nothing else: for each, and for each
  /// page that it pins.
  picoseconds registration = 5 * microsecond;
  picoseconds pin = 150 * nanosecond;
  std::size_t pinned_page = 4096;
};

void simulate(const cost_model&);
void work_at_once();
/// Since `simulate`.
[[nodiscard]] picoseconds simulated_time();
/// Whether a host that has opened this card registers memory at the moment. Who drives it is not to
/// poll it before that is over.
[[nodiscard]] bool is_busy(const card&);
/// Hosts that have opened this card do something else for so long, and are busy as with a
/// registration. Nothing where no time is simulated.
void occupy(const card&, picoseconds time);
/// To the next event. A poll that finds nothing does the same.
void pass_time();

class timeline {
 public:
  explicit timeline(const cost_model& costs) : costs_{costs} {}

  [[nodiscard]] picoseconds now() const { return now_; }
  [[nodiscard]] const cost_model& costs() const { return costs_; }
  void at(picoseconds when, std::function<void()> what);
  /// To the next event; false: there is none.
  bool step();
  /// Requests of this queue pair that may begin begin.
  void launch(pair&);
  /// This host, for which its view of a card stands, registers so many bytes.
  void occupy(const context& host, std::size_t bytes);
  /// It is busy for so long.
  void occupy_for(const context& host, picoseconds time);
  /// When it goes on: now, unless it is busy.
  [[nodiscard]] picoseconds goes_on(const context& host) const;

 private:
  struct flow {  // one direction of one request
    card* from;
    card* to;  // null: nobody takes it
    std::uint32_t pair;
    std::uint64_t memory;  // from where it is read; 0: it is in the request
    std::size_t left;
    std::function<void()> arrived;
    unsigned blocks = 1;  // of its request
    bool begun = false;
  };
  struct unit {
    std::deque<std::uint32_t> turns;  // queue pairs with flows
    std::unordered_map<std::uint32_t, std::deque<flow>> flows;
    bool busy = false;
  };
  /// Keeps what was used last.
  class cache {
   public:
    /// Whether it was here; it is now.
    bool use(std::uint64_t what, std::size_t capacity);

   private:
    std::list<std::uint64_t> recent_;  // the latest first
    std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> places_;
  };
  struct engine {
    std::vector<unit> units;
    picoseconds leaves = 0, enters = 0;  // until when the wires are taken
    cache states, pages;
  };
  cost_model costs_;
  picoseconds now_ = 0;
  std::multimap<picoseconds, std::function<void()>> events_;
  std::unordered_map<const card*, engine> engines_;
  std::unordered_map<const context*, picoseconds> busy_;  // until then

  engine& engine_of(const card&);
  void begin(flow);
  void serve(engine&, unit&);
  void emit(engine&, unit&, std::uint32_t pair, std::size_t bytes);
  void start(pair&, const request&);
};

}  // namespace peal::verbs_double
