// transport/shm/incoming_boxes.hpp
// The boxes that this process reads: those that it polls, and those that it reads when their
// senders tell it to (box_watch in layout.hpp).
//
// As long as there are few, all are polled, and senders tell nothing. Where there are more, those
// that were silent make room for those that have news.
//
// Layer    transport/shm.
// Threads  one.
// Errors   none. Where senders cannot be relied on to tell, all boxes are polled.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/contract.hpp"
#include "transport/shm/bells.hpp"
#include "transport/shm/box.hpp"

namespace peal::shm {

class incoming_boxes {
 public:
  struct entry {
    box_reader box;
    peer_id from;
    std::uint32_t index;  // local, of the sender
    std::uint32_t seen;   // messages read when all that are polled were looked at
    bool told = false;    // the watch says `by_news`, of one that is polled too
    bool closed = false;  // read to its end, and given back when its news come
  };

  /// So many are polled. A poll that finds nothing looks at a line of each, some 64 of which are in
  /// the first-level cache beside others'.
  static constexpr std::uint32_t most_polled = 16;
  /// So many boxes that had news while as many were polled share the barrier of the change, which
  /// costs some 8 us.
  static constexpr std::uint32_t news_before_change = 64;

  incoming_boxes(bells& ringer, std::uint32_t most) noexcept : bells_{&ringer}, most_{most} {}

  /// Those before this position are polled.
  [[nodiscard]] std::size_t polled_count() const noexcept { return polled_; }
  [[nodiscard]] std::size_t count() const noexcept { return all_.size(); }
  [[nodiscard]] entry& operator[](std::size_t position) noexcept { return all_[position]; }

  /// A sender has opened it. The position, to be read at once. Without memory it throws
  /// std::bad_alloc, and nothing has changed.
  std::size_t add(box&, peer_id from, std::uint32_t index);
  /// Its sender has told of it. The position, to be read at once, or to be given back if `closed`.
  std::size_t take_news(box&) noexcept;
  /// There was more to read than was read: it is polled from now on.
  void poll_on(std::size_t position) noexcept;
  /// It was read to its end. False: news of it are under way, and it is not to be given back
  /// before.
  [[nodiscard]] bool end(std::size_t position) noexcept;
  /// It is given back. Another takes the position.
  void remove(std::size_t position) noexcept;

  /// Whether some of those that are polled are to make room.
  [[nodiscard]] bool wants_change() const noexcept { return news_ >= news_before_change; }
  /// Whether more are polled than should be.
  [[nodiscard]] bool polls_too_many() const noexcept { return polled_ > most_; }
  struct range {
    std::size_t first, end;
  };
  using time_point = std::chrono::steady_clock::time_point;
  /// Those that were silent since the last change are polled no more. They have these positions,
  /// and have to be read once more.
  [[nodiscard]] range change() noexcept;
  /// When those that are not polled are to be read once more, as a sleeper does
  /// (progress_source::second_look): what the barrier of the last change has not made visible is
  /// visible by then. The end of time: they need not.
  [[nodiscard]] time_point second_look() const noexcept { return second_look_; }
  void no_second_look() noexcept { second_look_ = time_point::max(); }

 private:
  void swap(std::size_t one, std::size_t other) noexcept;
  void ask_if_many() noexcept;

  bells* bells_;
  std::uint32_t most_;
  std::vector<entry> all_;
  std::size_t polled_ = 0;
  std::uint32_t news_ = 0;
  bool relies_ = true;  // on what senders tell
  time_point second_look_ = time_point::max();
};

}  // namespace peal::shm
