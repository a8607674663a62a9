// transport/verbs/device/device.hpp
// An open RDMA device: the port and the GID that were chosen, its limits, and the protection domain
// that everything belongs to.
//
// Layer    transport/verbs: may include topology/, base/.
// Threads  constant once made.
// Errors   throws peal::error: errc::no_device, with what is wrong and the remedy.
// Source   ibv_open_device(3), ibv_query_device(3), ibv_query_port(3), ibv_query_gid_table(3),
//          ibv_query_pkey(3), ibv_alloc_td(3), ibv_alloc_parent_domain(3), ibv_reg_mr(3);
//          InfiniBand specification, 4.1.3 (LMC); PCI Express base specification, 2.4.1 (ordering).
#pragma once

#include <infiniband/verbs.h>

#include <memory>
#include <string>
#include <vector>

#include "transport/verbs/device/completion_channel.hpp"
#include "transport/verbs/device/rail_choice.hpp"

namespace peal {
class machine;
}

namespace peal::verbs {

/// Closes or destroys what a verbs call has made.
template <auto Destroy>
struct destroyer {
  template <class Object>
  void operator()(Object* gone) const noexcept {
    Destroy(gone);
  }
};
template <class Object, auto Destroy>
using handle = std::unique_ptr<Object, destroyer<Destroy>>;
/// Which kind of GID a table of the device says this is.
gid_kind kind_of(const ibv_gid_entry&) noexcept;

struct thread_domain_destroyer {
  void operator()(ibv_td* gone) const noexcept { ibv_dealloc_td(gone); }
};

using device_list = handle<ibv_device*, ibv_free_device_list>;

/// Every port of every device of this machine that can be opened.
std::vector<port_facts> list_ports(const machine&);

/// A port of this machine, and why it was chosen.
struct chosen_port {
  port_facts port;
  choice how;
  choice_wishes wishes;
};
/// What choose_rails finds best on this machine.
std::vector<chosen_port> choose_here(const machine&, const choice_wishes&);

/// With each registration: the bus may move what the device reads and writes there in any order, as
/// it can do faster. What was written is looked at only when a completion behind it was polled, and
/// nothing overtakes that one's way into memory. Devices and kernels without it leave it out.
constexpr int in_any_order = IBV_ACCESS_RELAXED_ORDERING;

class device {
 public:
  /// `vector`: which of its interrupts is for its completions, modulo how many there are.
  explicit device(const chosen_port&, unsigned vector = 0);

  [[nodiscard]] ibv_context* context() const noexcept { return context_.get(); }
  [[nodiscard]] ibv_pd* domain() const noexcept { return domain_.get(); }
  /// What queue pairs and shared receive queues are made in: no lock is taken when something is
  /// posted to them, where the device can do without. One thread at a time uses them.
  [[nodiscard]] ibv_pd* queue_domain() const noexcept {
    return posts_without_locks() ? queue_domain_.get() : domain_.get();
  }
  [[nodiscard]] bool posts_without_locks() const noexcept { return queue_domain_ != nullptr; }
  [[nodiscard]] completion_channel& channel() const noexcept { return *channel_; }
  [[nodiscard]] const ibv_device_attr& limits() const noexcept { return limits_; }
  [[nodiscard]] const ibv_port_attr& port() const noexcept { return port_; }
  [[nodiscard]] bool soft_roce() const noexcept;
  /// What one READ or WRITE should move at most, in bytes.
  [[nodiscard]] std::uint64_t longest_part() const noexcept;
  [[nodiscard]] std::uint8_t port_number() const noexcept { return port_number_; }
  [[nodiscard]] const gid_entry& gid() const noexcept { return gid_; }
  /// Of the P_Key that its queue pairs use.
  [[nodiscard]] std::uint16_t pkey_index() const noexcept { return pkey_index_; }
  /// As large as a packet to it may be: that of the port, or PEAL_VERBS_MTU where that is less.
  [[nodiscard]] ibv_mtu mtu() const noexcept { return mtu_; }
  /// Why it was chosen, and for what.
  [[nodiscard]] const choice& how() const noexcept { return how_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }  // "mlx5_0:1"
  /// What peers must know of it.
  [[nodiscard]] const rail_address& address() const noexcept { return address_; }
  [[nodiscard]] bool ethernet() const noexcept {
    return port_.link_layer == IBV_LINK_LAYER_ETHERNET;
  }

  /// How a packet finds that port.
  [[nodiscard]] ibv_ah_attr route_to(const rail_address&) const noexcept;

  /// Asks the port again how it is reached: after an event that tells of a change. True when others
  /// must be told.
  bool read_address() noexcept;

 private:
  void make_queue_domain() noexcept;
  void complete_address() noexcept;
  void read_gid(int table_length) noexcept;

  handle<ibv_context, ibv_close_device> context_;
  handle<ibv_pd, ibv_dealloc_pd> domain_;
  std::unique_ptr<ibv_td, thread_domain_destroyer> thread_domain_;
  handle<ibv_pd, ibv_dealloc_pd> queue_domain_;  // null: there are no thread domains
  std::unique_ptr<completion_channel> channel_;
  ibv_device_attr limits_{};
  ibv_port_attr port_{};
  std::uint8_t port_number_ = 1;
  std::uint16_t pkey_index_ = 0;
  std::uint8_t path_bits_ = 0;  // of its LID
  ibv_mtu mtu_ = IBV_MTU_1024;
  gid_entry gid_;
  choice how_;
  choice_wishes wishes_;
  rail_address address_;
  std::string name_;
};

/// Opens each port that these wishes choose, in their order.
std::vector<device> open_rails(const machine&, const choice_wishes&);

}  // namespace peal::verbs
