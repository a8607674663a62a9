#include "transport/self/self_transport.hpp"

#include <cstring>
#include <utility>

namespace peal {

bool self_transport::send(peer_id, envelope e, const void* payload) noexcept try {
  if (e.bytes() > 0 && queued_ + e.bytes() > most_queued) return false;
  std::vector<block> copy((e.bytes() + sizeof(block) - 1) / sizeof(block));
  if (e.bytes() > 0) std::memcpy(copy.data(), payload, e.bytes());
  queue_.push_back({e, std::move(copy)});
  queued_ += e.bytes();
  if (armed_) wakeup_->ring();  // another thread sleeps
  return true;
} catch (...) {  // no memory at the moment
  return false;
}

remote_region self_transport::expose(peer_id, const void* data, std::size_t bytes) noexcept {
  return {{reinterpret_cast<std::uintptr_t>(data), bytes, 0, 0}};
}

void self_transport::start_fetch(fetch& f) noexcept {
  if (f.absorb != nullptr)
    f.absorb(f, reinterpret_cast<const std::byte*>(f.where.words[0]), 0, f.bytes);
  else if (f.bytes > 0)
    // Sender's and receiver's buffer may be the same.
    std::memmove(f.into, reinterpret_cast<const void*>(f.where.words[0]), f.bytes);
  f.done(f, {});
}

bool self_transport::poll() noexcept {
  if (queue_.empty()) return false;
  // What is sent meanwhile comes with the next poll, so that two continuations that answer each
  // other do not keep us here.
  for (std::size_t count = queue_.size(); count > 0; --count) {
    const message next = std::move(queue_.front());
    queue_.pop_front();
    queued_ -= next.head.bytes();
    sink_->arrived(self_, next.head, reinterpret_cast<const std::byte*>(next.payload.data()));
  }
  return true;
}

}  // namespace peal
