#include "transport/shm/incoming_boxes.hpp"

#include <algorithm>
#include <utility>

#include "progress/sources.hpp"

namespace peal::shm {

void incoming_boxes::swap(std::size_t one, std::size_t other) noexcept {
  if (one == other) return;
  std::swap(all_[one], all_[other]);
  all_[one].box.memory().place = static_cast<std::uint32_t>(one);
  all_[other].box.memory().place = static_cast<std::uint32_t>(other);
}

/// More boxes are polled than should be: senders are asked to tell.
void incoming_boxes::ask_if_many() noexcept {
  if (polled_ <= most_ || !relies_ || bells_->asks_for_news()) return;
  relies_ = bells_->ask_for_news(true);
}

std::size_t incoming_boxes::add(box& memory, peer_id from, std::uint32_t index) {
  const std::size_t position = all_.size();
  all_.push_back({box_reader{memory}, from, index, memory.first_cell});
  memory.place = static_cast<std::uint32_t>(position);
  // The notice of the opening is news, so nothing else is under way.
  const bool opened_by_news = memory.watch.is_by_news();
  if (opened_by_news && polled_ >= most_ && bells_->asks_for_news()) {
    memory.watch.set(box_watch::by_news);
    all_.back().told = true;
    ++news_;
    return position;
  }
  if (opened_by_news) memory.watch.set(box_watch::polled);
  swap(polled_, position);
  ++polled_;
  ask_if_many();
  return polled_ - 1;
}

std::size_t incoming_boxes::take_news(box& memory) noexcept {
  std::size_t position = memory.place;
  entry& found = all_[position];
  if (found.closed) return position;
  if (position >= polled_ && polled_ >= most_) {
    memory.watch.set(box_watch::by_news);
    ++news_;
    return position;
  }
  memory.watch.set(box_watch::polled);
  found.told = false;
  if (position >= polled_) poll_on(position), position = polled_ - 1;
  return position;
}

void incoming_boxes::poll_on(std::size_t position) noexcept {
  if (position < polled_) return;
  all_[position].seen = all_[position].box.position() - 1;  // not silent
  swap(polled_, position);
  ++polled_;
}

bool incoming_boxes::end(std::size_t position) noexcept {
  entry& ended = all_[position];
  ended.closed = ended.told && ended.box.memory().watch.set(box_watch::polled);
  return !ended.closed;
}

void incoming_boxes::remove(std::size_t position) noexcept {
  if (position < polled_) {
    swap(position, --polled_);
    position = polled_;
  }
  swap(position, all_.size() - 1);
  all_.pop_back();
  if (all_.size() == polled_ && polled_ <= most_ && bells_->asks_for_news())
    (void)bells_->ask_for_news(false);
}

incoming_boxes::range incoming_boxes::change() noexcept {
  news_ = 0;
  if (!relies_ || !bells_->asks_for_news()) return {0, 0};
  const std::size_t before = polled_;
  for (std::size_t each = 0; each < polled_;) {
    entry& one = all_[each];
    const bool silent = one.box.position() == one.seen;
    one.seen = one.box.position();
    if (!silent) {
      ++each;
      continue;
    }
    if (!one.told) one.box.memory().watch.set(box_watch::by_news);
    one.told = true;
    swap(each, --polled_);
  }
  if (polled_ == before) return {0, 0};
  if (!bells_->keep_apart()) {
    // They are polled on; the news that come are taken all the same.
    relies_ = false;
    polled_ = before;
    return {0, 0};
  }
  second_look_ = std::chrono::steady_clock::now() + progress_source::second_look;
  return {polled_, before};
}

}  // namespace peal::shm
