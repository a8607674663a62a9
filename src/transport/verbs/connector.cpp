#include "transport/verbs/connector.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>

#include "base/log.hpp"

namespace peal::verbs {

namespace {

using std::chrono::milliseconds;

// Long against a round trip, even of an emulated device; doubled up to a second, so that a thousand waiting ranks do not flood one.
constexpr milliseconds first_pause{20};
constexpr milliseconds longest_pause{1000};
constexpr std::chrono::seconds complaint_after{20};
/// Each takes the kernel a second or more.
constexpr int most_searches = 8;

std::uint64_t random_word() {
  std::random_device source;
  return std::uint64_t{source()} << 32 | source();
}

std::uint8_t reads(int limit) noexcept { return static_cast<std::uint8_t>(std::clamp(limit, 0, 16)); }

}  // namespace

connector::connector(lane& shared, connections& all, sender& out, handshake_port& port, peer_id self, hooks told)
    : lane_{shared}, all_{all}, sender_{out}, self_{self}, hooks_{std::move(told)}, port_{port} {
  own_.handshake_qp = port_.number();
  own_.handshake_key = port_.key();
  own_.lid = shared.on.port().lid;
  own_.mtu = static_cast<std::uint8_t>(shared.on.port().active_mtu);
  own_.link_layer = shared.on.port().link_layer;
  own_.gid = shared.on.gid().bytes;
  own_.incarnation = random_word();
  own_.job = {random_word(), random_word()};
}

void connector::meet(std::vector<std::optional<address>> everyone) {
  everyone_ = std::move(everyone);
  last_attempts_.resize(everyone_.size());
  if (!everyone_.empty() && everyone_.front()) job_ = everyone_.front()->job;
}

// ---- making

connection* connector::make(peer_id to) noexcept {
  auto made = std::make_unique<connection>();
  const auto refuse = [&](const char* what) {
    for (const slot_id each : made->own_receives) lane_.slots.give_back(each);
    lane_.leave_room();
    if (hooks_.full(to)) return nullptr;
    log_error("no connection to rank {}: {} {}: {}", to, lane_.on.name(), what, std::strerror(errno));
    hooks_.refused(to);
    return nullptr;
  };
  if (!lane_.make_room()) {
    if (hooks_.full(to)) return nullptr;
    log_error("no connection to rank {}: no room for its messages", to);
    hooks_.refused(to);
    return nullptr;
  }
  made->control = lane_.make_control();
  if (!made->control) return refuse("gives no queue pair");
  for (; made->bulk_count < lane_.set.bulk; ++made->bulk_count) {
    made->bulk[made->bulk_count].pair = lane_.make_bulk();
    made->bulk[made->bulk_count].under_way.reserve(lane_.set.read_depth);
    if (!made->bulk[made->bulk_count].pair) return refuse("gives no queue pair for bulk data");
  }
  if (!lane_.fill(*made->control, made->own_receives)) return refuse("takes no receives");
  made->sent.reserve(lane_.set.send_depth);
  made->window = static_cast<std::uint16_t>(lane_.set.window);
  made->own_psn = static_cast<std::uint32_t>(random_word()) & 0xffffff;
  made->attempt = ++attempts_;
  ++lane_.counted.connections;
  return &all_.add(to, std::move(made));
}

void connector::start(peer_id to) noexcept {
  if (to >= everyone_.size() || !everyone_[to]) {
    log_error("rank {} has told no address for RDMA: it has no device, or runs another version of peal", to);
    hooks_.refused(to);
    return;
  }
  if (everyone_[to]->link_layer != own_.link_layer) {
    log_error("rank {} is on {}, this rank on {}: their devices share no network; choose others with PEAL_VERBS_DEVICE", to,
              everyone_[to]->link_layer == IBV_LINK_LAYER_ETHERNET ? "Ethernet" : "InfiniBand",
              own_.link_layer == IBV_LINK_LAYER_ETHERNET ? "Ethernet" : "InfiniBand");
    hooks_.refused(to);
    return;
  }
  connection* made = make(to);
  if (!made) return;
  made->meeting = std::make_unique<handshake>();
  made->meeting->since = clock::now();
  waiting_.push_back(made);
  send_and_repeat(*made, packet(*made, handshake_kind::request, 0));
}

handshake_packet connector::packet(const connection& of, handshake_kind kind, std::uint32_t answers) const noexcept {
  handshake_packet made;
  made.job = job_;
  made.from_incarnation = own_.incarnation;
  made.to_incarnation = everyone_[of.peer]->incarnation;
  made.from = self_;
  made.to = of.peer;
  made.control_qp = of.control->qp_num;
  for (std::uint8_t each = 0; each < of.bulk_count; ++each) made.bulk_qp[each] = of.bulk[each].pair->qp_num;
  made.first_psn = of.own_psn;
  made.attempt = of.attempt;
  made.your_attempt = answers;
  made.credits = of.window;
  made.kind = kind;
  made.mtu = own_.mtu;
  made.bulk_count = of.bulk_count;
  made.reads_out = reads(lane_.on.limits().max_qp_init_rd_atom);
  made.reads_in = reads(lane_.on.limits().max_qp_rd_atom);
  made.refuses_eager = sender_.refuses_eager();
  return made;
}

// ---- packets

int connector::send(const handshake_packet& what) noexcept { return port_.send(what.to, *everyone_[what.to], &what, sizeof what); }

void connector::send_and_repeat(connection& to, const handshake_packet& what) noexcept {
  handshake& mine = *to.meeting;
  mine.last = what;
  mine.pause = first_pause;
  mine.repeat_at = clock::now() + mine.pause;
  if (const int failed = send(what); failed != 0 && !worth_another_try(mine, failed)) give_up(to, "cannot be reached", failed);
}

/// Finding the peer's place in the network takes packets too, which may be lost.
bool connector::worth_another_try(handshake& of, int why) noexcept {
  return (why == ETIMEDOUT || why == ENETUNREACH || why == EHOSTUNREACH) && ++of.searches < most_searches;
}

void connector::cancel(connection& of) noexcept {
  forget(of);
  hooks_.removed(of);
}

bool connector::repeat(clock::time_point now) noexcept {
  bool moved = false;
  for (std::size_t each = 0; each < waiting_.size();) {
    connection& of = *waiting_[each];
    handshake& mine = *of.meeting;
    if (now >= mine.repeat_at) {
      mine.pause = std::min(mine.pause * 2, longest_pause);
      mine.repeat_at = now + mine.pause;
      ++lane_.counted.handshakes_repeated;
      moved = true;
      if (!mine.complained && now - mine.since > complaint_after) {
        mine.complained = true;
        log_warning("rank {} ({}) has not answered for {} s: it computes without calling peal, or no network leads to it from {}", of.peer,
                    to_text(everyone_[of.peer]->gid), complaint_after.count(), to_text(own_.gid));
      }
      // One that waits for a request to come again has nothing to repeat.
      if (const int failed = mine.last.attempt != 0 ? send(mine.last) : 0; failed != 0 && !worth_another_try(mine, failed)) {
        give_up(of, "cannot be reached", failed);
        continue;  // another stands in its place now
      }
    }
    ++each;
  }
  return moved;
}

bool connector::trusts(const handshake_packet& said) const noexcept {
  return said.magic == handshake_packet::mark && said.job == job_ && said.to == self_ && said.from < everyone_.size() &&
         said.from != self_ && everyone_[said.from] && said.from_incarnation == everyone_[said.from]->incarnation &&
         said.to_incarnation == own_.incarnation && said.bulk_count >= 1 && said.bulk_count <= most_bulk && said.credits > 0 &&
         said.mtu >= IBV_MTU_256 && said.mtu <= IBV_MTU_4096;
}

void connector::got(const std::byte* packet, std::size_t bytes) noexcept {
  handshake_packet said;
  if (bytes == sizeof said) std::memcpy(&said, packet, sizeof said);
  if (bytes != sizeof said || !trusts(said)) {
    ++lane_.counted.packets_refused;
    return;
  }
  connection* const known = all_.of(said.from);
  switch (said.kind) {
    case handshake_kind::request: requested(said); return;
    case handshake_kind::reply: replied(said); return;
    case handshake_kind::acknowledge:
      if (known && known->attempt == said.your_attempt) heard(*known);
      return;
    case handshake_kind::gone:
      if (known && known->state == connection_state::answered && known->attempt == said.your_attempt) cancel(*known);
      return;
  }
  ++lane_.counted.packets_refused;
}

void connector::requested(const handshake_packet& said) noexcept {
  connection* known = all_.of(said.from);
  const bool is_new = static_cast<std::int32_t>(said.attempt - last_attempts_[said.from]) > 0;
  if (known && is_new && known->over()) {  // the other side has taken it away already
    hooks_.removed(*known);
    known = nullptr;
  }
  if (!known) {
    if (!is_new || !hooks_.admits(said.from)) return;
    known = make(said.from);
    if (!known) return;
    known->meeting = std::make_unique<handshake>();
    known->meeting->since = clock::now();
    waiting_.push_back(known);
    answer(*known, said);
  } else if (known->state == connection_state::requesting) {
    if (!is_new) return;
    const bool asked_nobody = known->meeting->last.attempt == 0;  // and could not answer yet
    if (said.from < self_ || asked_nobody) answer(*known, said);
    else (void)send(known->meeting->last);  // it may have had no room when ours came first; now it waits for it
  } else if (known->state != connection_state::lost && known->remote_attempt == said.attempt) {
    // It has not got our reply.
    (void)send(packet(*known, handshake_kind::reply, said.attempt));
  }
}

void connector::answer(connection& to, const handshake_packet& said) noexcept {
  if (!learn(to, said)) {
    // The request comes again.
    if (const int why = errno; !worth_another_try(*to.meeting, why)) give_up(to, "does not fit", why);
    return;
  }
  to.state = connection_state::answered;
  send_and_repeat(to, packet(to, handshake_kind::reply, said.attempt));
}

void connector::replied(const handshake_packet& said) noexcept {
  connection* known = all_.of(said.from);
  if (!known || known->attempt != said.your_attempt) {
    replied_in_vain(said);
    return;
  }
  if (known->state == connection_state::requesting) {
    if (!learn(*known, said) || !begin_sending(*known)) {
      if (const int why = errno; !worth_another_try(*known->meeting, why)) give_up(*known, "does not fit", why);
      return;
    }
    open(*known);
  }
  if (known->state == connection_state::open && known->remote_attempt == said.attempt)
    (void)send(packet(*known, handshake_kind::acknowledge, said.attempt));
}

/// The request was given up; whoever answered it shall not wait.
void connector::replied_in_vain(const handshake_packet& said) noexcept {
  handshake_packet made;
  made.job = job_;
  made.from_incarnation = own_.incarnation;
  made.to_incarnation = everyone_[said.from]->incarnation;
  made.from = self_;
  made.to = said.from;
  made.your_attempt = said.attempt;
  made.credits = 1;
  made.kind = handshake_kind::gone;
  made.mtu = own_.mtu;
  made.bulk_count = 1;
  (void)send(made);
}

void connector::heard(connection& from) noexcept {
  if (from.state != connection_state::answered) return;
  if (begin_sending(from)) open(from);
  else give_up(from, "does not fit", errno);
}

// ---- steps of the queue pairs

bool connector::learn(connection& of, const handshake_packet& said) noexcept {
  of.remote.number = said.control_qp;
  of.remote.first_psn = said.first_psn;
  of.remote.mtu = std::min(said.mtu, own_.mtu);
  of.remote.reads_in = std::min(reads(lane_.on.limits().max_qp_rd_atom), said.reads_out);
  of.remote.reads_out = std::min(reads(lane_.on.limits().max_qp_init_rd_atom), said.reads_in);
  of.remote.route = lane_.on.route_to(everyone_[of.peer]->gid, everyone_[of.peer]->lid);
  of.remote_bulk = said.bulk_qp;
  of.credits = said.credits;
  of.refuses_eager = said.refuses_eager != 0;
  of.read_limit = std::max<std::uint32_t>(1, of.remote.reads_out);
  // Both sides use as many as the one with fewer.
  of.bulk_count = std::min(of.bulk_count, said.bulk_count);
  if (!ready_to_receive(*of.control, of.remote)) return false;
  for (std::uint8_t each = 0; each < of.bulk_count; ++each) {
    remote_queue remote = of.remote;
    remote.number = of.remote_bulk[each];
    if (!ready_to_receive(*of.bulk[each].pair, remote)) return false;
  }
  last_attempts_[of.peer] = of.remote_attempt = said.attempt;
  return true;
}

bool connector::begin_sending(connection& of) noexcept {
  if (!ready_to_send(*of.control, of.remote, of.own_psn, lane_.set.silence)) return false;
  for (std::uint8_t each = 0; each < of.bulk_count; ++each)
    if (!ready_to_send(*of.bulk[each].pair, of.remote, of.own_psn, lane_.set.silence)) return false;
  return true;
}

void connector::open(connection& of) noexcept {
  of.state = connection_state::open;
  forget(of);
  hooks_.opened(of);
}

void connector::forget(connection& gone) noexcept {
  if (!gone.meeting) return;
  const auto found = std::find(waiting_.begin(), waiting_.end(), &gone);
  *found = waiting_.back();
  waiting_.pop_back();
  gone.meeting.reset();
}

void connector::give_up(connection& on, const char* what, int why) noexcept {
  // Linux says that a connection timed out where no neighbour answers, be it on another network.
  const char* const hint = why == ETIMEDOUT || why == ENETUNREACH || why == EHOSTUNREACH
                               ? "; perhaps their devices share no network: choose others with PEAL_VERBS_DEVICE or PEAL_VERBS_GID"
                               : "";
  log_error("no connection to rank {}: {} {} from {}: {}{}", on.peer, to_text(everyone_[on.peer]->gid), what, to_text(own_.gid),
            std::strerror(why), hint);
  forget(on);
  on.state = connection_state::lost;
  hooks_.refused(on.peer);
}

}  // namespace peal::verbs
