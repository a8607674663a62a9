#include "state/rank_state.hpp"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "base/log.hpp"

namespace peal::state {

namespace {

void copy_cut(std::string_view text, std::span<char> into) noexcept {
  const std::size_t length = std::min(text.size(), into.size() - 1);
  std::memcpy(into.data(), text.data(), length);
  std::memset(into.data() + length, 0, into.size() - length);
}

}  // namespace

std::int64_t now_in_nanoseconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

rank_state::rank_state(const std::string& job, int rank, int size) {
  void* memory = MAP_FAILED;
  file_ = ::memfd_create(page_name, MFD_CLOEXEC);
  if (file_ >= 0 && ::ftruncate(file_, sizeof(rank_page)) == 0)
    memory = ::mmap(nullptr, sizeof(rank_page), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (memory == MAP_FAILED) {
    log_info("this rank cannot be seen by pealrun --attach and --hang-after: {}",
             std::strerror(errno));
    memory = ::operator new(sizeof(rank_page), std::align_val_t{alignof(rank_page)});
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }
  page_ = new (memory) rank_page;
  page_->version = page_version;
  page_->bytes = sizeof(rank_page);
  page_->rank = rank;
  page_->size = size;
  page_->process = ::getpid();
  page_->started = now_in_nanoseconds();
  copy_cut(job, page_->job);
  ::gethostname(page_->host.data(), page_->host.size() - 1);
  enter(phase::starting);
  // Last: a page without it is not looked at.
  std::atomic_ref{page_->magic}.store(page_magic, std::memory_order_release);
}

rank_state::~rank_state() {
  if (file_ >= 0) {
    ::munmap(page_, sizeof(rank_page));
    ::close(file_);
  } else {
    ::operator delete(page_, std::align_val_t{alignof(rank_page)});
  }
}

void rank_state::enter(phase next) noexcept {
  page_->now_since.store(now_in_nanoseconds(), std::memory_order_relaxed);
  page_->now.store(next, std::memory_order_release);
}

lane_activity& rank_state::activity(std::size_t lane) noexcept {
  return page_->lanes[std::min(lane, page_->lanes.size() - 1)];
}

communicator_entry* rank_state::add_communicator(std::uint32_t context, int rank,
                                                 int size) noexcept {
  const std::lock_guard<std::mutex> guard{lock_};
  auto& all = page_->communicators;
  for (std::size_t tried = 0; tried != all.size(); ++tried) {
    communicator_entry& each = all[(next_ + tried) % all.size()];
    if (each.used.load(std::memory_order_relaxed) != 0) continue;
    next_ = (next_ + tried + 1) % all.size();
    each.context = context;
    each.rank = rank;
    each.size = size;
    each.calls.store(0, std::memory_order_relaxed);
    each.name.fill('\0');
    each.used.store(1, std::memory_order_release);
    return &each;
  }
  page_->left_out.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

void rank_state::remove(communicator_entry& gone) noexcept {
  const std::lock_guard<std::mutex> guard{lock_};
  gone.used.store(0, std::memory_order_release);
}

void rank_state::name(communicator_entry& of, std::string_view text) noexcept {
  copy_cut(text, of.name);
}

wait_entry* rank_state::add_wait() noexcept {
  const std::lock_guard<std::mutex> guard{lock_};
  for (wait_entry& each : page_->waits) {
    // Taken, but being written: used is set with the first publication.
    if (each.used.load(std::memory_order_relaxed) != 0 || each.thread != 0) continue;
    each.thread = static_cast<std::uint32_t>(::gettid());
    return &each;
  }
  page_->left_out.fetch_add(1, std::memory_order_relaxed);
  return nullptr;
}

void rank_state::remove(wait_entry& over) noexcept {
  const std::lock_guard<std::mutex> guard{lock_};
  over.used.store(0, std::memory_order_release);
  over.thread = 0;
}

}  // namespace peal::state
