// transport/verbs/device/device_choice.hpp
// Which port of which device, and which of its GIDs: decided on plain facts, so that it can be
// tested and explained.
//
// Layer    transport/verbs: may include base/. Includes no verbs header.
// Errors   none: where nothing can be chosen the result has the reason as text.
// Source   InfiniBand specification, annex A17 (RoCE v2); kernel:
//          Documentation/ABI/stable/sysfs-class-infiniband (gid_attrs/types).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace peal::verbs {

/// Most devices that a process uses at a time: rail_choice.hpp.
inline constexpr std::size_t most_rails = 4;

using gid_bytes = std::array<std::uint8_t, 16>;

enum class gid_kind : std::uint8_t { infiniband, roce_v1, roce_v2 };

struct gid_entry {
  int index = 0;
  gid_kind kind = gid_kind::infiniband;
  gid_bytes bytes{};
  // How many of the first bits the whole network shares; 0: not known.
  std::uint8_t network_bits = 0;
  // The number of the network interface that it belongs to; 0: none, or not told.
  unsigned interface = 0;
};

/// One port, as the chooser sees it.
struct port_facts {
  std::string device;  // "mlx5_0"
  int port = 1;
  bool active = false;
  bool ethernet = false;
  bool near = true;  // hwloc puts the device beside the cores that this process may use
  std::vector<gid_entry> gids;
  double gigabits = 0;  // per second, of the link as it is; 0: not told
  int mtu = 0;          // bytes
  std::uint16_t lid = 0;
  std::uint16_t manager = 0;           // LID of its subnet manager
  std::uint8_t lmc = 0;                // it has 2^lmc LIDs
  bool needs_grh = false;              // IBV_QPF_GRH_REQUIRED
  std::vector<std::uint16_t> pkeys{};  // by index

  [[nodiscard]] std::string name() const { return device + ":" + std::to_string(port); }
};

enum class gid_class : std::uint8_t {  // the smaller, the better
  v2_ipv4,
  v2_ipv6,
  v2_link_local,  // does not cross a router
  v1,
  infiniband,
  empty
};
gid_class class_of(const gid_entry&) noexcept;
std::string_view to_text(gid_class) noexcept;
/// As addresses are written: 10.9.0.1, fe80::1.
std::string to_text(const gid_bytes&);

/// The best GID of a port; null when it has none that can be used.
const gid_entry* best_gid(const port_facts&) noexcept;

/// Whether both begin with these bits, or, where they are 0, with those that such networks usually
/// share.
bool same_network(const gid_bytes&, const gid_bytes&, std::uint8_t bits) noexcept;

/// What the fabric asks of every packet. Nothing: what is usual.
struct fabric_wishes {
  std::uint8_t service_level = 0;     // PEAL_VERBS_SL
  std::uint8_t traffic_class = 0;     // PEAL_VERBS_TRAFFIC_CLASS
  std::uint8_t hop_limit = 64;        // PEAL_VERBS_HOP_LIMIT
  std::optional<std::uint16_t> pkey;  // PEAL_VERBS_PKEY, the value
  std::optional<int> mtu;             // PEAL_VERBS_MTU, bytes: no more
};

struct choice_wishes {
  // PEAL_VERBS_DEVICE: "mlx5_0" or "mlx5_0:1", "^mlx5_2,mlx5_3" (any but these), for choose_rails
  // several, or "all", or "all,^mlx5_2"; empty: any
  std::string device;
  std::optional<int> gid;    // PEAL_VERBS_GID
  unsigned local_index = 0;  // ranks of a node are dealt out to devices that are equally near
  fabric_wishes fabric{};
};

enum class choice_role : std::uint8_t {
  messages,  // carries everything
  parts,     // carries parts of large messages besides
  instead    // carries everything where not all processes have the first one's network
};

struct choice {
  std::size_t port = 0;  // into the list given
  gid_entry gid;
  std::string reason;  // why this one
  choice_role role = choice_role::messages;
};

/// A port that can be used, and is not.
struct skipped_port {
  std::size_t port = 0;
  std::string reason;
};

struct choice_result {
  std::optional<choice> chosen;
  std::string problem;  // when nothing was chosen: what is wrong, and the remedy
};
choice_result choose(const std::vector<port_facts>&, const choice_wishes&);

/// One port of each network, best first: InfiniBand before Ethernet, then by rate, then by kind of
/// GID, then near ones. In a network a port of less than half of the best one's rate is not used;
/// of the others those that are near, of these the fastest, dealt out among the ranks of the node.
struct ports_by_network {
  std::vector<choice> chosen;
  std::vector<skipped_port> skipped;
  std::string problem;
};
ports_by_network choose_in_each_network(const std::vector<port_facts>&, const choice_wishes&);

/// Ports that can be used with these wishes; none: `problem` says why.
std::vector<std::size_t> usable_ports(const std::vector<port_facts>&, const choice_wishes&,
                                      std::string& problem);

/// The index of the P_Key to use on this port; nothing: it has not the one asked for. Full members
/// go first, since limited ones reach these only.
std::optional<std::uint16_t> pkey_index(const port_facts&, std::optional<std::uint16_t> wanted);

/// The GID to use on this port; nothing when there is none.
std::optional<gid_entry> gid_of(const port_facts&, const choice_wishes&);
/// Whose turn it is among ports that are equally good: distinct adapters before the ports of one.
std::vector<std::size_t> in_turn(const std::vector<port_facts>&, std::vector<std::size_t> among);

}  // namespace peal::verbs
