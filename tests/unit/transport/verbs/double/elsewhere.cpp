// Work requests to queue pairs of other processes (wire.hpp).
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "unit/transport/verbs/double/fabric/fabric.hpp"
#include "unit/transport/verbs/double/fabric/schedule.hpp"
#include "unit/transport/verbs/double/objects.hpp"

namespace peal::verbs_double {

namespace {

constexpr auto between_tries = std::chrono::milliseconds{1};

/// A READ's data, or what is said of one that failed.
ibv_wc_status answered(const request& which, const packet& what,
                       const std::vector<std::byte>& data) {
  const auto how = static_cast<ibv_wc_status>(what.status);
  if (how != IBV_WC_SUCCESS || which.what.opcode != IBV_WR_RDMA_READ) return how;
  return scatter(data.data(), data.size(), which.pieces) ? how : IBV_WC_LOC_PROT_ERR;
}

packet::kind kind_of(ibv_wr_opcode code) {
  if (code == IBV_WR_RDMA_READ) return packet::reads;
  return code == IBV_WR_RDMA_WRITE ? packet::writes : packet::sends;
}

}  // namespace

bool pair::has_peer_elsewhere() const {
  return everything().others && base.qp_type == IBV_QPT_RC &&
         !everything().find(attributes.dest_qp_num);
}

bool world::find_port(const pair& from, const ibv_ah_attr& way, packet& into) const {
  if (from.on->cut) return false;
  for (std::size_t card = 0; card < cards.size(); ++card)
    for (std::size_t number = 0; number < cards[card]->ports.size(); ++number)
      if (from.at().reaches(cards[card]->ports[number], way, routers)) {
        into.card = static_cast<std::uint32_t>(card);
        into.port = static_cast<std::uint32_t>(number + 1);
        return true;
      }
  return false;
}

void pair::nobody_answers() {
  const auto now = clock::now();
  if (silent_since == clock::time_point::max()) ++on->vanished;
  silent_since = std::min(silent_since, now);
  tried_at = now;
  refused = true;
  everything().others->wake();
}

/// False: it stays where it is.
bool pair::send_elsewhere(request& which, ibv_wc_status& how) {
  const ibv_send_wr& wanted = which.what;
  packet made;
  made.what = kind_of(wanted.opcode);
  std::vector<std::byte> data;
  const std::size_t bytes = which.inlined.size() + room_of(which.pieces);
  if (bytes > at().attributes.max_msg_sz) how = IBV_WC_LOC_LEN_ERR;
  else if (made.what != packet::reads && !gather(which, data)) how = IBV_WC_LOC_PROT_ERR;
  if (how != IBV_WC_SUCCESS) return false;
  if (!everything().find_port(*this, attributes.ah_attr, made)) return nobody_answers(), false;
  if (which.sequence == 0) which.sequence = ++last_sequence;
  made.to = attributes.dest_qp_num;
  made.from = base.qp_num;
  made.sequence = which.sequence;
  made.attempt = attempt;
  made.rnr_retry = attributes.rnr_retry;
  made.partition = key();
  made.largest = static_cast<std::uint32_t>(
      std::min<std::size_t>(bytes, std::size_t{128} << attributes.path_mtu));
  if (made.largest > at().longest_packet()) return nobody_answers(), false;
  if (made.what == packet::sends) {
    made.with_imm = wanted.opcode == IBV_WR_SEND_WITH_IMM;
    made.imm = wanted.imm_data;
  } else {
    made.address = wanted.wr.rdma.remote_addr;
    made.key = wanted.wr.rdma.rkey;
    made.length = bytes;
  }
  if (!everything().others->send((made.to >> wire::own_bits) - 1, made, data))
    return nobody_answers(), false;
  return which.launched = true;
}

void pair::work_elsewhere() {
  const auto now = clock::now();
  if (refused) {
    if (attributes.timeout != 0 && now - silent_since >= patience_with_silence(attributes)) {
      const request over = std::move(sends.front());
      sends.pop_front();
      complete(over, IBV_WC_RETRY_EXC_ERR);
      return fail();
    }
    if (now - tried_at < between_tries) return;
    refused = false;
    ++attempt;
    reads_out = 0;
    for (request& each : sends) each.launched = false;
  }
  for (std::size_t each = 0; each < sends.size(); ++each) {
    if (sends[each].launched) continue;
    const bool reads = sends[each].what.opcode == IBV_WR_RDMA_READ;
    if (reads && reads_out >= attributes.max_rd_atomic) return;
    ibv_wc_status how = IBV_WC_SUCCESS;
    if (send_elsewhere(sends[each], how)) {
      if (reads) ++reads_out;
      continue;
    }
    // Those before it are answered first.
    if (how == IBV_WC_SUCCESS || each > 0) return;
    const request over = std::move(sends.front());
    sends.pop_front();
    complete(over, how);
    return fail();
  }
}

void pair::answered(const packet& what, const std::vector<std::byte>& data) {
  if (what.what == packet::absent) {
    if (what.attempt == attempt && !refused && !sends.empty()) nobody_answers();
    return;
  }
  if (sends.empty() || sends.front().sequence != what.sequence) return;
  silent_since = clock::time_point::max();
  const request over = std::move(sends.front());
  sends.pop_front();
  if (over.what.opcode == IBV_WR_RDMA_READ && reads_out > 0) --reads_out;
  const ibv_wc_status how = verbs_double::answered(over, what, data);
  complete(over, how);
  if (how != IBV_WC_SUCCESS) fail();
  else work();
}

bool pair::is_reached_by(const packet& what) const {
  return receives_now(*this) && everything().cards[what.card].get() == on &&
         attributes.port_num == what.port && !on->cut && at().works() && at().gets(what.largest) &&
         same_partition(static_cast<std::uint16_t>(what.partition), key());
}

bool pair::is_lost() const {
  port& here = at();
  return here.loses_every != 0 && ++here.came % here.loses_every == 0;
}

/// A request of another process's.
void pair::asked(packet what, std::vector<std::byte> data) {
  const bool is_mine =
      base.qp_type == IBV_QPT_RC && attributes.dest_qp_num == what.from && is_reached_by(what);
  if (!is_mine || what.sequence > last_taken + 1 || is_lost()) {
    what.what = packet::absent;
    everything().others->answer(what, IBV_WC_RETRY_EXC_ERR);
    return;
  }
  if (what.sequence <= last_taken) return;  // it is answered, or will be
  last_taken = what.sequence;
  if (base.state == IBV_QPS_RTR && !std::exchange(established, true)) tell(IBV_EVENT_COMM_EST);
  incoming.push_back({what, std::move(data)});
  on->busy = true;
  work_incoming();
}

void pair::work_incoming() {
  while (!incoming.empty() && receives_now(*this)) {
    const bool sent = incoming.front().what.what == packet::sends;
    if (sent && !receives_of(*this) && lets_wait(incoming.front().what.rnr_retry, not_ready_here))
      return everything().others->wake();
    not_ready_here = clock::time_point::max();
    held_packet next = std::move(incoming.front());
    incoming.pop_front();
    const packet& what = next.what;
    std::vector<std::byte> found;
    ibv_wc_status how = IBV_WC_SUCCESS;
    if (sent) {
      ibv_send_wr as{};
      as.opcode = what.with_imm != 0 ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND;
      as.imm_data = what.imm;
      how = receives_of(*this) ? receive_message(next.data, as) : IBV_WC_RNR_RETRY_EXC_ERR;
    } else if (!opens(what.address, what.key, what.length, what.what == packet::reads)) {
      how = IBV_WC_REM_ACCESS_ERR;
    } else if (what.what == packet::reads) {
      context::from(base.context).release();
      found.assign(memory(what.address), memory(what.address) + what.length);
    } else {
      put(what.address, std::move(next.data));
    }
    everything().others->answer(what, how, found);
    if (how != IBV_WC_REM_ACCESS_ERR && how != IBV_WC_REM_INV_REQ_ERR) continue;
    fail();
    if (how == IBV_WC_REM_ACCESS_ERR) tell(IBV_EVENT_QP_ACCESS_ERR);
  }
}

void pair::refuse_incoming() {
  for (held_packet& each : std::exchange(incoming, {})) {
    each.what.what = packet::absent;
    everything().others->answer(each.what, IBV_WC_RETRY_EXC_ERR);
  }
}

void pair::send_datagram_elsewhere(const datagram& which, const ibv_ah_attr& way,
                                   std::uint32_t key) {
  packet made;
  made.what = packet::datagram;
  made.to = which.to;
  made.from = which.from;
  made.key = key;
  made.from_lid = which.from_lid;
  made.sl = which.sl;
  made.with_gid = which.with_gid;
  made.partition = this->key();
  made.largest = static_cast<std::uint32_t>(which.data.size() - network_header);
  if (!everything().find_port(*this, way, made) ||
      !everything().others->send((made.to >> wire::own_bits) - 1, made, which.data))
    ++on->vanished;
}

void take(const packet& what, const std::vector<std::byte>& data) {
  pair* const to = everything().find(what.to);
  const bool answers = what.what == packet::done || what.what == packet::absent;
  if (to && answers) return to->answered(what, data);
  if (answers) return;
  if (what.what == packet::datagram) {
    if (!to || to->base.qp_type != IBV_QPT_UD || to->attributes.qkey != what.key ||
        !to->is_reached_by(what) || to->is_lost())
      return;
    return to->arrive({what.to, what.from, static_cast<std::uint16_t>(what.from_lid),
                       static_cast<std::uint8_t>(what.sl), what.with_gid != 0, data});
  }
  if (to) return to->asked(what, data);
  packet nobody = what;
  nobody.what = packet::absent;
  everything().others->answer(nobody, IBV_WC_RETRY_EXC_ERR);
}

void lose_process(std::uint32_t process) {
  for (const auto& [number, each] : everything().numbers)
    if (each->has_peer_elsewhere() && !each->sends.empty() &&
        (each->attributes.dest_qp_num >> wire::own_bits) - 1 == process)
      each->nobody_answers();
}

bool somebody_waits() {
  return std::ranges::any_of(everything().numbers, [](const auto& each) {
    const pair& of = *each.second;
    return !of.incoming.empty() || (!of.sends.empty() && of.refused);
  });
}

void join_other_processes() {
  const lock hold{guard()};
  const char* const name = std::getenv("VERBS_DOUBLE");
  if (!name || everything().others) return;
  make_fabric();
  const char* const job = std::getenv("PMIX_NAMESPACE");
  everything().others = new wire(std::string{name} + "/" +
                                 (job ? job : ""));  // until the process ends, for its thread
  follow_schedule();
}

}  // namespace peal::verbs_double
