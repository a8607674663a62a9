// What becomes of work requests.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "unit/transport/verbs/double/objects.hpp"

namespace peal::verbs_double {

std::byte* memory(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

bool gather(const request& from, std::vector<std::byte>& into) {
  into = from.inlined;
  for (const ibv_sge& each : from.pieces) {
    if (each.length == 0) continue;
    if (!everything().find(each.lkey, each.addr, each.length, false)) return false;
    into.insert(into.end(), memory(each.addr), memory(each.addr) + each.length);
  }
  return true;
}

std::size_t room_of(const std::vector<ibv_sge>& pieces) {
  std::size_t all = 0;
  for (const ibv_sge& each : pieces) all += each.length;
  return all;
}

bool scatter(const std::byte* data, std::size_t bytes, const std::vector<ibv_sge>& pieces) {
  for (const ibv_sge& each : pieces) {
    if (bytes == 0) return true;
    const std::size_t piece = std::min<std::size_t>(bytes, each.length);
    if (!everything().find(each.lkey, each.addr, piece, false)) return false;
    std::memcpy(memory(each.addr), data, piece);
    data += piece;
    bytes -= piece;
  }
  return bytes == 0;
}

namespace {

ibv_wc completion(const pair& of, std::uint64_t id, ibv_wc_status status) {
  ibv_wc made{};
  made.wr_id = id;
  made.status = status;
  made.qp_num = of.base.qp_num;
  return made;
}

}  // namespace

std::deque<receive>* receives_of(pair& at) {
  std::deque<receive>& all = at.base.srq ? shared_queue::from(at.base.srq).waiting : at.receives;
  return all.empty() ? nullptr : &all;
}

std::chrono::nanoseconds patience_with_silence(const ibv_qp_attr& of) {
  return std::chrono::nanoseconds{
      static_cast<std::int64_t>(std::ldexp(4096.0, of.timeout) * (of.retry_cnt + 1))};
}

namespace {

/// InfiniBand specification, 9.7.5.2.8, table 45.
std::chrono::microseconds receiver_timer(unsigned code) {
  constexpr unsigned tens[32] = {65536, 1,    2,    3,     4,     6,     8,     12,
                                 16,    24,   32,   48,    64,    96,    128,   192,
                                 256,   384,  512,  768,   1024,  1536,  2048,  3072,
                                 4096,  6144, 8192, 12288, 16384, 24576, 32768, 49152};
  return std::chrono::microseconds{tens[code & 31] * 10u};
}

/// So that simulated time comes to this point.
void wake_at(clock::time_point when) {
  if (timeline* const time = everything().time.get(); time && when > now())
    time->at(std::chrono::nanoseconds{when.time_since_epoch()}.count() * nanosecond,
             [] { everything().go_on(); });
}

}  // namespace

bool receives_now(const pair& at) {
  return at.base.state == IBV_QPS_RTR || at.base.state == IBV_QPS_RTS;
}

// ---- hosts

clock::time_point now() {
  const timeline* const time = everything().time.get();
  if (!time) return clock::now();
  return clock::time_point{std::chrono::nanoseconds{time->now() / nanosecond}};
}

void context::tell(const ibv_async_event& what) {
  events.push_back(what);
  const std::uint64_t one = 1;
  (void)!write(base.async_fd, &one, sizeof one);
}

void context::release() {
  for (const held_write& each : held) std::memcpy(each.to, each.data.data(), each.data.size());
  held.clear();
}

void queue::add(const ibv_wc& what) {
  context& host = context::from(base.context);
  host.release();
  ++everything().completions;
  if (overrun) return;
  if (entries.size() >= static_cast<std::size_t>(base.cqe)) {
    overrun = true;
    ibv_async_event event{};
    event.event_type = IBV_EVENT_CQ_ERR;
    event.element.cq = &base;
    host.tell(event);
    for (const auto& [number, each] : everything().numbers) {
      if (&each->sent() != this && &each->received() != this) continue;
      each->tell(IBV_EVENT_QP_FATAL);
      each->fail();
    }
    return;
  }
  entries.push_back(what);
  if (!asked || !base.channel) return;
  asked = false;
  reinterpret_cast<channel*>(base.channel)->events.push_back(&base);
  const std::uint64_t one = 1;
  (void)!write(base.channel->fd, &one, sizeof one);
}

// ---- finding

pair* world::find(std::uint32_t number) const {
  const auto found = numbers.find(number);
  return found == numbers.end() ? nullptr : found->second;
}

pair* world::find(const pair& from, const ibv_ah_attr& way, std::uint32_t number) const {
  pair* const to = find(number);
  if (!to || to->base.state == IBV_QPS_RESET || from.on->cut || to->on->cut) return nullptr;
  return from.at().reaches(to->at(), way, routers) && same_partition(from.key(), to->key())
             ? to
             : nullptr;
}

region* world::find(std::uint32_t key, std::uint64_t at, std::size_t bytes, bool remote) const {
  for (region* each : regions) {
    if ((remote ? each->base.rkey : each->base.lkey) != key) continue;
    const auto begin = reinterpret_cast<std::uint64_t>(each->base.addr);
    return at >= begin && bytes <= each->base.length && at - begin <= each->base.length - bytes
               ? each
               : nullptr;
  }
  return nullptr;
}

void world::go_on() {
  std::uint64_t before = 0;
  do {
    before = completions;
    for (const auto& on : cards) {
      if (!on->busy) continue;
      on->busy = false;
      for (std::size_t each = 0; each < on->pairs.size(); ++each) {
        pair& at = *on->pairs[each];
        at.work();
        on->busy |= !at.sends.empty() || !at.incoming.empty();
      }
    }
  } while (completions != before);
}

void shared_queue::watch() {
  if (limit == 0 || waiting.size() >= limit) return;
  limit = 0;
  ibv_async_event event{};
  event.event_type = IBV_EVENT_SRQ_LIMIT_REACHED;
  event.element.srq = &base;
  context::from(base.context).tell(event);
}

// ---- a queue pair

std::uint16_t pair::key() const {
  const std::vector<std::uint16_t>& keys = at().keys;
  return attributes.pkey_index < keys.size() ? keys[attributes.pkey_index] : 0;
}

void pair::tell(ibv_event_type what) {
  ibv_async_event event{};
  event.event_type = what;
  event.element.qp = &base;
  context::from(base.context).tell(event);
}

void pair::complete(const request& which, ibv_wc_status how) {
  if (how == IBV_WC_SUCCESS && !signals_all && !(which.what.send_flags & IBV_SEND_SIGNALED)) return;
  ibv_wc made = completion(*this, which.what.wr_id, how);
  // How far its ring is free once this was polled; vendor_err has no other use here.
  made.vendor_err = static_cast<std::uint32_t>(which.number);
  made.opcode = which.what.opcode == IBV_WR_RDMA_READ ? IBV_WC_RDMA_READ : IBV_WC_SEND;
  sent().add(made);
}

void pair::fail() {
  if (base.state == IBV_QPS_ERR || base.state == IBV_QPS_RESET) return;
  base.state = IBV_QPS_ERR;
  for (; !executed.empty(); executed.pop_front())
    complete(executed.front().of, executed.front().how);
  for (; !sends.empty(); sends.pop_front()) complete(sends.front(), IBV_WC_WR_FLUSH_ERR);
  for (; !receives.empty(); receives.pop_front())
    received().add(completion(*this, receives.front().id, IBV_WC_WR_FLUSH_ERR));
  refuse_incoming();
  if (!base.srq || !on->tells_last_wqe) return;
  tell(IBV_EVENT_QP_LAST_WQE_REACHED);
}

void pair::work() {
  if (!incoming.empty()) work_incoming();
  if (has_peer_elsewhere()) {
    if (base.state == IBV_QPS_RTS && !sends.empty()) work_elsewhere();
    return;
  }
  if (on->late_reads) overtake_reads();
  while (base.state == IBV_QPS_RTS && !sends.empty()) {
    if (everything().time && !sends.front().arrived) return;
    ibv_wc_status how = sends.front().ended;
    if (!sends.front().overtook && !work(sends.front(), how)) return;
    silent_since = not_ready_since = clock::time_point::max();
    request over = std::move(sends.front());
    sends.pop_front();
    finish(std::move(over), how);
    if (how != IBV_WC_SUCCESS) fail();
  }
}

/// What does not wait for a READ before it is done first.
void pair::overtake_reads() {
  bool behind = false;
  for (request& each : sends) {
    const bool reads = each.what.opcode == IBV_WR_RDMA_READ;
    if (behind && (each.what.send_flags & IBV_SEND_FENCE) != 0) return;
    behind |= reads;
    if (!behind || reads || each.overtook) continue;
    if (everything().time && !each.arrived) return;
    if (!work(each, each.ended)) return;
    each.overtook = true;
    if (each.ended != IBV_WC_SUCCESS) return;
  }
}

void pair::finish(request over, ibv_wc_status how) {
  timeline* const time = everything().time.get();
  if (!time || how != IBV_WC_SUCCESS) {
    for (; !executed.empty(); executed.pop_front())
      complete(executed.front().of, executed.front().how);
    return complete(over, how);
  }
  const cost_model& costs = time->costs();
  // The data of a READ are the answer; that of a datagram is its last packet's departure.
  const bool answered = base.qp_type == IBV_QPT_RC && over.what.opcode != IBV_WR_RDMA_READ;
  time->at(time->now() + costs.completion + (answered ? costs.latency : 0),
           [number = base.qp_num, which = over.number] {
             if (pair* const still = everything().find(number)) still->acknowledge(which);
           });
  executed.push_back({std::move(over), how, false});
}

void pair::acknowledge(std::uint64_t number) {
  for (acknowledgement& each : executed)
    if (each.of.number == number) each.here = true;
  for (; !executed.empty() && executed.front().here; executed.pop_front())
    complete(executed.front().of, executed.front().how);
}

/// False: it waits.
bool pair::work(const request& which, ibv_wc_status& how) {
  if (base.qp_type == IBV_QPT_UD) {
    how = send_datagram(which);
    return true;
  }
  const std::size_t bytes = which.inlined.size() + room_of(which.pieces);
  if (bytes > at().attributes.max_msg_sz) {
    how = IBV_WC_LOC_LEN_ERR;
    return true;
  }
  pair* const to = peer_of(which);
  if (!to || !receives_now(*to)) {
    const auto now = verbs_double::now();
    if (silent_since == clock::time_point::max()) ++on->vanished;
    silent_since = std::min(silent_since, now);
    how = IBV_WC_RETRY_EXC_ERR;
    // Timeout 0: it waits for ever.
    if (attributes.timeout == 0) return false;
    wake_at(silent_since + patience_with_silence(attributes));
    return now - silent_since >= patience_with_silence(attributes);
  }
  if (to->base.state == IBV_QPS_RTR && !std::exchange(to->established, true))
    to->tell(IBV_EVENT_COMM_EST);
  if (which.what.opcode == IBV_WR_SEND || which.what.opcode == IBV_WR_SEND_WITH_IMM)
    return send(*to, which, how);
  const auto& [address, key] = which.what.wr.rdma;
  const bool reads = which.what.opcode == IBV_WR_RDMA_READ;
  if (!to->opens(address, key, bytes, reads)) {
    how = IBV_WC_REM_ACCESS_ERR;
    to->fail();
    to->tell(IBV_EVENT_QP_ACCESS_ERR);
    return true;
  }
  if (reads) {
    context::from(to->base.context).release();
    if (!scatter(memory(address), bytes, which.pieces)) how = IBV_WC_LOC_PROT_ERR;
    return true;
  }
  std::vector<std::byte> data;
  if (!gather(which, data)) how = IBV_WC_LOC_PROT_ERR;
  else to->put(address, std::move(data));
  return true;
}

bool pair::opens(std::uint64_t address, std::uint32_t key, std::size_t bytes, bool reads) const {
  const int needed = reads ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE;
  if ((attributes.qp_access_flags & static_cast<unsigned>(needed)) == 0) return false;
  if (bytes == 0) return true;
  const region* const there = everything().find(key, address, bytes, true);
  return there && (there->access & needed) != 0;
}

void pair::put(std::uint64_t address, std::vector<std::byte> data) {
  if (on->holds_writes)
    context::from(base.context).held.push_back({memory(address), std::move(data)});
  else if (!data.empty()) std::memcpy(memory(address), data.data(), data.size());
}

pair* pair::peer_of(const request& which) const {
  pair* const to = everything().find(*this, attributes.ah_attr, attributes.dest_qp_num);
  if (!to || to->base.qp_type != base.qp_type) return nullptr;
  const std::size_t packet = std::min<std::size_t>(which.inlined.size() + room_of(which.pieces),
                                                   std::size_t{128} << attributes.path_mtu);
  return packet <= at().longest_packet() && to->at().gets(packet) ? to : nullptr;
}

bool pair::lets_wait(unsigned retries, clock::time_point& since) {
  const auto now = verbs_double::now();
  if (since == clock::time_point::max()) ++on->not_ready;
  since = std::min(since, now);
  constexpr unsigned for_ever = 7;
  if (retries == for_ever) return true;
  const auto patience = receiver_timer(attributes.min_rnr_timer) * (retries + 1);
  wake_at(since + patience);
  return now - since < patience;
}

bool pair::send(pair& to, const request& which, ibv_wc_status& how) {
  if (!receives_of(to)) {
    how = IBV_WC_RNR_RETRY_EXC_ERR;
    return !to.lets_wait(attributes.rnr_retry, not_ready_since);
  }
  std::vector<std::byte> data;
  if (!gather(which, data)) {
    how = IBV_WC_LOC_PROT_ERR;
    return true;
  }
  how = to.receive_message(data, which.what);
  if (how != IBV_WC_SUCCESS) to.fail();
  return true;
}

ibv_wc_status pair::receive_message(const std::vector<std::byte>& data, const ibv_send_wr& what) {
  std::deque<receive>& waiting = *receives_of(*this);
  const receive into = std::move(waiting.front());
  waiting.pop_front();
  if (base.srq) shared_queue::from(base.srq).watch();
  ibv_wc made = completion(*this, into.id, IBV_WC_SUCCESS);
  made.opcode = IBV_WC_RECV;
  made.byte_len = static_cast<std::uint32_t>(data.size());
  if (what.opcode == IBV_WR_SEND_WITH_IMM) {
    made.wc_flags = IBV_WC_WITH_IMM;
    made.imm_data = what.imm_data;
  }
  const bool fits = scatter(data.data(), data.size(), into.pieces);
  if (!fits) made.status = IBV_WC_LOC_LEN_ERR;
  received().add(made);
  return fits ? IBV_WC_SUCCESS : IBV_WC_REM_INV_REQ_ERR;
}

/// One that nobody takes is gone, and its sender does not know.
ibv_wc_status pair::send_datagram(const request& which) {
  const auto& to_where = which.what.wr.ud;
  const ibv_ah_attr& way = which.way;
  datagram made;
  made.to = to_where.remote_qpn;
  made.from = base.qp_num;
  made.from_lid = at().attributes.lid;
  made.sl = way.sl;
  made.with_gid = way.is_global != 0;
  made.data.assign(network_header, std::byte{0xee});
  std::vector<std::byte> its;
  if (!gather(which, its)) return IBV_WC_LOC_PROT_ERR;
  if (its.size() > at().longest_packet()) return IBV_WC_LOC_LEN_ERR;
  made.data.insert(made.data.end(), its.begin(), its.end());
  if (everything().others && !everything().find(made.to))
    return send_datagram_elsewhere(made, way, to_where.remote_qkey), IBV_WC_SUCCESS;
  pair* const to = everything().find(*this, way, made.to);
  if (!to || to->base.qp_type != IBV_QPT_UD || !receives_now(*to) ||
      to->attributes.qkey != to_where.remote_qkey || !to->at().gets(its.size())) {
    ++on->vanished;
    return IBV_WC_SUCCESS;
  }
  to->arrive(made);
  return IBV_WC_SUCCESS;
}

void pair::arrive(const datagram& what) {
  const std::byte* const its = what.data.data() + network_header;
  const std::size_t bytes = what.data.size() - network_header;
  if (on->listens) on->listens(its, bytes);
  if (on->drop_datagrams > 0) {
    --on->drop_datagrams;
    return;
  }
  for (unsigned left = on->copies ? on->copies(its, bytes) : 1; left > 0; --left) {
    if (on->late_datagrams == 0) {
      take(what);
      continue;
    }
    --on->late_datagrams;
    everything().late.push_back(what);
  }
}

void pair::take(const datagram& what) {
  std::deque<receive>* const waiting = receives_of(*this);
  if (!waiting || !receives_now(*this) || room_of(waiting->front().pieces) < what.data.size())
    return;
  const receive into = std::move(waiting->front());
  waiting->pop_front();
  if (base.srq) shared_queue::from(base.srq).watch();
  ibv_wc made =
      completion(*this, into.id,
                 scatter(what.data.data(), what.data.size(), into.pieces) ? IBV_WC_SUCCESS
                                                                          : IBV_WC_LOC_PROT_ERR);
  made.opcode = IBV_WC_RECV;
  made.byte_len = static_cast<std::uint32_t>(what.data.size());
  if (what.with_gid) made.wc_flags = IBV_WC_GRH;
  made.src_qp = what.from;
  made.slid = what.from_lid;
  made.sl = what.sl;
  received().add(made);
}

}  // namespace peal::verbs_double
