// The functions of libibverbs that src/transport/verbs calls. Being defined in the program they go
// before those of the library, of which only those remain that touch no device.
//
// Source   the manual pages of each.
#include <endian.h>
#include <infiniband/verbs.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "unit/transport/verbs/double/objects.hpp"

// Declared as macros in some versions.
#undef ibv_query_port
#undef ibv_get_device_list
#undef ibv_reg_mr

namespace {

using namespace peal::verbs_double;

int event_descriptor() { return eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC); }

bool take_event(int descriptor) {
  std::uint64_t one = 0;
  return read(descriptor, &one, sizeof one) == sizeof one;
}

/// The kernel pins what is registered, and holds everybody but root to the limit.
bool may_lock(const card& on, std::size_t bytes) {
  std::size_t here = bytes;
  for (const region* each : everything().regions)
    if (context::from(each->base.context).of == &on) here += each->base.length;
  if (here > on.most_locked) return false;
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
  if (from.entries.empty() && everything().others) {
    everything().others->pump();
    everything().go_on();
  }
  if (timeline* const time = everything().time.get()) {
    const context& host = context::from(which->context);
    const auto is_busy = [&] { return time->goes_on(host) > time->now(); };
    if ((from.entries.empty() || is_busy()) && time->step()) everything().go_on();
    if (is_busy()) return 0;
  }
  int count = 0;
  for (; count < most && !from.entries.empty(); ++count, from.entries.pop_front()) {
    ibv_wc& one = into[count] = from.entries.front();
    if (const std::uint32_t behind = std::exchange(one.vendor_err, 0); behind != 0)
      if (pair* const of = everything().find(one.qp_num))
        of->retired = std::max<std::uint64_t>(of->retired, behind);
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

/// While a thread posts to a queue pair. Two at once, where it takes no lock, would mix their
/// requests in an adapter.
class posting {
 public:
  explicit posting(pair& to) : to_{to} {
    if (!to.in_use.exchange(true) || !domain::from(to.base.pd).without_locks) return;
    std::fputs("double: two threads post to a queue pair without locks at the same time\n", stderr);
    std::abort();
  }
  ~posting() { to_.in_use = false; }
  posting(const posting&) = delete;
  posting& operator=(const posting&) = delete;

 private:
  pair& to_;
};

int post_one(pair& to, const ibv_send_wr& what) {
  if (static_cast<std::uint32_t>(what.num_sge) > to.caps.max_send_sge) return EINVAL;
  if (to.posted - to.retired >= to.caps.max_send_wr) return ENOMEM;
  request made;
  made.what = what;
  made.number = ++to.posted;
  if (const timeline* const time = everything().time.get())
    made.posted_at = time->goes_on(context::from(to.base.context));
  if (to.base.qp_type == IBV_QPT_UD)
    made.way = reinterpret_cast<const address_handle*>(what.wr.ud.ah)->way;
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
  to.on->busy = true;
  return 0;
}

int post_send(ibv_qp* which, ibv_send_wr* chain, ibv_send_wr** refused) {
  pair& to = pair::from(which);
  const posting alone{to};
  const lock hold{guard()};
  if (which->state != IBV_QPS_RTS && which->state != IBV_QPS_ERR) return *refused = chain, EINVAL;
  int failed = 0;
  ++to.on->doorbells;
  for (; chain && failed == 0; chain = chain->next) {
    ++to.on->requests;
    failed = post_one(to, *chain);
    if (failed != 0) *refused = chain;
  }
  if (everything().time) everything().time->launch(to);
  if (!to.on->late_reads) to.work();  // else at the next poll, when more may have been posted
  return failed;
}

ibv_cq_ex* create_cq_ex(ibv_context* of, ibv_cq_init_attr_ex* wanted) {
  const lock hold{guard()};
  const bool locked = (wanted->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) == 0 ||
                      (wanted->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED) == 0;
  if (!locked && !context::from(of).of->leaves_locks_out) return refuse(EOPNOTSUPP);
  ibv_cq* const made = ibv_create_cq(of, static_cast<int>(wanted->cqe), wanted->cq_context,
                                     wanted->channel, static_cast<int>(wanted->comp_vector));
  if (made) queue::from(made).locked = locked;
  return reinterpret_cast<ibv_cq_ex*>(made);  // which begins as the other one
}

ibv_td* alloc_td(ibv_context* of, ibv_td_init_attr*) {
  if (!context::from(of).of->leaves_locks_out) return refuse(EOPNOTSUPP);
  auto* const made = new ibv_td{};
  made->context = of;
  return made;
}

int dealloc_td(ibv_td* which) {
  delete which;
  return 0;
}

ibv_pd* alloc_parent_domain(ibv_context* of, ibv_parent_domain_init_attr* wanted) {
  if (wanted->pd == nullptr || wanted->comp_mask != 0) return refuse(EINVAL);
  auto* const made = new domain;
  made->base.context = of;
  made->without_locks = wanted->td != nullptr;
  return &made->base;
}

}  // namespace

extern "C" {

// ---- devices

ibv_device** ibv_get_device_list(int* count) {
  const lock hold{guard()};
  join_other_processes();
  const auto& cards = everything().cards;
  auto** const made = new ibv_device* [cards.size() + 1] {};
  int found = 0;
  for (const auto& each : cards)
    if (!each->elsewhere) made[found++] = &each->device;
  if (count) *count = found;
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
  made->base.abi_compat = __VERBS_ABI_IS_EXTENDED;
  made->extended.sz = sizeof made->extended;
  made->extended.create_cq_ex = create_cq_ex;
  made->extended.alloc_td = alloc_td;
  made->extended.dealloc_td = dealloc_td;
  made->extended.alloc_parent_domain = alloc_parent_domain;
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
int ibv_query_port(ibv_context* of, std::uint8_t number, _compat_ibv_port_attr* into) {
  const lock hold{guard()};
  const std::vector<port>& ports = context::from(of).of->ports;
  if (number < 1 || number > ports.size()) return EINVAL;
  *reinterpret_cast<ibv_port_attr*>(into) = ports[number - 1u].attributes;
  return 0;
}

ssize_t _ibv_query_gid_table(ibv_context* of, ibv_gid_entry* into, std::size_t most, std::uint32_t,
                             std::size_t) {
  const lock hold{guard()};
  std::size_t count = 0;
  for (const port& each : context::from(of).of->ports)
    for (const ibv_gid_entry& gid : each.gids)
      if (count < most) into[count++] = gid;
  return static_cast<ssize_t>(count);
}

int ibv_query_gid(ibv_context* of, std::uint8_t number, int index, ibv_gid* into) {
  const lock hold{guard()};
  const std::vector<port>& ports = context::from(of).of->ports;
  if (number < 1 || number > ports.size()) return -1;
  const std::vector<ibv_gid_entry>& gids = ports[number - 1u].gids;
  if (index < 0 || static_cast<std::size_t>(index) >= gids.size()) return -1;
  *into = gids[static_cast<std::size_t>(index)].gid;
  return 0;
}

int ibv_query_pkey(ibv_context* of, std::uint8_t number, int index, __be16* into) {
  const lock hold{guard()};
  const std::vector<port>& ports = context::from(of).of->ports;
  if (number < 1 || number > ports.size()) return -1;
  const std::vector<std::uint16_t>& keys = ports[number - 1u].keys;
  if (index < 0 || static_cast<std::size_t>(index) >= keys.size()) return -1;
  *into = htobe16(keys[static_cast<std::size_t>(index)]);
  return 0;
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
  auto* const made = new domain;
  made->base.context = of;
  return &made->base;
}

int ibv_dealloc_pd(ibv_pd* which) {
  delete &domain::from(which);
  return 0;
}

ibv_mr* ibv_reg_mr(ibv_pd* in, void* at, std::size_t bytes, int access) {
  const lock hold{guard()};
  const card& on = *context::from(in->context).of;
  if (bytes > on.limits.max_mr_size) return refuse(EINVAL);
  if (everything().regions.size() >= static_cast<std::size_t>(on.limits.max_mr) ||
      !may_lock(on, bytes) || (on.refuses_region && on.refuses_region(bytes)))
    return refuse(ENOMEM);
  auto* const made = new region;
  made->base.context = in->context;
  made->base.pd = in;
  made->base.addr = at;
  made->base.length = bytes;
  made->base.lkey = made->base.rkey = ++everything().last_number;
  made->access = access;
  everything().regions.push_back(made);
  if (everything().time) everything().time->occupy(context::from(in->context), bytes);
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
  const lock hold{guard()};
  const card& on = *context::from(in->context).of;
  if (way->port_num < 1 || way->port_num > on.ports.size()) return refuse(EINVAL);
  // RoCE has no other address.
  if (on.ports[way->port_num - 1u].ethernet() && !way->is_global) return refuse(EINVAL);
  if (on.handles >= static_cast<std::size_t>(on.limits.max_ah)) return refuse(ENOMEM);
  ++context::from(in->context).of->handles;
  auto* const made = new address_handle;
  made->base.context = in->context;
  made->base.pd = in;
  made->way = *way;
  return &made->base;
}

int ibv_destroy_ah(ibv_ah* which) {
  const lock hold{guard()};
  --context::from(which->context).of->handles;
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
}
