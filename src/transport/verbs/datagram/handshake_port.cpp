#include "transport/verbs/datagram/handshake_port.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/log.hpp"
#include "peal/error.hpp"

namespace peal::verbs {

namespace {

[[noreturn]] void fail(const device& on, std::string_view what) {
  const int why = errno;
  throw error(why == ENOMEM ? errc::locked_memory : errc::no_device,
              fmt::format("{}: {} for the handshake: {}{}", on.name(), what, std::strerror(why),
                          why == ENOMEM
                              ? "; raise the limit of locked memory (ulimit -l unlimited; in batch "
                                "jobs that of the batch system's daemon)"
                              : ""));
}

constexpr std::uint32_t most_send_cells = 128, usual_receive_cells = 512;
// Of datagrams in a large job. More peers than that seldom send to one at the same moment, and what
// is lost is repeated.
constexpr std::uint32_t most_receive_cells = 2048;
/// Work requests that a queue takes.
std::uint32_t depth(const device& of) noexcept {
  return static_cast<std::uint32_t>(std::max(of.limits().max_qp_wr, 4));
}

/// Tries to open the queue pair again without a packet that came or left between them, and the time
/// before the second; each doubles it.
constexpr std::uint32_t most_recoveries = 5;
constexpr std::chrono::milliseconds first_recovery_pause{10};

// 1 is 256
std::size_t packet_of(const device& of) noexcept {
  return std::size_t{128} << static_cast<unsigned>(of.mtu());
}

constexpr std::size_t whole_lines(std::size_t bytes) noexcept {
  return (bytes + 63) & ~std::size_t{63};
}
constexpr std::size_t receive_stride(std::size_t packet_bytes) noexcept {
  return whole_lines(handshake_port::header_at + handshake_port::header_bytes + packet_bytes);
}

}  // namespace

port_plan port_plan::for_handshakes(const device& on, std::uint32_t peers) noexcept {
  return {packet_of(on), std::min(std::clamp(peers, 128u, usual_receive_cells), depth(on)),
          std::min(32u, depth(on)), 64};
}

port_plan port_plan::for_messages(const device& on, unsigned ranks_of_node, std::uint32_t peers,
                                  std::size_t pinned) noexcept {
  const auto fits = static_cast<std::uint32_t>(
      std::min<std::size_t>(pinned / 4 / receive_stride(packet_of(on)), most_receive_cells));
  const std::uint32_t receives = std::clamp(peers, std::min(usual_receive_cells, fits), fits);
  const auto routes = static_cast<std::size_t>(std::max(on.limits().max_ah, 0)) / ranks_of_node;
  return {packet_of(on), std::min(receives, depth(on)), std::min(most_send_cells, depth(on)),
          std::clamp<std::size_t>(routes, 16, 4096)};
}

std::size_t port_plan::bytes() const noexcept {
  return receives * receive_stride(packet_bytes) + sends * whole_lines(packet_bytes);
}

handshake_port::handshake_port(const device& on, std::uint32_t peers) : device_{&on} {
  const std::uint32_t sends = std::min(most_send_cells, depth(on)),
                      receives = std::min(
                          std::clamp(peers, usual_receive_cells, most_receive_cells), depth(on));
  sent_.reset(ibv_create_cq(on.context(), static_cast<int>(sends), nullptr, nullptr, 0));
  received_ = on.channel().make(static_cast<int>(receives));
  if (!sent_ || !received_) fail(on, "no completion queue");
  ibv_qp_init_attr wanted{};
  wanted.qp_type = IBV_QPT_UD;
  wanted.send_cq = sent_.get();
  wanted.recv_cq = received_.get();
  wanted.cap = {.max_send_wr = sends,
                .max_recv_wr = receives,
                .max_send_sge = 1,
                .max_recv_sge = 1,
                .max_inline_data = 0};
  pair_.reset(ibv_create_qp(on.queue_domain(), &wanted));
  if (!pair_) fail(on, "no queue pair");
}

void handshake_port::open(const port_plan& plan, std::uint32_t key) {
  const device& on = *device_;
  key_ = key;
  plan_ = plan;
  routes_.remember(plan.routes);
  receive_stride_ = receive_stride(plan.packet_bytes);
  send_stride_ = whole_lines(plan.packet_bytes);
  memory_ = static_cast<std::byte*>(
      mmap(nullptr, memory_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (memory_ == MAP_FAILED) {
    memory_ = nullptr;
    fail(on, "no memory");
  }
  region_.reset(
      ibv_reg_mr(on.domain(), memory_, memory_bytes(), IBV_ACCESS_LOCAL_WRITE | in_any_order));
  if (!region_) fail(on, fmt::format("no registered memory of {} KiB", memory_bytes() / 1024));
  if (const char* const what = bring_up()) fail(on, what);
}

/// From RESET to RTS, with all its memory. Null, or what it is that the device does not do: errno
/// says why.
const char* handshake_port::bring_up() noexcept {
  ibv_qp_attr step{};
  step.qp_state = IBV_QPS_INIT;
  step.port_num = device_->port_number();
  step.pkey_index = device_->pkey_index();
  step.qkey = key_;
  if (ibv_modify_qp(pair_.get(), &step,
                    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY) != 0)
    return "no queue pair in INIT";
  free_.clear();
  read_.clear();
  for (std::uint32_t each = 0; each < plan_.sends; ++each) free_.push_back(each);
  for (std::uint32_t each = 0; each < plan_.receives; ++each) read_.push_back(each);
  while (read_.size() >= refill) post_receives();
  post_receives();
  step.qp_state = IBV_QPS_RTR;
  if (ibv_modify_qp(pair_.get(), &step, IBV_QP_STATE) != 0) return "no queue pair in RTR";
  step.qp_state = IBV_QPS_RTS;
  if (ibv_modify_qp(pair_.get(), &step, IBV_QP_STATE | IBV_QP_SQ_PSN) != 0)
    return "no queue pair in RTS";
  return nullptr;
}

void handshake_port::broke(const char* cause) noexcept {
  if (broken_ || !memory_) return;
  broken_ = true;
  recover_at_ = std::chrono::steady_clock::now();
  if (recoveries_ == 0)
    log_warning("the queue pair of {} for handshakes and datagrams broke, and is opened again: {}",
                device_->name(), cause);
  else wait_or_give_up(cause);
}

void handshake_port::told_broken(const char* cause) noexcept {
  ibv_qp_attr now{};
  ibv_qp_init_attr made{};
  if (ibv_query_qp(pair_.get(), &now, IBV_QP_STATE, &made) != 0 || now.qp_state != IBV_QPS_RTS)
    broke(cause);
}

void handshake_port::wait_or_give_up(const char* cause) noexcept {
  recover_at_ = std::chrono::steady_clock::now() + first_recovery_pause * (1u << recoveries_);
  gone_ = recoveries_ == most_recoveries;
  if (gone_)
    log_error("{} carries no handshakes and datagrams any more: {}", device_->name(), cause);
}

/// Which state it is in, and what of its completions is still in the queues, differs between
/// devices; behind RESET there is nothing.
void handshake_port::recover() noexcept {
  if (gone_ || std::chrono::steady_clock::now() < recover_at_) return;
  ++recoveries_;
  ibv_qp_attr step{};
  step.qp_state = IBV_QPS_RESET;
  const char* what =
      ibv_modify_qp(pair_.get(), &step, IBV_QP_STATE) == 0 ? nullptr : "no queue pair in RESET";
  std::array<ibv_wc, 32> over;
  for (ibv_cq* each : {sent_.get(), received_.get()})
    while (ibv_poll_cq(each, static_cast<int>(over.size()), over.data()) > 0) {
    }
  chained_ = 0;
  under_way_.clear();
  routes_.clear();  // they may lead through an address that is no more
  if (!what) what = bring_up();
  broken_ = what != nullptr;
  if (broken_) wait_or_give_up(what);
}

handshake_port::~handshake_port() {
  pair_.reset();
  region_.reset();
  if (memory_) munmap(memory_, memory_bytes());
}

/// A chain of receives, as long as there are so many.
void handshake_port::post_receives() noexcept {
  std::array<ibv_recv_wr, refill> requests;
  std::array<ibv_sge, refill> pieces;
  const std::size_t count = std::min(read_.size(), refill);
  if (count == 0) return;
  for (std::size_t each = 0; each < count; ++each) {
    const std::uint32_t cell = read_[read_.size() - 1 - each];
    pieces[each] = {reinterpret_cast<std::uint64_t>(receive_cell(cell)),
                    static_cast<std::uint32_t>(header_bytes + plan_.packet_bytes), region_->lkey};
    requests[each] = {};
    requests[each].wr_id = cell;
    requests[each].next = each + 1 < count ? &requests[each + 1] : nullptr;
    requests[each].sg_list = &pieces[each];
    requests[each].num_sge = 1;
  }
  ibv_recv_wr* refused = nullptr;
  if (ibv_post_recv(pair_.get(), requests.data(), &refused) == 0) refused = nullptr;
  // What was refused stays for the next time.
  read_.resize(read_.size() -
               (refused ? static_cast<std::size_t>(refused - requests.data()) : count));
}

void handshake_port::reap() noexcept {
  std::array<ibv_wc, 32> done;
  const int count = ibv_poll_cq(sent_.get(), static_cast<int>(done.size()), done.data());
  for (int each = 0; each < count; ++each) {
    const ibv_wc& one = done[static_cast<std::size_t>(each)];
    if (one.status != IBV_WC_SUCCESS) broke(ibv_wc_status_str(one.status));
    else recoveries_ = 0;
    while (!under_way_.empty() && posted_ - under_way_.size() < one.wr_id) {
      free_.push_back(under_way_.front());
      under_way_.pop_front();
    }
  }
}

int handshake_port::add(peer_id to, const rail_address& where, std::uint32_t key, const void* head,
                        std::size_t head_bytes, const void* data, std::size_t bytes) noexcept {
  if (!has_room()) return 0;
  if (gone_) return EIO;
  ibv_ah* const way = routes_.find(*device_, where, free_.size() == plan_.sends);
  if (!way) return errno;
  const std::uint32_t cell = free_.back();
  free_.pop_back();
  std::memcpy(send_cell(cell), head, head_bytes);
  if (bytes > 0) std::memcpy(send_cell(cell) + head_bytes, data, bytes);
  pieces_[chained_] = {reinterpret_cast<std::uint64_t>(send_cell(cell)),
                       static_cast<std::uint32_t>(head_bytes + bytes), region_->lkey};
  ibv_send_wr& request = chain_[chained_];
  request = {};
  request.wr_id = posted_ + 1;
  request.sg_list = &pieces_[chained_];
  request.num_sge = 1;
  request.opcode = IBV_WR_SEND;
  request.wr.ud.ah = way;
  request.wr.ud.remote_qpn = where.handshake_qp;
  request.wr.ud.remote_qkey = key;
  if (chained_ > 0) chain_[chained_ - 1].next = &request;
  targets_[chained_] = to;
  under_way_.push_back(cell);
  ++posted_;
  if (++chained_ == longest_chain) post_chain();
  return 0;
}

void handshake_port::post_chain() noexcept {
  const std::size_t count = std::exchange(chained_, 0);
  chain_[count - 1].send_flags = IBV_SEND_SIGNALED;
  ibv_send_wr* refused = nullptr;
  ++doorbells_;
  const int failed = ibv_post_send(pair_.get(), chain_.data(), &refused);
  if (failed == 0) return;
  // What did not leave is lost; it had no number yet that a peer waits for.
  const auto done = static_cast<std::size_t>((refused ? refused : chain_.data()) - chain_.data());
  for (std::size_t each = done; each < count; ++each) {
    free_.push_back(under_way_.back());
    under_way_.pop_back();
    --posted_;
  }
  if (failed != ENOMEM && failed != EAGAIN) refused_ = refusal{targets_[done], failed};
}

bool handshake_port::poll(const receiver& got) noexcept {
  if (broken_) [[unlikely]] {
    recover();
    if (broken_) return false;
  }
  std::array<ibv_wc, 32> done;
  const int count = ibv_poll_cq(received_.get(), static_cast<int>(done.size()), done.data());
  for (int each = 0; each < count; ++each) {
    const ibv_wc& one = done[static_cast<std::size_t>(each)];
    const auto cell = static_cast<std::uint32_t>(one.wr_id);
    if (one.status != IBV_WC_SUCCESS) {
      broke(ibv_wc_status_str(one.status));
      continue;
    }
    recoveries_ = 0;
    if (one.byte_len > header_bytes)
      got(receive_cell(cell) + header_bytes, one.byte_len - header_bytes);
    read_.push_back(cell);
  }
  if (!broken_) {
    while (read_.size() >= refill) post_receives();
    if (free_.size() < plan_.sends) reap();
  }
  return count > 0;
}

}  // namespace peal::verbs
