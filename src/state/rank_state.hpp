// state/rank_state.hpp
// The page of this process (rank_page.hpp): makes it, and gives out its places.
//
// Layer    state: may include base/.
// Threads  any, but for the constructor.
// Errors   none: where the system gives no such file the same memory is this process's alone, so
//          that nothing needs to ask whether there is a page, and the log says so. Where there is
//          no place left, null.
// Source   memfd_create(2).
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "state/rank_page.hpp"

namespace peal::state {

[[nodiscard]] std::int64_t now_in_nanoseconds() noexcept;

class rank_state {
 public:
  rank_state(const std::string& job, int rank, int size);
  ~rank_state();
  rank_state(const rank_state&) = delete;
  rank_state& operator=(const rank_state&) = delete;

  [[nodiscard]] const rank_page& page() const noexcept { return *page_; }
  void enter(phase) noexcept;
  void has_helper() noexcept { page_->helper.store(1, std::memory_order_relaxed); }

  /// Of a lane; those beyond the last share that one.
  [[nodiscard]] lane_activity& activity(std::size_t lane) noexcept;

  /// Null: there is no room.
  [[nodiscard]] communicator_entry* add_communicator(std::uint32_t context, int rank,
                                                     int size) noexcept;
  void remove(communicator_entry&) noexcept;
  /// Cut to what there is room for.
  void name(communicator_entry&, std::string_view) noexcept;

  /// Null: there is no room. Not to be seen before publish.
  [[nodiscard]] wait_entry* add_wait() noexcept;
  void remove(wait_entry&) noexcept;

 private:
  rank_page* page_ = nullptr;
  int file_ = -1;
  std::mutex lock_;
  std::size_t next_ = 0;  // communicator to try first
};

/// While it lives the wait is being written, and readers look again.
class wait_writing {
 public:
  explicit wait_writing(wait_entry& what) noexcept : what_{what} {
    // relaxed: one writes; the fence keeps what is written from now on behind it.
    what_.sequence.store(what_.sequence.load(std::memory_order_relaxed) + 1,
                         std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
  }
  ~wait_writing() {
    what_.used.store(1, std::memory_order_relaxed);
    // release: pairs with the acquire of the reader.
    what_.sequence.store(what_.sequence.load(std::memory_order_relaxed) + 1,
                         std::memory_order_release);
  }
  wait_writing(const wait_writing&) = delete;
  wait_writing& operator=(const wait_writing&) = delete;

 private:
  wait_entry& what_;
};

}  // namespace peal::state
