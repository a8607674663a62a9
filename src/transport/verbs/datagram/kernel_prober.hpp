// transport/verbs/datagram/kernel_prober.hpp
// Asks kernels over IP, where the GID of a device is an IP address (RoCE): questions that a kernel
// answers by itself, whatever its processes do.
//
// - A node: a TCP connection is asked for at port 4791, on which no process listens (it is RoCE's
//   own, of UDP). A kernel that is there refuses at once.
// - A process: every process has a UDP socket, its door, from which it never reads. A byte that is
//   sent there vanishes; when there is no such socket any more, the kernel says so (ICMP, port
//   unreachable).
// Both go the way of the device's interface where the kernel allows that to be asked for.
//
// Layer    transport/verbs: may include base/. Knows no device.
// Threads  one at a time.
// Errors   none: where nothing can be asked, nothing is answered, and the door's number is 0.
// Source   tcp(7), udp(7), ip(7): IP_RECVERR; RFC 9293, 3.10.7.1 (a SYN to a closed port); RFC
//          1122, 4.1.3.1 (a datagram to one).
#pragma once

#include <cstdint>
#include <vector>

#include "transport/verbs/datagram/node_watch.hpp"

namespace peal::verbs {

class kernel_prober final : public prober {
 public:
  /// The address and the interface of the own device.
  explicit kernel_prober(const gid_entry& own);
  ~kernel_prober();
  kernel_prober(const kernel_prober&) = delete;
  kernel_prober& operator=(const kernel_prober&) = delete;

  /// What other processes probe with probe_process; 0: there is none.
  [[nodiscard]] std::uint16_t door() const noexcept { return number_; }

  [[nodiscard]] int ask(const gid_bytes& node) noexcept override;
  [[nodiscard]] bool answered(int question) noexcept override;
  void end(int question) noexcept override;
  void probe_process(const gid_bytes& node, std::uint16_t door) noexcept override;
  [[nodiscard]] bool refused(gid_bytes& node, std::uint16_t& door) noexcept override;

 private:
  [[nodiscard]] int make_socket(int type) const noexcept;

  const gid_entry own_;
  int door_ = -1;
  std::vector<int> at_once_;  // questions that were answered as they were asked
  std::uint16_t number_ = 0;
};

}  // namespace peal::verbs
