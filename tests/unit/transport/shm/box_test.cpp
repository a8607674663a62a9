#include "transport/shm/box.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace {

using peal::envelope;
using peal::envelope_kind;
using peal::shm::box;
using peal::shm::box_reader;
using peal::shm::box_writer;

/// The ends of a pair of boxes that one thread holds, and the way in which a transport polls them.
struct end {
  end(box& out, box& in) : writer{out, {.says = &receiver}}, reader{in} {}

  void send(std::int32_t tag, const std::vector<std::byte>& payload) {
    const envelope head = envelope::make(0, tag, 0, envelope_kind::eager, payload.size());
    while (!writer.write(head, payload.data())) std::this_thread::yield();
  }
  /// Whether a message of this tag came next, with the payload expected.
  bool receive(std::int32_t tag, const std::vector<std::byte>& expected) {
    for (;;) {
      const std::uint32_t kind = reader.next_kind();
      if (kind <= peal::shm::closing) break;
      if (kind == peal::shm::begun) reader.warm_up();
      std::this_thread::yield();
    }
    box_reader::message got{};
    if (reader.peek(got) != box_reader::state::message) return false;
    const bool same = got.head.tag() == tag && got.head.bytes() == expected.size() &&
                      std::equal(expected.begin(), expected.end(), got.payload);
    reader.pop();
    reader.publish_some();
    return same;
  }

  peal::shm::attention receiver{};
  box_writer writer;
  box_reader reader;
};

std::vector<std::byte> payload_of(int number, std::size_t bytes) {
  std::vector<std::byte> made(bytes);
  for (std::size_t at = 0; at < bytes; ++at)
    made[at] = static_cast<std::byte>(static_cast<std::size_t>(number) * 31 + at * 7);
  return made;
}

/// About where payloads begin to go in parts, and every seventh one anything up to the longest.
std::size_t length_of(int number) {
  const auto each = static_cast<std::size_t>(number);
  if (number % 7 == 0) return each * 4099 % peal::shm::longest_eager + 1;
  return peal::shm::least_in_parts - 64 + each * 37 % 1088;
}

// They go in parts or past the caches, in turns; sanitizers see both ends here.
TEST(box, long_answers_arrive_whole) {
  constexpr int rounds = 4000;
  const auto boxes = std::make_unique<std::array<box, 2>>();
  end here{(*boxes)[0], (*boxes)[1]};
  int wrong_there = 0;
  std::thread other{[&] {
    end there{(*boxes)[1], (*boxes)[0]};
    for (int each = 0; each < rounds; ++each) {
      wrong_there += !there.receive(each, payload_of(each, length_of(each)));
      there.send(each, payload_of(each + 1, length_of(each)));
    }
  }};
  int wrong_here = 0;
  for (int each = 0; each < rounds; ++each) {
    here.send(each, payload_of(each, length_of(each)));
    wrong_here += !here.receive(each, payload_of(each + 1, length_of(each)));
  }
  other.join();
  EXPECT_EQ(wrong_here, 0);
  EXPECT_EQ(wrong_there, 0);
}

TEST(box, long_streams_arrive_whole) {
  constexpr int count = 4000;
  const auto boxes = std::make_unique<std::array<box, 2>>();
  int wrong = 0;
  std::thread other{[&] {
    end there{(*boxes)[1], (*boxes)[0]};
    for (int each = 0; each < count; ++each)
      wrong += !there.receive(each, payload_of(each, length_of(each)));
  }};
  end here{(*boxes)[0], (*boxes)[1]};
  for (int each = 0; each < count; ++each) here.send(each, payload_of(each, length_of(each)));
  other.join();
  EXPECT_EQ(wrong, 0);
}

// With less, a payload that begins anywhere might find no room in a ring that is empty.
TEST(box, a_ring_holds_two_of_the_longest_payload_that_it_takes) {
  const auto memory = std::make_unique<box>();
  end both{*memory, *memory};
  both.writer.set_units(peal::shm::first_units);
  constexpr std::size_t half = peal::shm::first_units * peal::shm::unit / 2;
  for (int each = 0; each < 3000; ++each) {
    const auto payload = payload_of(each, half - static_cast<std::size_t>(each) * 31 % half);
    const envelope head = envelope::make(0, each, 0, envelope_kind::eager, payload.size());
    // A lap that ends with little memory asks for more now and then, and goes on without it.
    ASSERT_TRUE(both.writer.write(head, payload.data()) || both.writer.write(head, payload.data()));
    ASSERT_TRUE(both.receive(each, payload));
    both.reader.publish_all();
  }
  const auto payload = payload_of(1, half + 1);
  const envelope head = envelope::make(0, 0, 0, envelope_kind::eager, payload.size());
  EXPECT_TRUE(both.writer.lacks_units(payload.size()));
  EXPECT_TRUE(both.writer.wants_units(payload.size()));
  EXPECT_FALSE(both.writer.write(head, payload.data()));
  both.writer.set_units(2 * peal::shm::first_units);
  EXPECT_FALSE(both.writer.lacks_units(payload.size()));
  EXPECT_TRUE(both.writer.write(head, payload.data()));
}

/// Where in the ring the payload lies that the reader is to see next.
std::size_t place_of_next(const box& memory, box_reader& reader) {
  box_reader::message got{};
  EXPECT_EQ(reader.peek(got), box_reader::state::message);
  return static_cast<std::size_t>(got.payload - memory.data);
}

// Where each message is answered few lines go to and fro; where many are under way all of the ring
// is used.
TEST(box, a_ring_of_which_everything_was_read_begins_anew) {
  const auto memory = std::make_unique<box>();
  end both{*memory, *memory};
  constexpr std::size_t ring = peal::shm::units_per_box * peal::shm::unit;
  constexpr std::size_t bytes = 1024, few = 8 * bytes;
  const auto payload = payload_of(1, bytes);
  const auto write = [&] {
    return both.writer.write(envelope::make(0, 1, 0, envelope_kind::eager, bytes), payload.data());
  };
  for (int turn = 0; turn < 2; ++turn) {
    for (std::size_t each = 0; each < 2 * ring / bytes; ++each) {
      ASSERT_TRUE(write());
      ASSERT_LT(place_of_next(*memory, both.reader), few) << each;
      ASSERT_TRUE(both.receive(1, payload));
      both.reader.publish_all();
    }
    std::size_t under_way = 0, furthest = 0;
    while (write()) ++under_way;
    EXPECT_GT(under_way, (ring - few) / bytes);
    for (std::size_t each = 0; each < under_way; ++each) {
      furthest = std::max(furthest, place_of_next(*memory, both.reader));
      ASSERT_TRUE(both.receive(1, payload));
    }
    EXPECT_EQ(furthest, ring - bytes);
    both.reader.publish_all();
    // Whose lap ends where it would have without the answers, or before.
    for (std::size_t each = 0; each < ring / bytes; ++each) {
      ASSERT_TRUE(write());
      ASSERT_TRUE(both.receive(1, payload));
      both.reader.publish_all();
    }
  }
}

/// Messages that are answered one by one, and how far the ring goes round with them.
struct answered_messages {
  static constexpr std::size_t lap = 8192;
  static constexpr std::size_t ring = peal::shm::units_per_box * peal::shm::unit;

  std::unique_ptr<box> memory = std::make_unique<box>();
  end both{*memory, *memory};
  std::vector<std::byte> payload;
  std::size_t last = 0;     // the place of the message before
  std::size_t stretch = 0;  // bytes since the end of a short lap
  bool arrived = true;

  explicit answered_messages(std::size_t bytes) : payload{payload_of(1, bytes)} {}

  void send_one() {
    both.send(1, payload);
    const std::size_t place = place_of_next(*memory, both.reader);
    stretch = place <= last && last + payload.size() <= lap ? 0 : stretch + payload.size();
    last = place;
    arrived = arrived && both.receive(1, payload);
    both.reader.publish_all();
  }
  [[nodiscard]] bool goes_far() const { return stretch > lap; }
};

// Behind as many bytes where the ring has little memory, and its laps are short.
TEST(box, messages_above_1_KiB_go_round_the_whole_ring_and_try_few_lines) {
  for (const std::uint32_t units : {peal::shm::units_per_box, peal::shm::units_per_box / 4})
    for (const std::size_t bytes : {std::size_t{1024}, std::size_t{1025}, std::size_t{4096},
                                    answered_messages::lap, answered_messages::lap + 1}) {
      answered_messages some{bytes};
      some.both.writer.set_units(units);
      std::size_t longest = 0;
      bool few = false;
      for (std::size_t written = 0; written < 8 * some.ring; written += bytes) {
        some.send_one();
        longest = std::max(longest, some.stretch);
      }
      EXPECT_EQ(longest > 7 * some.ring, bytes > 1024) << bytes << ' ' << units;
      for (std::size_t written = 0; written < 4 * some.ring; written += bytes) {
        some.send_one();
        few = few || some.stretch == 0;
      }
      EXPECT_EQ(few, bytes <= some.lap) << bytes << ' ' << units;
      EXPECT_TRUE(some.arrived);
    }
}

// Also where few lines are faster otherwise.
TEST(box, what_goes_past_the_caches_goes_round_the_whole_ring) {
  answered_messages some{4096};
  const auto send_one = [&] {
    some.send_one();
    if (!some.goes_far()) return;
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds{50};
    while (std::chrono::steady_clock::now() < end) continue;
  };
  for (std::size_t near = 0; near < 3 * some.ring;) {
    send_one();
    near = some.goes_far() ? 0 : near + some.payload.size();
  }
  // A trial of the whole ring is of two, one of the way past the caches of four, of those of a turn
  // of write_choice. It comes at the latest when as many turns are over as lie between trials.
  std::size_t longest = 0;
  const std::size_t enough = 160 * peal::shm::write_choice::turn_bytes;
  for (std::size_t written = 0; written < enough && longest < 3 * some.ring;
       written += some.payload.size()) {
    send_one();
    longest = std::max(longest, some.stretch);
  }
  EXPECT_EQ(longest >= 3 * some.ring, peal::can_copy_past_caches());
  EXPECT_TRUE(some.arrived);
}

// Short messages by the shortest way, as p2p takes it, between others; sanitizers see both ends.
TEST(box, short_messages_keep_their_order_on_both_ways) {
  constexpr int rounds = 40000;
  constexpr auto length = [](int number) { return static_cast<std::size_t>(number) * 7 % 60; };
  const auto boxes = std::make_unique<std::array<box, 2>>();
  int wrong = 0;
  std::thread other{[&] {
    end there{(*boxes)[1], (*boxes)[0]};
    for (int each = 0; each < rounds; ++each)
      wrong += !there.receive(each, payload_of(each, length(each)));
  }};
  end here{(*boxes)[0], (*boxes)[1]};
  int by_the_shortest_way = 0;
  for (int each = 0; each < rounds; ++each) {
    const auto payload = payload_of(each, length(each));
    if (each % 3 != 0 && here.writer.takes(payload.size())) {
      here.writer.write_short(envelope::make(0, each, 0, envelope_kind::eager, payload.size()),
                              payload.data(), payload.size());
      ++by_the_shortest_way;
    } else {
      here.send(each, payload);
    }
  }
  other.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(by_the_shortest_way, 0);
}

TEST(box, the_shortest_way_is_for_short_messages_that_are_wanted_and_have_room) {
  const auto memory = std::make_unique<box>();
  box_writer closed;
  EXPECT_FALSE(closed.takes(0));

  end both{*memory, *memory};
  EXPECT_TRUE(both.writer.takes(0));
  EXPECT_TRUE(both.writer.takes(peal::shm::inline_payload));
  EXPECT_FALSE(both.writer.takes(peal::shm::inline_payload + 1));
  both.receiver.refuses_eager = 1;
  EXPECT_FALSE(both.writer.takes(8));
  both.receiver.refuses_eager = 0;

  for (std::uint32_t each = 0; each < peal::shm::cells_per_box; ++each) {
    ASSERT_TRUE(both.writer.takes(8));
    const auto payload = payload_of(static_cast<int>(each), 8);
    both.writer.write_short(envelope::make(0, static_cast<int>(each), 0, envelope_kind::eager, 8),
                            payload.data(), 8);
  }
  EXPECT_FALSE(both.writer.takes(8));
  for (std::uint32_t each = 0; each < peal::shm::cells_per_box; ++each)
    EXPECT_TRUE(both.receive(static_cast<int>(each), payload_of(static_cast<int>(each), 8)));
  both.send(-1, payload_of(1, 8));  // looks how much room there is
  EXPECT_TRUE(both.writer.takes(8));
}

// Who has only read the first part has no message yet, and loses nothing by looking.
TEST(box, a_message_that_has_begun_is_none_yet) {
  const auto memory = std::make_unique<box>();
  box_reader reader{*memory};
  peal::shm::cell& first = memory->cells[0];
  const envelope head = envelope::make(0, 5, 0, envelope_kind::eager, 4000);
  const auto payload = payload_of(1, 4000);
  std::memcpy(memory->data, payload.data(), peal::shm::first_part(4000));
  first.match = head.match;
  first.rest = head.rest;
  first.stamp.store(peal::shm::lap_of(0) | peal::shm::begun, std::memory_order_release);

  box_reader::message got{};
  EXPECT_EQ(reader.next_kind(), peal::shm::begun);
  reader.warm_up();
  EXPECT_EQ(reader.peek(got), box_reader::state::empty);
  reader.warm_up();
  reader.publish_all();
  EXPECT_EQ(memory->consumed.load(), 0u);

  std::memcpy(memory->data + peal::shm::first_part(4000),
              payload.data() + peal::shm::first_part(4000), 4000 - peal::shm::first_part(4000));
  first.stamp.store(peal::shm::lap_of(0) | peal::shm::in_ring, std::memory_order_release);
  ASSERT_EQ(reader.peek(got), box_reader::state::message);
  EXPECT_EQ(std::memcmp(got.payload, payload.data(), 4000), 0);
}

TEST(box, the_first_part_is_whole_lines_within_the_payload) {
  for (std::size_t bytes = peal::shm::least_in_parts; bytes <= 8192; ++bytes) {
    EXPECT_EQ(peal::shm::first_part(bytes) % peal::cache_line, 0u);
    EXPECT_LE(peal::shm::first_part(bytes), bytes);
  }
}

}  // namespace
