#include "transport/verbs/device/completion_channel.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/log.hpp"

namespace peal::verbs {

namespace {

/// Acknowledging takes a mutex.
constexpr unsigned acknowledged_at_a_time = 1024;

}  // namespace

void completion_queue_destroyer::operator()(ibv_cq* gone) const noexcept {
  if (auto* const known = static_cast<completion_channel::watched*>(gone->cq_context)) {
    if (known->unacknowledged > 0) ibv_ack_cq_events(gone, known->unacknowledged);
    std::erase_if(known->by->queues_, [=](const auto& each) { return each.get() == known; });
  }
  ibv_destroy_cq(gone);
}

completion_channel::completion_channel(ibv_context* of, unsigned vector) noexcept
    : context_{of},
      vector_{static_cast<int>(vector % static_cast<unsigned>(std::max(of->num_comp_vectors, 1)))},
      channel_{ibv_create_comp_channel(of)} {
  // The kernel makes it close-on-exec.
  if (channel_ && fcntl(channel_->fd, F_SETFL, O_NONBLOCK) != 0) {
    ibv_destroy_comp_channel(channel_);
    channel_ = nullptr;
  }
  if (!channel_)
    log_info("{} gives no completion channel ({}); waits do not sleep",
             ibv_get_device_name(of->device), std::strerror(errno));
}

completion_channel::~completion_channel() {
  if (channel_) ibv_destroy_comp_channel(channel_);
}

/// Providers lock an ordinary queue at each poll, since threads may share it.
ibv_cq* completion_channel::create(int entries, void* own, bool without_locks) noexcept {
  if (without_locks) {
    ibv_cq_init_attr_ex wanted{};
    wanted.cqe = static_cast<std::uint32_t>(entries);
    wanted.cq_context = own;
    wanted.channel = channel_;
    wanted.comp_vector = channel_ ? static_cast<std::uint32_t>(vector_) : 0;
    wanted.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
    wanted.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
    if (ibv_cq_ex* const made = ibv_create_cq_ex(context_, &wanted)) {
      ++without_locks_;
      return ibv_cq_ex_to_cq(made);
    }
    log_debug("{} gives no completion queue without locks: {}",
              ibv_get_device_name(context_->device), std::strerror(errno));
  }
  return ibv_create_cq(context_, entries, own, channel_, channel_ ? vector_ : 0);
}

completion_queue completion_channel::make(int entries, bool without_locks) {
  if (!channel_) return completion_queue{create(entries, nullptr, without_locks)};
  auto fresh = std::make_unique<watched>();
  fresh->by = this;
  queues_.reserve(queues_.size() + 1);
  fresh->queue = create(entries, fresh.get(), without_locks);
  completion_queue made{nullptr};
  if (!fresh->queue) return made;
  queues_.push_back(std::move(fresh));
  made.reset(queues_.back()->queue);
  return made;
}

// At worst the old request lives, and an event more comes.
void completion_channel::resized(ibv_cq& which) noexcept {
  auto* const known = static_cast<watched*>(which.cq_context);
  if (known && known->asked && ibv_req_notify_cq(&which, 0) != 0) known->asked = false;
}

bool completion_channel::arm() noexcept {
  if (!channel_) return false;
  // All have been asked since the last sleep: if one has answered, it must be asked again.
  if (std::ranges::all_of(queues_, [](const auto& each) { return each->asked; }))
    (void)read_event();
  for (const auto& each : queues_) {
    if (each->asked) continue;
    // Any completion, not only those that their sender marked: what was sent makes room, and errors
    // come in the same way.
    if (ibv_req_notify_cq(each->queue, 0) != 0) return false;
    each->asked = true;
  }
  return true;
}

bool completion_channel::read_event() noexcept {
  ibv_cq* from = nullptr;
  void* context = nullptr;
  if (ibv_get_cq_event(channel_, &from, &context) != 0) return false;
  auto& known = *static_cast<watched*>(context);
  known.asked = false;
  ++events_;
  if (++known.unacknowledged == acknowledged_at_a_time) {
    ibv_ack_cq_events(from, known.unacknowledged);
    known.unacknowledged = 0;
  }
  return true;
}

}  // namespace peal::verbs
