#include "transport/verbs/handshake_port.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <random>

#include "peal/error.hpp"

namespace peal::verbs {

namespace {

constexpr std::uint64_t send_mark = std::uint64_t{1} << 32;

[[noreturn]] void fail(const device& on, const char* what) {
  const int why = errno;
  throw error(why == ENOMEM ? errc::locked_memory : errc::no_device,
              fmt::format("{}: {} for the handshake: {}{}", on.name(), what, std::strerror(why),
                          why == ENOMEM ? "; raise the limit of locked memory (ulimit -l unlimited)" : ""));
}

}  // namespace

handshake_port::handshake_port(const device& on) : on_{on} {
  // The highest bit would ask for a privileged key (InfiniBand specification, 10.2.5).
  key_ = std::random_device{}() & 0x7fffffff;
  memory_ = static_cast<std::byte*>(mmap(nullptr, receives * cell_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (memory_ == MAP_FAILED) {
    memory_ = nullptr;
    fail(on, "no memory");
  }
  region_.reset(ibv_reg_mr(on.domain(), memory_, receives * cell_bytes, IBV_ACCESS_LOCAL_WRITE));
  if (!region_) fail(on, "no registered memory");
  completions_.reset(ibv_create_cq(on.context(), receives + sends, nullptr, nullptr, 0));
  if (!completions_) fail(on, "no completion queue");
  ibv_qp_init_attr wanted{};
  wanted.qp_type = IBV_QPT_UD;
  wanted.send_cq = wanted.recv_cq = completions_.get();
  wanted.cap = {
      .max_send_wr = sends, .max_recv_wr = receives, .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = sizeof(handshake_packet)};
  pair_.reset(ibv_create_qp(on.domain(), &wanted));
  if (!pair_) fail(on, "no queue pair");
  ibv_qp_attr step{};
  step.qp_state = IBV_QPS_INIT;
  step.port_num = on.port_number();
  step.qkey = key_;
  if (ibv_modify_qp(pair_.get(), &step, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY) != 0)
    fail(on, "no queue pair in INIT");
  for (std::uint32_t each = 0; each < receives; ++each) post_receive(each);
  step.qp_state = IBV_QPS_RTR;
  if (ibv_modify_qp(pair_.get(), &step, IBV_QP_STATE) != 0) fail(on, "no queue pair in RTR");
  step.qp_state = IBV_QPS_RTS;
  if (ibv_modify_qp(pair_.get(), &step, IBV_QP_STATE | IBV_QP_SQ_PSN) != 0) fail(on, "no queue pair in RTS");
}

handshake_port::~handshake_port() {
  pair_.reset();
  region_.reset();
  if (memory_) munmap(memory_, receives * cell_bytes);
}

void handshake_port::post_receive(std::uint32_t cell) noexcept {
  ibv_sge piece{reinterpret_cast<std::uint64_t>(memory_ + cell * cell_bytes), static_cast<std::uint32_t>(cell_bytes), region_->lkey};
  ibv_recv_wr request{};
  request.wr_id = cell;
  request.sg_list = &piece;
  request.num_sge = 1;
  ibv_recv_wr* refused = nullptr;
  (void)ibv_post_recv(pair_.get(), &request, &refused);
}

int handshake_port::send(const address& to, const handshake_packet& packet) noexcept {
  if (sends_under_way_ == sends) return 0;
  if (sends_under_way_ == 0 && routes_.size() >= most_routes) routes_.clear();
  auto& route = routes_[packet.to];
  if (!route) {
    ibv_ah_attr way = on_.route_to(to.gid, to.lid);
    // For a network address the kernel looks for the neighbour in here, and waits for it.
    route.reset(ibv_create_ah(on_.domain(), &way));
    if (!route) return errno;
  }
  ibv_sge piece{reinterpret_cast<std::uint64_t>(&packet), sizeof packet, 0};
  ibv_send_wr request{};
  request.wr_id = send_mark;
  request.sg_list = &piece;
  request.num_sge = 1;
  request.opcode = IBV_WR_SEND;
  request.send_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED;
  request.wr.ud.ah = route.get();
  request.wr.ud.remote_qpn = to.handshake_qp;
  request.wr.ud.remote_qkey = to.handshake_key;
  ibv_send_wr* refused = nullptr;
  const int failed = ibv_post_send(pair_.get(), &request, &refused);
  if (failed == 0) ++sends_under_way_;
  return failed;
}

bool handshake_port::poll(const std::function<void(const handshake_packet&)>& got) noexcept {
  std::array<ibv_wc, 16> done;
  const int count = ibv_poll_cq(completions_.get(), static_cast<int>(done.size()), done.data());
  bool any = false;
  for (int each = 0; each < count; ++each) {
    const ibv_wc& one = done[static_cast<std::size_t>(each)];
    if (one.wr_id == send_mark) {
      --sends_under_way_;
      continue;
    }
    const auto cell = static_cast<std::uint32_t>(one.wr_id);
    if (one.status == IBV_WC_SUCCESS && one.byte_len == header_bytes + sizeof(handshake_packet)) {
      handshake_packet packet;
      std::memcpy(&packet, memory_ + cell * cell_bytes + header_bytes, sizeof packet);
      got(packet);
      any = true;
    }
    post_receive(cell);
  }
  return any;
}

}  // namespace peal::verbs
