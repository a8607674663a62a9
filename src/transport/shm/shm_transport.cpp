#include "transport/shm/shm_transport.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/log.hpp"
#include "transport/shm/inbox.hpp"

namespace peal {
namespace {

/// Messages read from one box before the other boxes have their turn.
constexpr std::uint32_t messages_a_turn = 64;
/// Turns of poll between two looks at the clock, so that its 20 to 40 ns do not count. A process
/// that yields its core at each turn comes round in time all the same.
constexpr std::uint32_t turns_a_look = 256;

/// A payload that takes long to pack is unpacked meanwhile where it is announced, and afterwards
/// where it goes through a box. Beyond this length that counts for more than the announcement, but
/// for blocks of this length, which are packed as quickly as they are copied. AMD EPYC of family
/// 26, quick, µs by a box and announced: 16 KiB of a struct 4.0 and 3.4, of an inner array 1.1 and
/// 1.2, of every fourth double 1.6 and 2.6; 32 KiB of them 8.1 and 6.3, 2.0 and 1.7, 2.9 and 3.0.
constexpr std::size_t longest_packed = 16 << 10, quick_block = 1024;
/// Memory of all boxes of a process up to which a message beyond the eager limit gets more.
constexpr std::size_t most_for_long = 8 << 20;

/// Where processes share cores, to ask the sender for help costs more than it brings up to here.
/// Two cores of an Intel Xeon (family 6, model 207), 4 ranks, µs alone and by both sides (medians
/// of 5): alltoall of 64 KiB 50 and 67, 128 KiB 130 and 172, 256 KiB 255 and 304, 512 KiB 577 and
/// 576; scatter of 128 and 512 KiB 33 and 38, 225 and 150, gather 34 and 36, 218 and 167.
constexpr std::size_t longest_alone_on_shared_cores = 256 << 10;

shm::fetcher::policy policy_of(const shm_options& settings) noexcept {
  shm::fetcher::policy made{.usual = shm::way::staged,
                            .learns = settings.copy == shm_copy::automatic && !settings.apart,
                            .between_cores = settings.between_cores};
  if (settings.copy == shm_copy::automatic && settings.cores_shared)
    made.longest_alone = longest_alone_on_shared_cores;
  if (settings.copy == shm_copy::alone) made.usual = shm::way::alone;
  else if (settings.copy == shm_copy::direct || settings.apart) made.usual = shm::way::together;
  return made;
}

}  // namespace

shm_transport::shm_transport(node_segment& segment, sink& into, std::span<const peer_id> peers,
                             const shm_options& settings)
    : transport{shm::eager_limit, shm::longest_eager},
      node_access{segment, shm::parts::of(segment, segment.index()).blocks,
                  shm::parts::most_block_bytes,
                  segment.at<shm::front>(segment.front(segment.index()).offset)->learnt},
      parts_{shm::parts::of(segment, segment.index())},
      sink_{&into},
      settings_{settings},
      front_{segment.at<shm::front>(segment.front(segment.index()).offset)},
      peers_(peers.begin(), peers.end()),
      channels_(peers.size()),
      parcels_{segment},
      bells_{segment, settings.bell, settings.membarrier},
      incoming_{bells_, settings.most_polled},
      direct_{segment, settings.copy != shm_copy::pipeline},
      fetcher_{segment, direct_, bells_, policy_of(settings)},
      helper_{segment, direct_, bells_},
      boxes_{segment, parts_, settings.most_boxes} {
  const peer_id highest = peers_.empty() ? 0 : *std::max_element(peers_.begin(), peers_.end());
  local_index_.resize(std::size_t{highest} + 1);
  for (std::size_t each = 0; each < peers_.size(); ++each)
    local_index_[peers_[each]] = static_cast<std::uint32_t>(each);
}

void shm_transport::set_wants_eager(bool wants) noexcept {
  front_->says.refuses_eager.store(wants ? 0 : 1, std::memory_order_relaxed);
}

// ---- sending

bool shm_transport::send_parcel(channel& out, envelope e, const void* payload) noexcept {
  if (out.failed) return true;  // to a dead peer: it is dropped
  if (e.bytes() > shm::eager_limit) [[unlikely]]
    return false;
  if (++out.sent % settings_.box_after == 0 && open_box(out)) return out.box.write(e, payload);
  if (out.parcels >= shm::parts::parcels_per_peer) return refused();
  shm::parcel* const item = parcels_.take(e.bytes());
  if (item == nullptr) return refused();
  ++out.parcels;
  ++counters_.parcels;
  item->link.kind = shm::inbox_kind::parcel;
  item->link.from = static_cast<std::uint32_t>(segment().index());
  item->head = e;
  if (e.bytes() > 0) std::memcpy(item + 1, payload, e.bytes());
  shm::push(segment(), bells_.front_of(index_of(out)).inbox, item->link);
  bells_.message_for(index_of(out));
  return true;
}

/// The box had no room, or could do with more.
bool shm_transport::write_with_more(channel& out, envelope e, const void* payload) noexcept {
  if (e.bytes() > shm::eager_limit) return write_long_with_more(out, e, payload);
  if (!out.box.wants_units(e.bytes())) return refused();
  if (boxes_.grow(out.box_number)) out.box.set_units(boxes_.units(out.box_number));
  return out.box.write(e, payload) || refused();
}

/// One that is announced where the box does not get enough memory for it.
bool shm_transport::write_long_with_more(channel& out, envelope e, const void* payload) noexcept {
  if (!out.box.wants_units(e.bytes())) return refused();
  return gets_long(out, e.bytes()) && (out.box.write(e, payload) || refused());
}

/// More memory for the box, as one so long wants it. False: not enough.
bool shm_transport::gets_long(channel& out, std::size_t bytes) noexcept {
  if (!out.box.wants_units(bytes)) return false;
  do {
    if (boxes_.bytes() >= most_for_long || !boxes_.grow(out.box_number)) break;
    out.box.set_units(boxes_.units(out.box_number));
  } while (out.box.lacks_units(bytes));
  return !out.box.lacks_units(bytes);
}

bool shm_transport::send_packed(peer_id to, envelope e, const detail::packer& from) noexcept {
  channel& out = channels_[local_index_[to]];
  if (!wants_eager(to) || !out.box.open()) return false;
  if (e.bytes() > longest_packed && from.blocks.length < quick_block) return false;
  return out.box.write_packed(e, from) ||
         (gets_long(out, e.bytes()) && out.box.write_packed(e, from));
}

bool shm_transport::open_box(channel& out) noexcept {
  const int number = boxes_.take();
  if (number < 0) {
    close_idle_box();
    return false;
  }
  shm::box& memory = boxes_.at(number);
  receiver to = bells_.to(index_of(out));
  to.ringer = this;
  try {
    out.box = shm::box_writer{memory, to, boxes_.units(number)};
  } catch (const std::bad_alloc&) {
    boxes_.put_back(number);
    return false;
  }
  ++counters_.boxes_opened;
  out.box_number = static_cast<std::int16_t>(number);
  memory.first_cell = out.box.position();
  memory.first_unit = out.box.unit_position();
  memory.watch.open((to.says->asks.load(std::memory_order_relaxed) & shm::for_news) != 0);
  memory.link.kind = shm::inbox_kind::box_opened;
  memory.link.from = static_cast<std::uint32_t>(segment().index());
  shm::push(segment(), bells_.front_of(index_of(out)).inbox, memory.link);
  return true;
}

/// The receiver sleeps, or it asks to be told of what it does not poll.
void shm_transport::ring(int index) noexcept {
  channel& out = channels_[static_cast<std::size_t>(index)];
  if (out.box.open()) {
    shm::box& memory = boxes_.at(out.box_number);
    if (memory.watch.must_tell()) {
      ++counters_.news;
      memory.link.kind = shm::inbox_kind::box_news;
      memory.link.from = static_cast<std::uint32_t>(segment().index());
      shm::push(segment(), bells_.front_of(index_of(out)).inbox, memory.link);
    }
  }
  bells_.ring(index);
}

/// Asks the next of the open boxes, and closes it if nothing went through it since it was last
/// asked. Only one each time: where a process sends to more peers than it has boxes, to one as
/// often as to another, all are written between two questions, and none changes hands in vain.
void shm_transport::close_idle_box() noexcept {
  for (std::size_t tried = 0; tried < channels_.size(); ++tried) {
    channel& each = channels_[clock_hand_++ % channels_.size()];
    if (!each.box.open()) continue;
    if (each.box.is_idle(shm::box_writer::for_others)) close(each, false);
    return;
  }
}

void shm_transport::close(channel& out, bool idle) noexcept {
  boxes_.closing(out.box_number, idle);
  count_short(out);
  out.box.close();
  ++counters_.boxes_closed;
  counters_.boxes_idle += idle;
  out.box_number = -1;
  out.sent = 0;
}

void shm_transport::count_short(channel& out) noexcept {
  if (short_messages_ == nullptr || !out.box.open()) return;
  // Written by this process alone.
  const std::uint64_t before = short_messages_->load(std::memory_order_relaxed);
  short_messages_->store(before + out.box.take_uncounted(), std::memory_order_relaxed);
}

/// Counts what was written to open boxes. When the last look is some time ago: closes the boxes
/// that were not written since, and gives the memory of those back that others were to have, and
/// did not take.
[[gnu::noinline]] void shm_transport::look_for_idle_boxes() noexcept {
  turns_ = 0;
  if (boxes_.bytes() == 0) return;
  for (channel& each : channels_) count_short(each);
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_at_ < settings_.idle_after) return;
  looked_at_ = now;
  for (channel& each : channels_) {
    if (each.box.open() && each.box.is_idle(shm::box_writer::for_silence)) close(each, true);
  }
  boxes_.look_for_unused();
}

// ---- receiving

bool shm_transport::poll() noexcept {
  bool moved = false;
  for (std::size_t each = 0; each < incoming_.polled_count(); ++each) {
    shm::box_reader& box = incoming_[each].box;
    const std::uint32_t kind = box.next_kind();
    if (kind <= shm::closing) {
      moved |= read_box(each) != was_read::nothing;
      continue;
    }
    if (kind == shm::begun) [[unlikely]]
      box.warm_up();
    // Nothing to do: the sender may want to know that it has it whole.
    if (box.publish_all()) bells_.room_for(incoming_[each].index);
  }
  if (front_->inbox.load(std::memory_order_relaxed) != 0) [[unlikely]]
    moved |= read_notes();
  if (fetcher_.busy()) moved |= fetcher_.step();
  if (helper_.busy()) moved |= helper_.step();
  if (++turns_ == turns_a_look) [[unlikely]] {
    look_for_idle_boxes();
    if (unread_ != 0) try_unread();
    if (incoming_.polls_too_many()) change_polled();
    moved |= look_at_told();
  }
  return moved;
}

shm_transport::was_read shm_transport::read_box(std::size_t position) noexcept {
  shm::box_reader& box = incoming_[position].box;
  const peer_id from = incoming_[position].from;
  shm::box_reader::message message;
  std::uint32_t count = 0;
  bool by_runs = true;
  while (count < messages_a_turn) {
    // Either call starts no read_box and adds no box: both happen in poll only.
    if (by_runs) {
      const short_run run = box.next_run(messages_a_turn - count);
      const std::uint32_t taken = sink_->arrived_short(run);
      box.pop(taken);
      count += taken;
      if (taken > 0 && box.publish_some()) bells_.room_for(incoming_[position].index);
      if (taken == run.most) continue;
      // Where the sink takes one by one it is not asked before each.
      by_runs = taken > 0;
    }
    const auto state = box.peek(message);
    if (state == shm::box_reader::state::message) [[likely]] {
      sink_->arrived(from, message.head, message.payload);
      box.pop();
      ++count;
      if (box.publish_some()) bells_.room_for(incoming_[position].index);
      continue;
    }
    if (state == shm::box_reader::state::empty) break;
    if (incoming_.end(position)) give_back(position);
    return was_read::to_its_end;
  }
  if (count == 0) return was_read::nothing;
  return count < messages_a_turn ? was_read::some : was_read::in_part;
}

void shm_transport::give_back(std::size_t position) noexcept {
  shm::box& memory = incoming_[position].box.memory();
  const std::uint32_t owner = incoming_[position].index;
  memory.link.kind = shm::inbox_kind::box_closed;
  memory.link.from = static_cast<std::uint32_t>(segment().index());
  incoming_.remove(position);
  shm::push(segment(), bells_.front_of(owner).inbox, memory.link);
  bells_.room_for(owner);
}

/// Reads a box that may be one that is not polled.
bool shm_transport::read_told(std::size_t position) noexcept {
  const was_read how = read_box(position);
  if (how == was_read::in_part) {
    incoming_.poll_on(position);
    return true;
  }
  if (how == was_read::to_its_end || position < incoming_.polled_count()) return true;
  // No turn comes to it that finds it empty.
  if (incoming_[position].box.publish_all()) bells_.room_for(incoming_[position].index);
  return how != was_read::nothing;
}

/// Some boxes make room among those that are polled.
[[gnu::noinline]] void shm_transport::change_polled() noexcept {
  const auto [first, end] = incoming_.change();
  (void)read_told(first, end);
}

/// Once more, a while after the last change.
bool shm_transport::look_at_told() noexcept {
  if (incoming_.second_look() == shm::incoming_boxes::time_point::max() ||
      incoming_.second_look() > std::chrono::steady_clock::now())
    return false;
  incoming_.no_second_look();
  return read_told(incoming_.polled_count(), incoming_.count());
}

/// Those from the first position on that are not polled.
bool shm_transport::read_told(std::size_t first, std::size_t end) noexcept {
  bool moved = false;
  for (std::size_t each = first; each < std::min(end, incoming_.count());) {
    const std::size_t before = incoming_.count();
    moved |= read_told(each);
    if (incoming_.count() == before) ++each;  // else another one has come here
  }
  return moved;
}

bool shm_transport::read_notes() noexcept {
  std::uint64_t next = shm::take(segment(), front_->inbox);
  bool any = false;
  while (next != 0) {
    shm::inbox_entry& each = *segment().at<shm::inbox_entry>(next);
    next = each.next;  // taking a note may give it to another process
    any |= take_note(each);
  }
  if (incoming_.wants_change()) change_polled();
  return any;
}

/// False where no thread of this process may have waited for it.
bool shm_transport::take_note(shm::inbox_entry& item) noexcept {
  const std::uint32_t from = item.from;
  switch (item.kind) {
    case shm::inbox_kind::parcel: {
      auto& message = reinterpret_cast<shm::parcel&>(item);
      sink_->arrived(peers_[from], message.head, reinterpret_cast<const std::byte*>(&message + 1));
      item.kind = shm::inbox_kind::parcel_back;
      item.from = static_cast<std::uint32_t>(segment().index());
      if (channels_[from].failed) return true;
      shm::push(segment(), bells_.front_of(from).inbox, item);
      bells_.room_for(from);
      return true;
    }
    case shm::inbox_kind::parcel_back:
      --channels_[from].parcels;
      parcels_.put_back(reinterpret_cast<shm::parcel&>(item));
      return wants_room_;
    case shm::inbox_kind::box_opened: return take_opened(item);
    case shm::inbox_kind::box_news: {
      const std::size_t position = incoming_.take_news(reinterpret_cast<shm::box&>(item));
      if (incoming_[position].closed) give_back(position);
      else (void)read_told(position);
      return true;
    }
    case shm::inbox_kind::box_closed:
      boxes_.put_back(boxes_.number_of(reinterpret_cast<shm::box&>(item)));
      return wants_room_;
    case shm::inbox_kind::transfer:
      if (!channels_[from].failed) helper_.add(reinterpret_cast<shm::transfer&>(item));
      return true;
  }
  return true;
}

/// Where there is no memory to note that the box is read, it waits. Its sender sends nothing past
/// it, and its link is this process's until it is given back.
bool shm_transport::take_opened(shm::inbox_entry& item) noexcept {
  try {
    (void)read_told(incoming_.add(reinterpret_cast<shm::box&>(item), peers_[item.from], item.from));
  } catch (const std::bad_alloc&) {
    item.next = unread_;
    unread_ = segment().offset_of(&item);
  }
  return true;
}

void shm_transport::try_unread() noexcept {
  for (std::uint64_t next = std::exchange(unread_, 0); next != 0;) {
    shm::inbox_entry& each = *segment().at<shm::inbox_entry>(next);
    next = each.next;
    (void)take_opened(each);
  }
}

// ---- sleep

bool shm_transport::arm() noexcept {
  if (!bells_.able() || fetcher_.impatient() || unread_ != 0) return false;
  armed_ = true;
  for (channel& each : channels_) count_short(each);
  bells_.begin_sleep(wants_room_);
  return true;
}

void shm_transport::disarm() noexcept {
  if (armed_) bells_.end_sleep();
  turns_ = turns_a_look - 1;  // after a system call the clock costs little
  armed_ = false;
  wants_room_ = false;  // the next poll tries again what was refused
}

/// What is sent waits for room.
bool shm_transport::refused() noexcept {
  if (armed_ && !wants_room_) bells_.ring_oneself();  // another thread sleeps, but not for room
  wants_room_ = true;
  return false;
}

void shm_transport::start_fetch(fetch& f) noexcept {
  const std::uint32_t from = local_index_[f.from];
  if (channels_[from].failed) return f.done(f, errc::peer_failed);
  fetcher_.start(f, static_cast<int>(from));
  if (armed_) bells_.ring_oneself();
}

void shm_transport::leave() noexcept {
  front_->says.left.store(1, std::memory_order_release);
  segment().note_leaving();
  for (std::size_t each = 0; each < channels_.size(); ++each)
    bells_.message_for(static_cast<int>(each));
}

// ---- failure

void shm_transport::peer_failed(peer_id peer) noexcept {
  const std::uint32_t index = local_index_[peer];
  channel& out = channels_[index];
  out.failed = true;
  if (out.box.open()) {
    out.box.abandon(boxes_.at(out.box_number));  // the dead reads no more
    boxes_.put_back(out.box_number);
    out.box_number = -1;
  }
  fetcher_.peer_failed(static_cast<int>(index));
  helper_.peer_failed(static_cast<int>(index));
}

void shm_transport::report(std::vector<counter>& into) const {
  into.push_back(
      {"shm.boxes_opened", counters_.boxes_opened, "boxes given to pairs of ranks that talk"});
  into.push_back({"shm.boxes_closed", counters_.boxes_closed,
                  "boxes taken back for other pairs, or since they were idle"});
  into.push_back({"shm.boxes_idle", counters_.boxes_idle,
                  "boxes taken back since they were idle: their memory is given back"});
  into.push_back({"shm.box_bytes", boxes_.bytes(), "bytes of memory that the boxes have now"});
  into.push_back(
      {"shm.most_box_bytes", boxes_.most_bytes(), "the most bytes that the boxes had at a time"});
  into.push_back(
      {"shm.peer_bytes", idle_peer_bytes, "bytes of state for a rank of the node that is idle"});
  into.push_back({"shm.news", counters_.news,
                  "times that a rank was told of messages in a box that it does not poll"});
  into.push_back({"shm.parcels", counters_.parcels, "messages sent outside of boxes"});
  const auto& fetched = fetcher_.counts();
  into.push_back({"shm.copied_alone", fetched[0], "large payloads that the receiver copied"});
  into.push_back({"shm.copied_together", fetched[1], "large payloads that both sides copied"});
  into.push_back(
      {"shm.copied_staged", fetched[2] + fetched[3], "large payloads that went through a ring"});
}

}  // namespace peal
