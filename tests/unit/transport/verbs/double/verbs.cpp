// The functions of libibverbs that src/transport/verbs calls. Being defined in the program they go
// before those of the library, of which only those remain that touch no device.
//
// Source   the manual pages of each.
#include <infiniband/verbs.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <utility>

#include "unit/transport/verbs/double/objects.hpp"

// Declared as macros in some versions.
#undef ibv_query_port
#undef ibv_get_device_list
#undef ibv_reg_mr

namespace {

using namespace peal::verbs_double;

using lock = std::lock_guard<std::recursive_mutex>;

template <class Object>
void forget(std::vector<Object*>& all, Object* gone) {
  std::erase(all, gone);
}

int event_descriptor() { return eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC); }

bool take_event(int descriptor) {
  std::uint64_t one = 0;
  return read(descriptor, &one, sizeof one) == sizeof one;
}

std::nullptr_t refuse(int why) {
  errno = why;
  return nullptr;
}

/// The kernel pins what is registered, and holds everybody but root to the limit.
bool may_lock(std::size_t bytes) {
  rlimit limit{};
  if (geteuid() == 0 || getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return true;
  for (const region* each : everything().regions) bytes += each->base.length;
  return bytes <= limit.rlim_cur;
}

// ---- the functions behind ibv_context::ops

int poll_cq(ibv_cq* which, int most, ibv_wc* into) {
  const lock hold{guard()};
  everything().go_on();
  queue& from = queue::from(which);
  int count = 0;
  for (; count < most && !from.entries.empty(); ++count, from.entries.pop_front()) {
    ibv_wc& one = into[count] = from.entries.front();
    if (const std::uint32_t behind = std::exchange(one.vendor_err, 0); behind != 0)
      for (const auto& on : everything().cards)
        for (pair* each : on->pairs)
          if (each->base.qp_num == one.qp_num)
            each->retired = std::max<std::uint64_t>(each->retired, behind);
  }
  return count;
}

int req_notify_cq(ibv_cq* which, int) {
  const lock hold{guard()};
  queue::from(which).asked = true;
  return 0;
}

int post_receives(std::deque<receive>& into, std::size_t most, ibv_recv_wr* chain,
                  ibv_recv_wr** refused) {
  for (; chain; chain = chain->next) {
    if (into.size() >= most) return *refused = chain, ENOMEM;
    into.push_back({chain->wr_id, {chain->sg_list, chain->sg_list + chain->num_sge}});
  }
  everything().go_on();  // somebody may wait for it
  return 0;
}

int post_srq_recv(ibv_srq* which, ibv_recv_wr* chain, ibv_recv_wr** refused) {
  const lock hold{guard()};
  shared_queue& into = shared_queue::from(which);
  return post_receives(into.waiting, into.most, chain, refused);
}

int post_recv(ibv_qp* which, ibv_recv_wr* chain, ibv_recv_wr** refused) {
  const lock hold{guard()};
  pair& at = pair::from(which);
  if (which->srq || which->state == IBV_QPS_RESET) return *refused = chain, EINVAL;
  if (which->state != IBV_QPS_ERR)
    return post_receives(at.receives, at.caps.max_recv_wr, chain, refused);
  for (; chain; chain = chain->next) {
    ibv_wc flushed{};
    flushed.wr_id = chain->wr_id;
    flushed.status = IBV_WC_WR_FLUSH_ERR;
    flushed.qp_num = which->qp_num;
    at.received().add(flushed);
  }
  return 0;
}

int post_one(pair& to, const ibv_send_wr& what) {
  if (static_cast<std::uint32_t>(what.num_sge) > to.caps.max_send_sge) return EINVAL;
  if (to.posted - to.retired >= to.caps.max_send_wr) return ENOMEM;
  request made;
  made.what = what;
  made.number = ++to.posted;
  const bool inlined = (what.send_flags & IBV_SEND_INLINE) != 0;
  for (int each = 0; each < what.num_sge; ++each) {
    const ibv_sge& piece = what.sg_list[each];
    const auto* const at = reinterpret_cast<const std::byte*>(piece.addr);
    if (inlined) made.inlined.insert(made.inlined.end(), at, at + piece.length);
    else made.pieces.push_back(piece);
  }
  if (made.inlined.size() > to.caps.max_inline_data) return --to.posted, EINVAL;
  if (to.base.state == IBV_QPS_ERR) to.complete(made, IBV_WC_WR_FLUSH_ERR);
  else to.sends.push_back(std::move(made));
  return 0;
}

int post_send(ibv_qp* which, ibv_send_wr* chain, ibv_send_wr** refused) {
  const lock hold{guard()};
  pair& to = pair::from(which);
  if (which->state != IBV_QPS_RTS && which->state != IBV_QPS_ERR) return *refused = chain, EINVAL;
  int failed = 0;
  for (; chain && failed == 0; chain = chain->next) {
    failed = post_one(to, *chain);
    if (failed != 0) *refused = chain;
  }
  to.work();
  return failed;
}

bool may_go(ibv_qp_state from, ibv_qp_state to) {
  if (to == IBV_QPS_RESET || to == IBV_QPS_ERR) return true;
  return (from == IBV_QPS_RESET && to == IBV_QPS_INIT) ||
         (from == IBV_QPS_INIT && to == IBV_QPS_RTR) || (from == IBV_QPS_RTR && to == IBV_QPS_RTS);
}

/// With IBV_QPS_RESET all is forgotten, completions too.
void reset(pair& which) {
  which.base.state = IBV_QPS_RESET;
  which.sends.clear();
  which.receives.clear();
  which.retired = which.posted;
  for (queue* each : {&which.sent(), &which.received()})
    std::erase_if(each->entries,
                  [&](const ibv_wc& one) { return one.qp_num == which.base.qp_num; });
}

}  // namespace

extern "C" {

// ---- devices

ibv_device** ibv_get_device_list(int* count) {
  const lock hold{guard()};
  const auto& cards = everything().cards;
  auto** const made = new ibv_device* [cards.size() + 1] {};
  for (std::size_t each = 0; each < cards.size(); ++each) made[each] = &cards[each]->device;
  if (count) *count = static_cast<int>(cards.size());
  return made;
}

void ibv_free_device_list(ibv_device** list) { delete[] list; }

ibv_context* ibv_open_device(ibv_device* which) {
  const lock hold{guard()};
  auto* const made = new context;
  for (const auto& each : everything().cards)
    if (&each->device == which) made->of = each.get();
  made->base.device = which;
  made->base.num_comp_vectors = 1;
  made->base.async_fd = event_descriptor();
  made->base.ops.poll_cq = poll_cq;
  made->base.ops.req_notify_cq = req_notify_cq;
  made->base.ops.post_srq_recv = post_srq_recv;
  made->base.ops.post_recv = post_recv;
  made->base.ops.post_send = post_send;
  everything().contexts.push_back(made);
  return &made->base;
}

int ibv_close_device(ibv_context* which) {
  const lock hold{guard()};
  context* const gone = &context::from(which);
  forget(everything().contexts, gone);
  close(which->async_fd);
  delete gone;
  return 0;
}

int ibv_query_device(ibv_context* of, ibv_device_attr* into) {
  *into = context::from(of).of->limits;
  return 0;
}

// verbs.h hands over an ibv_port_attr that it has filled with zeros.
int ibv_query_port(ibv_context* of, std::uint8_t, _compat_ibv_port_attr* into) {
  *reinterpret_cast<ibv_port_attr*>(into) = context::from(of).of->port;
  return 0;
}

ssize_t _ibv_query_gid_table(ibv_context* of, ibv_gid_entry* into, std::size_t most, std::uint32_t,
                             std::size_t) {
  if (most == 0) return 0;
  into[0] = {};
  into[0].gid = context::from(of).of->gid;
  into[0].port_num = 1;
  into[0].gid_type = context::from(of).of->port.link_layer == IBV_LINK_LAYER_INFINIBAND
                         ? IBV_GID_TYPE_IB
                         : IBV_GID_TYPE_ROCE_V2;
  return 1;
}

int ibv_query_pkey(ibv_context*, std::uint8_t, int index, __be16* into) {
  *into = 0xffff;
  return index == 0 ? 0 : -1;
}

int ibv_get_async_event(ibv_context* of, ibv_async_event* into) {
  if (!take_event(of->async_fd)) return -1;
  const lock hold{guard()};
  std::deque<ibv_async_event>& events = context::from(of).events;
  if (events.empty()) return -1;  // it was of something that is gone
  *into = events.front();
  events.pop_front();
  return 0;
}

void ibv_ack_async_event(ibv_async_event*) {}

// ---- memory

ibv_pd* ibv_alloc_pd(ibv_context* of) {
  auto* const made = new ibv_pd{};
  made->context = of;
  return made;
}

int ibv_dealloc_pd(ibv_pd* which) {
  delete which;
  return 0;
}

ibv_mr* ibv_reg_mr(ibv_pd* in, void* at, std::size_t bytes, int access) {
  const lock hold{guard()};
  if (!may_lock(bytes)) return refuse(ENOMEM);
  auto* const made = new region;
  made->base.context = in->context;
  made->base.pd = in;
  made->base.addr = at;
  made->base.length = bytes;
  made->base.lkey = made->base.rkey = ++everything().last_number;
  made->access = access;
  everything().regions.push_back(made);
  return &made->base;
}

ibv_mr* ibv_reg_mr_iova2(ibv_pd* in, void* at, std::size_t bytes, std::uint64_t, unsigned access) {
  return ibv_reg_mr(in, at, bytes, static_cast<int>(access));
}

int ibv_dereg_mr(ibv_mr* which) {
  const lock hold{guard()};
  auto* const gone = reinterpret_cast<region*>(which);
  forget(everything().regions, gone);
  delete gone;
  return 0;
}

ibv_ah* ibv_create_ah(ibv_pd* in, ibv_ah_attr* way) {
  auto* const made = new address_handle;
  made->base.context = in->context;
  made->base.pd = in;
  made->to = way->grh.dgid;
  return &made->base;
}

int ibv_destroy_ah(ibv_ah* which) {
  delete reinterpret_cast<address_handle*>(which);
  return 0;
}

// ---- completions

ibv_comp_channel* ibv_create_comp_channel(ibv_context* of) {
  auto* const made = new channel;
  made->base.context = of;
  made->base.fd = event_descriptor();
  return &made->base;
}

int ibv_destroy_comp_channel(ibv_comp_channel* which) {
  close(which->fd);
  delete reinterpret_cast<channel*>(which);
  return 0;
}

ibv_cq* ibv_create_cq(ibv_context* of, int entries, void* own, ibv_comp_channel* wakes, int) {
  const lock hold{guard()};
  if (entries < 1 || entries > context::from(of).of->limits.max_cqe) return refuse(EINVAL);
  auto* const made = new queue;
  made->base.context = of;
  made->base.channel = wakes;
  made->base.cq_context = own;
  made->base.cqe = static_cast<int>(std::bit_ceil(static_cast<unsigned>(entries) + 1) - 1);
  everything().queues.push_back(made);
  return &made->base;
}

int ibv_resize_cq(ibv_cq* which, int entries) {
  const lock hold{guard()};
  const card& on = *context::from(which->context).of;
  if (!on.resizes) return EOPNOTSUPP;
  if (entries > on.limits.max_cqe) return EINVAL;
  which->cqe = entries;
  return 0;
}

int ibv_destroy_cq(ibv_cq* which) {
  const lock hold{guard()};
  queue* const gone = &queue::from(which);
  if (which->channel) std::erase(reinterpret_cast<channel*>(which->channel)->events, which);
  forget(everything().queues, gone);
  delete gone;
  return 0;
}

int ibv_get_cq_event(ibv_comp_channel* from, ibv_cq** which, void** own) {
  if (!take_event(from->fd)) return -1;
  const lock hold{guard()};
  std::deque<ibv_cq*>& events = reinterpret_cast<channel*>(from)->events;
  if (events.empty()) return -1;
  *which = events.front();
  *own = (*which)->cq_context;
  events.pop_front();
  return 0;
}

void ibv_ack_cq_events(ibv_cq*, unsigned) {}

// ---- queues

ibv_srq* ibv_create_srq(ibv_pd* in, ibv_srq_init_attr* wanted) {
  const lock hold{guard()};
  if (wanted->attr.max_wr >
      static_cast<std::uint32_t>(context::from(in->context).of->limits.max_srq_wr))
    return refuse(EINVAL);
  auto* const made = new shared_queue;
  made->base.context = in->context;
  made->base.pd = in;
  made->most = wanted->attr.max_wr;
  everything().shared_queues.push_back(made);
  return &made->base;
}

int ibv_destroy_srq(ibv_srq* which) {
  const lock hold{guard()};
  shared_queue* const gone = &shared_queue::from(which);
  forget(everything().shared_queues, gone);
  delete gone;
  return 0;
}

ibv_qp* ibv_create_qp(ibv_pd* in, ibv_qp_init_attr* wanted) {
  const lock hold{guard()};
  card& on = *context::from(in->context).of;
  const auto deepest = static_cast<std::uint32_t>(on.limits.max_qp_wr);
  if (wanted->cap.max_send_wr > deepest || wanted->cap.max_recv_wr > deepest) return refuse(EINVAL);
  if (wanted->qp_type == IBV_QPT_RC && on.count(IBV_QPT_RC) >= on.most_reliable)
    return refuse(ENOMEM);
  auto* const made = new pair;
  made->base.context = in->context;
  made->base.pd = in;
  made->base.send_cq = wanted->send_cq;
  made->base.recv_cq = wanted->recv_cq;
  made->base.srq = wanted->srq;
  made->base.qp_num = ++everything().last_number;
  made->base.qp_type = wanted->qp_type;
  made->base.state = IBV_QPS_RESET;
  made->on = &on;
  made->caps = wanted->cap;
  made->signals_all = wanted->sq_sig_all != 0;
  on.pairs.push_back(made);
  return &made->base;
}

int ibv_modify_qp(ibv_qp* which, ibv_qp_attr* to, int mask) {
  const lock hold{guard()};
  pair& at = pair::from(which);
  if (!(mask & IBV_QP_STATE) || !may_go(which->state, to->qp_state)) return errno = EINVAL;
  if (at.on->refused_transitions > 0 && to->qp_state != IBV_QPS_ERR) {
    --at.on->refused_transitions;
    return errno = EIO;
  }
  if (mask & IBV_QP_QKEY) at.key = to->qkey;
  if (mask & IBV_QP_DEST_QPN) at.remote = to->dest_qp_num;
  if (mask & IBV_QP_AV) at.remote_gid = to->ah_attr.grh.dgid;
  if (mask & IBV_QP_TIMEOUT)
    at.patience = std::chrono::nanoseconds{
        static_cast<std::int64_t>(std::ldexp(4096.0, to->timeout) * (to->retry_cnt + 1))};
  if (to->qp_state == IBV_QPS_ERR) at.fail();
  else if (to->qp_state == IBV_QPS_RESET) reset(at);
  else which->state = to->qp_state;
  everything().go_on();
  return 0;
}

int ibv_query_qp(ibv_qp* which, ibv_qp_attr* into, int, ibv_qp_init_attr*) {
  const lock hold{guard()};
  into->qp_state = which->state;
  return 0;
}

int ibv_destroy_qp(ibv_qp* which) {
  const lock hold{guard()};
  pair* const gone = &pair::from(which);
  context& host = context::from(which->context);
  host.release();  // nothing of it comes later
  for (queue* each : {&gone->sent(), &gone->received()})
    std::erase_if(each->entries, [&](const ibv_wc& one) { return one.qp_num == which->qp_num; });
  std::erase_if(host.events, [&](const ibv_async_event& each) {
    return (each.event_type == IBV_EVENT_QP_FATAL ||
            each.event_type == IBV_EVENT_QP_LAST_WQE_REACHED) &&
           each.element.qp == which;
  });
  std::erase(gone->on->pairs, gone);
  delete gone;
  return 0;
}
}
