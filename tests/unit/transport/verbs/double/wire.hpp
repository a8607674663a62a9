// tests/unit/transport/verbs/double/wire.hpp
// What joins doubles of several processes: packets through sockets of the kernel's abstract names,
// of which nothing is left.
//
// Each process has a double of its own, a number, and a socket that is named by it. A
// thread takes packets when nobody polls, as a card does: so READs and WRITEs need nothing of the
// process whose memory they concern, and who sleeps is woken. Queue pairs have the number of their
// process in theirs. Sockets tell when a process ends; then nobody answers any more.
//
// Packets arrive in order, one by one, each once; loss and delay are for card.hpp.
//
// Layer    tests.
// Units    bytes.
// Threads  under `guard()`, but for `run`, which takes it.
// Errors   no socket is a std::system_error; what is sent to nobody is false.
// Source   unix(7).
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace peal::verbs_double {

struct packet {
  enum kind : std::uint32_t { sends, writes, reads, datagram, done, absent };
  kind what = absent;
  std::uint32_t to = 0, from = 0;    // queue pairs
  std::uint32_t card = 0, port = 0;  // where it goes
  std::uint32_t sequence = 0, attempt = 0;
  std::uint32_t status = 0;
  std::uint32_t with_imm = 0, imm = 0;
  std::uint32_t key = 0;  // of memory, or of datagrams
  std::uint32_t from_lid = 0, sl = 0, with_gid = 0, rnr_retry = 0;
  std::uint64_t address = 0, length = 0;  // of memory
  std::uint64_t bytes = 0;                // that follow
};

class wire {
 public:
  /// Requires: at most 80 characters. Processes with the same name meet.
  explicit wire(const std::string& name);
  wire(const wire&) = delete;
  wire& operator=(const wire&) = delete;

  /// Numbers of queue pairs: the process's number and one, then `own_bits` of its own.
  static constexpr unsigned own_bits = 12;
  [[nodiscard]] std::uint32_t first_number() const { return (self_ + 1) << own_bits; }
  /// False: there is no such process any more, or not yet.
  bool send(std::uint32_t process, const packet&, const std::vector<std::byte>& data = {});
  /// To a packet that came.
  void answer(packet, ibv_wc_status how, const std::vector<std::byte>& data = {});
  /// Takes what is there.
  void pump() { wait(0); }
  /// The thread looks again at what waits.
  void wake() const;

 private:
  struct link {
    std::uint32_t process;
    int socket;
    std::vector<std::byte> in, out;
    std::size_t written = 0;
  };
  static constexpr std::uint32_t unknown = ~0u;
  std::string name_;
  std::uint32_t self_;
  int listener_, wake_;
  // Of several with one process packets leave by the first.
  std::vector<link> links_;

  link* find(std::uint32_t process);
  link* connect(std::uint32_t process);
  void wait(int milliseconds);
  void run();
  void accept();
  /// False: the other end is gone.
  bool read(link&);
  bool flush(link&);
  void lose(int socket);
};

/// What becomes of a packet that came (elsewhere.cpp).
void take(const packet&, const std::vector<std::byte>& data);
/// Nobody answers from there any more.
void lose_process(std::uint32_t process);
/// Whether something is to be tried again.
[[nodiscard]] bool somebody_waits();

/// Once, where VERBS_DOUBLE names what is joined (with PMIX_NAMESPACE, where that is set); makes
/// the cards of VERBS_DOUBLE_NODES nodes, VERBS_DOUBLE_CARDS each, on Ethernet, or on InfiniBand
/// where VERBS_DOUBLE_INFINIBAND is set. This process is on node VERBS_DOUBLE_NODE, or else on that
/// of its PMIX_RANK, dealt out in turn. Networks are one for each card of a node. The cards of node
/// 0 are cut for VERBS_DOUBLE_CUT_FOR milliseconds after each VERBS_DOUBLE_CUT_EVERY.
void join_other_processes();

}  // namespace peal::verbs_double
