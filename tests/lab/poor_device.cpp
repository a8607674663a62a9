// poor_device: to be preloaded (LD_PRELOAD): every RDMA device then has less than it has, and fails
// at will. For the lab, whose devices are generous and never refuse anything.
//
// POOR_DEVICE=word=number,... :
//   depth     work requests of a queue pair           srq      receives of a shared queue; 0: there
//   is no such queue
//   reads     READs under way on a queue pair         pieces   of a work request (its SGEs)
//   inline    bytes inline in a work request          cqe      entries of a completion queue
//   qp        queue pairs, as it tells                pairs    queue pairs (RC) that a process can
//   have at a time, untold
//   refuse    every so manieth post of messages takes half of its chain, and says that the queue is
//   full
//   refuse_bulk  the same of READs and WRITEs
//   break     at the so manieth post of an RC queue pair, half of the chain is posted, then the
//   queue pair goes into the error state
//   fatal     at the so manieth post of an RC queue pair the device tells that it gave that up
//   (which it did not); nothing else is told
//   lose      every so manieth datagram (UD) does not arrive     twice    the first of every so
//   manieth chain of them arrives twice
//   rank      only this rank is poor (by PMIX_RANK)
// A program may call `poor_device_break`, found with dlsym: all RC queue pairs of the process go
// into the error state.
//
// Threads  as libibverbs: posts of different queue pairs at the same time are fine.
// Errors   an unknown word ends the process with code 2: a test with a slip must not pass.
// Source   libibverbs calls post_send through ibv_context::ops, so it is replaced in every context
//          that is opened.
#include <dlfcn.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

// libibverbs declares these as macros in some versions.
#undef ibv_query_port

namespace {

struct limits {
  int depth = -1, srq = -1, reads = -1, pieces = -1, inline_bytes = -1, cqe = -1, refuse = -1,
      refuse_bulk = -1, break_at = -1, fatal = -1, lose = -1, twice = -1, rank = -1, qp = -1,
      pairs = -1;

  limits() {
    const char* const text = std::getenv("POOR_DEVICE");
    std::string words = text ? text : "";
    while (!words.empty()) {
      const std::string word = words.substr(0, words.find(','));
      words.erase(0, word.size() + 1);
      const std::string name = word.substr(0, word.find('='));
      int* const found = place_of(name);
      if (!found || name.size() == word.size()) {
        std::fprintf(stderr, "poor_device: no such word: %s\n", word.c_str());
        std::_Exit(2);
      }
      *found = std::atoi(word.c_str() + name.size() + 1);
    }
    const char* const own = std::getenv("PMIX_RANK");
    if (rank >= 0 && (!own || std::atoi(own) != rank))
      depth = srq = reads = pieces = inline_bytes = cqe = refuse = refuse_bulk = break_at = fatal =
          lose = twice = qp = pairs = -1;
  }

  int* place_of(const std::string& name) {
    if (name == "depth") return &depth;
    if (name == "srq") return &srq;
    if (name == "reads") return &reads;
    if (name == "pieces") return &pieces;
    if (name == "inline") return &inline_bytes;
    if (name == "cqe") return &cqe;
    if (name == "refuse") return &refuse;
    if (name == "refuse_bulk") return &refuse_bulk;
    if (name == "break") return &break_at;
    if (name == "fatal") return &fatal;
    if (name == "lose") return &lose;
    if (name == "twice") return &twice;
    if (name == "rank") return &rank;
    if (name == "qp") return &qp;
    if (name == "pairs") return &pairs;
    return nullptr;
  }
};

const limits& poor() {
  static const limits all;
  return all;
}

template <class Function>
Function* real(const char* name, Function*) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void lower(int& value, int limit) {
  if (limit >= 0) value = std::min(value, limit);
}

int (*post_send_of_device)(ibv_qp*, ibv_send_wr*, ibv_send_wr**) = nullptr;

struct {
  std::mutex guard;
  std::vector<ibv_qp*> all;
} pairs;  // reliable ones

void into_error(ibv_qp* which) {
  ibv_qp_attr error{};
  error.qp_state = IBV_QPS_ERR;
  ibv_modify_qp(which, &error, IBV_QP_STATE);
}

/// Instead of what the devices tell.
int events[2] = {-1, -1};

/// The kernel wants the real descriptor when something is made.
class real_events {
 public:
  explicit real_events(ibv_context* of) : of_{of}, told_{of->async_fd} {
    if (kernels >= 0) of_->async_fd = kernels;
  }
  ~real_events() { of_->async_fd = told_; }
  real_events(const real_events&) = delete;
  real_events& operator=(const real_events&) = delete;
  static inline int kernels = -1;

 private:
  ibv_context* const of_;
  const int told_;
};

void tell_of(ibv_qp* which) {
  ib_uverbs_async_event_desc told{};
  told.element = reinterpret_cast<std::uintptr_t>(which);
  told.event_type = IBV_EVENT_QP_FATAL;
  if (write(events[1], &told, sizeof told) != sizeof told) std::_Exit(2);
}

/// Posts the first half of a chain; the rest begins where this points to.
int post_half(ibv_qp* to, ibv_send_wr* chain, ibv_send_wr** rest, ibv_send_wr** refused) {
  int count = 0;
  for (ibv_send_wr* each = chain; each; each = each->next) ++count;
  ibv_send_wr* last = nullptr;
  *rest = chain;
  for (int each = 0; each < count / 2; ++each) last = *rest, *rest = last->next;
  if (!last) return 0;
  last->next = nullptr;
  const int failed = post_send_of_device(to, chain, refused);
  last->next = *rest;
  return failed;
}

/// A datagram with a wrong key is dropped by its receiver, without a word.
int post_datagram(ibv_qp* to, ibv_send_wr* chain, ibv_send_wr** refused) {
  static std::atomic<int> datagrams{0}, chains{0};
  for (ibv_send_wr* each = chain; each && poor().lose > 0; each = each->next)
    if (++datagrams % poor().lose == 0) each->wr.ud.remote_qkey ^= 1;
  // in order: the memory is still there for the second
  if (poor().twice > 0 && ++chains % poor().twice == 0) {
    ibv_send_wr once_more = *chain;
    once_more.next = nullptr;
    once_more.send_flags &= ~static_cast<unsigned>(IBV_SEND_SIGNALED);
    if (const int failed = post_send_of_device(to, &once_more, refused); failed != 0)
      return *refused = chain, failed;
  }
  return post_send_of_device(to, chain, refused);
}

int post_send(ibv_qp* to, ibv_send_wr* chain, ibv_send_wr** refused) {
  static std::atomic<int> posts{0}, messages{0}, parts{0}, before_fatal{0};
  if (to->qp_type == IBV_QPT_UD) return post_datagram(to, chain, refused);
  if (poor().fatal > 0 && ++before_fatal == poor().fatal) tell_of(to);
  ibv_send_wr* rest = nullptr;
  const bool message = chain->opcode == IBV_WR_SEND || chain->opcode == IBV_WR_SEND_WITH_IMM;
  const bool refused_now = message ? poor().refuse > 0 && ++messages % poor().refuse == 0
                                   : poor().refuse_bulk > 0 && ++parts % poor().refuse_bulk == 0;
  if (refused_now) {
    if (const int failed = post_half(to, chain, &rest, refused); failed != 0) return failed;
    *refused = rest;
    return ENOMEM;
  }
  if (poor().break_at > 0 && ++posts == poor().break_at) {
    if (const int failed = post_half(to, chain, &rest, refused); failed != 0) return failed;
    into_error(to);
    return post_send_of_device(to, rest, refused);
  }
  return post_send_of_device(to, chain, refused);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) void poor_device_break() {
  const std::lock_guard hold{pairs.guard};
  for (ibv_qp* each : pairs.all) into_error(each);
}

ibv_context* ibv_open_device(ibv_device* which) {
  static auto* const next = real("ibv_open_device", &ibv_open_device);
  ibv_context* const opened = next(which);
  if (opened) {
    post_send_of_device = opened->ops.post_send;
    opened->ops.post_send = post_send;
    if (poor().fatal > 0 && pipe2(events, O_CLOEXEC) == 0) {
      real_events::kernels = opened->async_fd;
      opened->async_fd = events[0];
    }
  }
  return opened;
}

// The kernel knows nothing of these events, and ibv_destroy_qp would wait for others.
void ibv_ack_async_event(ibv_async_event* event) {
  static auto* const next = real("ibv_ack_async_event", &ibv_ack_async_event);
  if (poor().fatal <= 0) next(event);
}

int ibv_query_device(ibv_context* of, ibv_device_attr* into) {
  static auto* const next = real("ibv_query_device", &ibv_query_device);
  const int failed = next(of, into);
  if (failed != 0) return failed;
  lower(into->max_qp_wr, poor().depth);
  lower(into->max_srq_wr, poor().srq);
  if (poor().srq == 0) into->max_srq = 0;
  lower(into->max_qp_rd_atom, poor().reads);
  lower(into->max_qp_init_rd_atom, poor().reads);
  lower(into->max_sge, poor().pieces);
  lower(into->max_cqe, poor().cqe);
  lower(into->max_qp, poor().qp);
  return 0;
}

ibv_qp* ibv_create_qp(ibv_pd* in, ibv_qp_init_attr* wanted) {
  static auto* const next = real("ibv_create_qp", &ibv_create_qp);
  const auto above = [](std::uint32_t value, int limit) {
    return limit >= 0 && value > static_cast<std::uint32_t>(limit);
  };
  const ibv_qp_cap& cap = wanted->cap;
  const bool reliable = wanted->qp_type == IBV_QPT_RC;
  if (reliable &&
      (above(cap.max_send_wr, poor().depth) || above(cap.max_recv_wr, poor().depth) ||
       above(cap.max_send_sge, poor().pieces) || above(cap.max_recv_sge, poor().pieces) ||
       above(cap.max_inline_data, poor().inline_bytes))) {
    errno = EINVAL;
    return nullptr;
  }
  if (reliable && poor().pairs >= 0) {
    const std::lock_guard hold{pairs.guard};
    if (pairs.all.size() >= static_cast<std::size_t>(poor().pairs)) {
      errno = ENOMEM;
      return nullptr;
    }
  }
  const real_events now{in->context};
  ibv_qp* const made = next(in, wanted);
  if (made && reliable) {
    const std::lock_guard hold{pairs.guard};
    pairs.all.push_back(made);
    if (poor().inline_bytes >= 0)
      wanted->cap.max_inline_data =
          std::min(cap.max_inline_data, static_cast<std::uint32_t>(poor().inline_bytes));
  }
  return made;
}

int ibv_destroy_qp(ibv_qp* which) {
  static auto* const next = real("ibv_destroy_qp", &ibv_destroy_qp);
  {
    const std::lock_guard hold{pairs.guard};
    std::erase(pairs.all, which);
  }
  return next(which);
}

ibv_srq* ibv_create_srq(ibv_pd* in, ibv_srq_init_attr* wanted) {
  static auto* const next = real("ibv_create_srq", &ibv_create_srq);
  if (poor().srq == 0 ||
      (poor().srq > 0 && wanted->attr.max_wr > static_cast<std::uint32_t>(poor().srq))) {
    errno = poor().srq == 0 ? EOPNOTSUPP : EINVAL;
    return nullptr;
  }
  const real_events now{in->context};
  ibv_srq* const made = next(in, wanted);
  // As many as asked for: a device may give more, and rxe does.
  if (made && poor().srq > 0)
    wanted->attr.max_wr = std::min(wanted->attr.max_wr, static_cast<std::uint32_t>(poor().srq));
  return made;
}

ibv_cq* ibv_create_cq(ibv_context* of, int entries, void* context, ibv_comp_channel* channel,
                      int vector) {
  static auto* const next = real("ibv_create_cq", &ibv_create_cq);
  const real_events now{of};
  return next(of, entries, context, channel, vector);
}

int ibv_resize_cq(ibv_cq* which, int entries) {
  static auto* const next = real("ibv_resize_cq", &ibv_resize_cq);
  if (poor().cqe >= 0 && entries > poor().cqe) return EINVAL;
  return next(which, entries);
}
}
