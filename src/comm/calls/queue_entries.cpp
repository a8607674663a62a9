// The requests of completion queues: peal/detail/queue_entries.hpp.
#include "peal/detail/queue_entries.hpp"

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace peal::detail {

namespace {

struct ready_list {
  std::atomic<bool> some{false};
  std::mutex mutex;  // guards what follows
  std::deque<queue_entry*> over;
};

/// May come after the queue has gone; then no thread reads the list.
class notice final : public hook {
 public:
  notice(std::shared_ptr<ready_list> list, queue_entry* about) noexcept
      : list_{std::move(list)}, about_{about} {}

 private:
  void fire() override {
    const std::lock_guard guard{list_->mutex};
    list_->over.push_back(about_);
    list_->some.store(true, std::memory_order_release);  // pairs with wait()
  }
  std::shared_ptr<ready_list> list_;
  queue_entry* about_;
};

struct discarding {
  void operator()(sleeper* gone) const noexcept { discard(gone); }
};

}  // namespace

struct queue_entries::content {
  std::shared_ptr<ready_list> ready = std::make_shared<ready_list>();
  std::unordered_map<queue_entry*, std::unique_ptr<queue_entry>> entries;
  std::unique_ptr<sleeper, discarding> sleep;  // once it was asked for

  queue_entry* take() {
    const std::lock_guard guard{ready->mutex};
    if (ready->over.empty()) {
      ready->some.store(false, std::memory_order_relaxed);
      return nullptr;
    }
    queue_entry* first = ready->over.front();
    ready->over.pop_front();
    return first;
  }
  sleeper& own_sleeper(const location& where) {
    if (!sleep) sleep.reset(make_sleeper(where));
    return *sleep;
  }
  std::size_t handle(const location& where) {
    std::size_t handled = 0;
    while (queue_entry* next = take()) {
      const auto over = entries.extract(next);
      if (over.empty()) continue;  // handled after the end of the environment
      ++handled;
      over.mapped()->finish(where);
    }
    return handled;
  }
};

queue_entries::queue_entries(queue_entries&& from) noexcept
    : content_{std::exchange(from.content_, nullptr)} {}

queue_entries& queue_entries::operator=(queue_entries&& from) noexcept {
  queue_entries gone{std::move(from)};
  std::swap(content_, gone.content_);
  return *this;
}

queue_entries::~queue_entries() { delete content_; }

queue_entries::content& queue_entries::own() {
  if (!content_) content_ = new content;
  return *content_;
}

void queue_entries::add(queue_entry* added) {
  std::unique_ptr<queue_entry> made{added};
  content& mine = own();
  mine.entries.emplace(added, std::move(made));
  struct giver_back {
    notice* it;
    ~giver_back() { it->give_back(); }
  } told{new notice{mine.ready, added}};
  added->subscribe(*told.it);
}

std::size_t queue_entries::size() const noexcept { return content_ ? content_->entries.size() : 0; }

std::size_t queue_entries::poll(const location& where) {
  if (content_ && content_->sleep) progress_after(*content_->sleep);
  else progress();
  return content_ ? content_->handle(where) : 0;
}

std::size_t queue_entries::wait(time_point until, const location& where) {
  if (size() == 0) return 0;
  const auto some = [](void* list) {
    return static_cast<ready_list*>(list)->some.load(std::memory_order_acquire);
  };
  while (wait_until(some, content_->ready.get(), until))
    if (const std::size_t handled = content_->handle(where); handled != 0) return handled;
  if (job_running()) return 0;  // the time is over
  const auto left = content_->entries.extract(content_->entries.begin());
  left.mapped()->finish(where);
  return 1;
}

int queue_entries::event_fd(const location& where) {
  return descriptor_of(own().own_sleeper(where), where);
}

bool queue_entries::arm(const location& where) {
  const bool sleep = detail::arm(own().own_sleeper(where), where);
  // What ends after this look makes it readable.
  return sleep && !content_->ready->some.load(std::memory_order_acquire);
}

}  // namespace peal::detail
