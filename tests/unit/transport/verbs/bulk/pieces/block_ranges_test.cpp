// Payloads in blocks at equal distances, which are moved without being packed, on cards of this
// process's own.
#include "transport/verbs/bulk/pieces/block_ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "memory/unmap_hooks.hpp"
#include "peal/error.hpp"
#include "transport/verbs/bulk/fetcher.hpp"
#include "transport/verbs/bulk/payload_header.hpp"
#include "unit/transport/verbs/bulk/pieces/busy_hosts.hpp"
#include "unit/transport/verbs/double/ends.hpp"
#include "unit/transport/verbs/double/injection.hpp"
#include "unit/transport/verbs/double/objects.hpp"
#include "unit/transport/verbs/double/timeline.hpp"

namespace {

using namespace peal;
using namespace peal::test;
using verbs_double::picoseconds;

constexpr std::byte gap{0xa5};  // what lies between blocks, and stays as it is

/// Blocks that are a payload together.
struct field {
  std::vector<std::byte> memory;
  detail::strided_blocks blocks;
  std::size_t bytes;

  field(std::size_t length, std::size_t stride, std::size_t all) : bytes{all} {
    const std::size_t count = (all + length - 1) / length;
    memory.assign(count * stride + 100, gap);
    blocks = {memory.data() + 50, length, stride};
  }
  [[nodiscard]] std::byte& operator[](std::size_t at) const {
    return blocks.first[at / blocks.length * blocks.stride + at % blocks.length];
  }
  void fill(const std::vector<std::byte>& with) const {
    for (std::size_t each = 0; each < bytes; ++each) (*this)[each] = with[each];
  }
  [[nodiscard]] bool holds(const std::vector<std::byte>& wanted, std::size_t length) const {
    std::vector<std::byte> expected(memory.size(), gap);
    const auto offset = static_cast<std::size_t>(blocks.first - memory.data());
    for (std::size_t each = 0; each < length; ++each)
      expected[offset + each / blocks.length * blocks.stride + each % blocks.length] = wanted[each];
    return memory == expected;
  }
};

/// Takes its host as long as the wire takes, for each byte, and counts them.
constexpr picoseconds packing_byte = 100;
struct field_packer : detail::packer {
  const field& of;
  const verbs_double::card& host;
  mutable std::size_t packed = 0;
  field_packer(const field& from, const verbs_double::card& on) : of{from}, host{on} {
    blocks = from.blocks;
    pack = [](const packer& self, std::size_t at, void* to, std::size_t bytes) noexcept {
      const auto& mine = static_cast<const field_packer&>(self);
      for (std::size_t each = 0; each < bytes; ++each)
        static_cast<std::byte*>(to)[each] = mine.of[at + each];
      mine.packed += bytes;
      verbs_double::occupy(mine.host, static_cast<picoseconds>(bytes) * packing_byte);
    };
  }
};
struct field_fetch : tracked_fetch {
  const field& to;
  const verbs_double::card& host;
  std::size_t unpacked = 0;
  field_fetch(const remote_region& region, const field& target, std::size_t length,
              const verbs_double::card& on)
      : tracked_fetch{1, region, nullptr, length}, to{target}, host{on} {
    blocks = &target.blocks;
    absorb = [](fetch& f, const std::byte* data, std::size_t at, std::size_t count) noexcept {
      auto& mine = *static_cast<field_fetch*>(f.context);
      for (std::size_t each = 0; each < count; ++each) mine.to[at + each] = data[each];
      mine.unpacked += count;
      verbs_double::occupy(mine.host, static_cast<picoseconds>(count) * packing_byte);
    };
  }
};

class verbs_blocks : public verbs_on_busy_hosts {
 protected:
  static constexpr std::size_t bytes = 1 << 20;
  const std::vector<std::byte> payload = pattern(bytes, 7);

  void begin_and_meet(std::size_t least, verbs_options settings = {}) {
    settings.set.blocks = least;
    if (settings.set.rendezvous == rendezvous_mode::automatic)
      settings.set.rendezvous = rendezvous_mode::read;
    begin(2, settings);
    meet(0, 1);
  }
  void announce(const remote_region& where) {
    const std::size_t before = got(0).size();
    const envelope e = envelope::make(0, 1, 2, envelope_kind::announce, sizeof where);
    ASSERT_TRUE(wait_busily([&] { return at(1).send(0, e, &where); }));
    ASSERT_TRUE(wait_busily([&] { return got(0).size() > before; }));
  }
  /// From blocks of rank 1 to blocks of rank 0; what was packed, and unpacked.
  std::pair<std::size_t, std::size_t> transfer(const field& from, field& to, std::size_t length) {
    std::fill(to.memory.begin(), to.memory.end(), gap);
    const field_packer source{from, *cards[1]};
    const remote_region where = at(1).expose_packed(0, source, from.bytes);
    announce(where);
    field_fetch made{where, to, length, *cards[0]};
    at(0).start_fetch(made);
    EXPECT_TRUE(wait_busily([&] { return made.calls > 0; }));
    EXPECT_FALSE(made.error);
    EXPECT_EQ(made.calls, 1);
    at(1).withdraw(0, where);
    EXPECT_TRUE(to.holds(payload, length));
    return {source.packed, made.unpacked};
  }
  const field known_from{8192, 10'000, bytes};
  field known_to{8192, 10'000, bytes};
  /// Those were moved once then, so that they are not packed any more.
  void begin_and_know() {
    begin_and_meet(4096);
    known_from.fill(payload);
    (void)transfer(known_from, known_to, bytes);
  }
  remote_region expose_known(const field_packer& source) {
    const remote_region where = at(1).expose_packed(0, source, bytes);
    EXPECT_TRUE(peal::verbs::exposed::in_blocks(where));
    return where;
  }
  /// From one block of rank 1 to blocks of rank 0; what was unpacked.
  std::size_t transfer_whole(field& to) {
    std::fill(to.memory.begin(), to.memory.end(), gap);
    const remote_region where = at(1).expose(0, payload.data(), bytes);
    announce(where);
    field_fetch made{where, to, bytes, *cards[0]};
    at(0).start_fetch(made);
    EXPECT_TRUE(wait_busily([&] { return made.calls > 0; }));
    at(1).withdraw(0, where);
    EXPECT_TRUE(to.holds(payload, bytes));
    return made.unpacked;
  }
  /// From blocks of rank 1 to one block of rank 0; what was packed.
  std::size_t transfer_to_whole(const field& from) {
    std::vector<std::byte> target(bytes);
    const field_packer source{from, *cards[1]};
    const remote_region where = at(1).expose_packed(0, source, bytes);
    announce(where);
    tracked_fetch made{1, where, target.data(), bytes};
    at(0).start_fetch(made);
    EXPECT_TRUE(wait_busily([&] { return made.calls > 0; }));
    at(1).withdraw(0, where);
    EXPECT_TRUE(target == payload);
    return source.packed;
  }
};

TEST_F(verbs_blocks, are_moved_without_being_packed_when_they_come_again) {
  if (!use_unmap_hooks().work) GTEST_SKIP() << "registrations end with their use here";
  begin_and_meet(4096);
  std::deque<field> all;  // in different places
  for (const std::size_t length : {4096u, 5000u, 8192u, 65536u, 300'000u})
    for (const std::size_t other : {4096u, 4104u, 70'000u, 524'288u}) {
      const field& from = all.emplace_back(length, 2 * length + 24, bytes);
      field& to = all.emplace_back(other, other + 8, bytes);
      from.fill(payload);
      EXPECT_EQ(transfer(from, to, bytes), std::pair(bytes, bytes)) << "what is new is packed";
      const std::uint64_t before = count(0, "verbs.read_bytes");
      for (int again = 0; again < 3; ++again)
        EXPECT_EQ(transfer(from, to, bytes), (std::pair<std::size_t, std::size_t>{}))
            << length << ' ' << other;
      EXPECT_EQ(count(0, "verbs.read_bytes") - before, 3 * bytes);
    }
  EXPECT_EQ(count(1, "verbs.staged_bytes"), 0u);
}

TEST_F(verbs_blocks, of_one_side_are_enough) {
  begin_and_meet(4096);
  const field from{6000, 10'000, bytes};
  field to{9000, 9001, bytes};
  from.fill(payload);
  EXPECT_EQ(transfer_to_whole(from), bytes);
  EXPECT_EQ(transfer_whole(to), bytes);
  const std::uint64_t before = count(0, "verbs.reads");
  EXPECT_EQ(transfer_to_whole(from), 0u);
  EXPECT_EQ(count(0, "verbs.reads") - before, (bytes + 5999) / 6000) << "a READ for each block";
  EXPECT_EQ(transfer_whole(to), 0u);
  EXPECT_EQ(count(0, "verbs.reads") - before, (bytes + 5999) / 6000 + (bytes + 71'999) / 72'000)
      << "a READ is spread over eight blocks";
}

TEST_F(verbs_blocks, less_than_all_may_be_wanted) {
  begin_and_meet(4096);
  const field from{5000, 10'000, bytes};
  field to{7000, 7700, bytes};
  from.fill(payload);
  for (const std::size_t length : {bytes, bytes, std::size_t{100}, std::size_t{5000},
                                   std::size_t{5001}, std::size_t{14'000}, bytes - 1})
    (void)transfer(from, to, length);
}

TEST_F(verbs_blocks, that_are_short_or_far_apart_or_unwanted_are_packed) {
  for (const std::size_t least : {std::size_t{0}, std::size_t{4096}}) {
    begin_and_meet(least);
    const field shortest{4095, 5000, bytes}, far{4096, 17 * 4096, bytes};
    field to{4095, 5000, bytes};
    for (const field* from : {&shortest, &far})
      for (int again = 0; again < 3; ++again) {
        from->fill(payload);
        EXPECT_EQ(transfer(*from, to, bytes), std::pair(bytes, bytes));
      }
  }
  begin_and_meet(0);
  const field from{65536, 70'000, bytes};
  field to{65536, 70'000, bytes};
  from.fill(payload);
  for (int again = 0; again < 3; ++again)
    EXPECT_EQ(transfer(from, to, bytes), std::pair(bytes, bytes));
}

TEST_F(verbs_blocks, a_device_that_spreads_no_reads_gets_one_for_each_block) {
  verbs_double::remove_cards();
  for (const int pieces : {0, 1, 3}) {
    begin_and_meet(4096);
    for (verbs_double::card* each : cards) each->limits.max_sge_rd = pieces;
    ends.clear();
    verbs_options settings;
    settings.set.blocks = 4096;
    settings.set.rendezvous = rendezvous_mode::read;
    for (peer_id each = 0; each < 2; ++each) open(cards[each]->device.name, 2, settings);
    meet_all();
    meet(0, 1);
    field to{4096, 5000, bytes};
    (void)transfer_whole(to);
    const std::uint64_t before = count(0, "verbs.reads");
    EXPECT_EQ(transfer_whole(to), 0u);
    const auto spread = static_cast<std::size_t>(std::max(pieces, 1));
    EXPECT_EQ(count(0, "verbs.reads") - before, (bytes / 4096 + spread - 1) / spread);
  }
}

TEST_F(verbs_blocks, what_cannot_be_registered_is_packed) {
  for (const bool at_source : {false, true})
    for (const bool at_target : {false, true}) {
      begin_and_meet(4096);
      const field from{8192, 10'000, bytes};
      field to{8192, 10'000, bytes};
      from.fill(payload);
      (void)transfer(from, to, bytes);
      for (const peer_id end : {0u, 1u})
        if (end == 0 ? at_target : at_source)
          cards[end]->refuses_region = [](std::size_t length) { return length > bytes + 8192; };
      const auto [packed, unpacked] = transfer(from, to, bytes);
      EXPECT_EQ(packed, at_source ? bytes : 0u);
      EXPECT_EQ(unpacked, at_target ? bytes : 0u);
      EXPECT_EQ(count(1, "verbs.staged_bytes"), 0u);
      // No memory at all: in messages, into which they are packed.
      for (verbs_double::card* each : cards)
        each->refuses_region = [](std::size_t) { return true; };
      const field other{8192, 10'000, bytes};
      field elsewhere{8192, 10'000, bytes};
      other.fill(payload);
      EXPECT_EQ(transfer(from, elsewhere, bytes).second, bytes);
      EXPECT_EQ(transfer(other, elsewhere, bytes), std::pair(bytes, bytes));
      EXPECT_GT(count(1, "verbs.staged_bytes"), 0u);
    }
}

TEST_F(verbs_blocks, are_moved_by_reads_where_writes_are_usual) {
  for (const rendezvous_mode mode : {rendezvous_mode::write, rendezvous_mode::both}) {
    verbs_options settings;
    settings.set.rendezvous = mode;
    begin_and_meet(4096, settings);
    const field from{8192, 10'000, bytes};
    field to{8192, 10'000, bytes};
    from.fill(payload);
    (void)transfer(from, to, bytes);
    EXPECT_EQ(transfer(from, to, bytes).first, 0u);
  }
}

TEST_F(verbs_blocks, who_asks_to_write_them_is_given_up) {
  begin_and_know();
  const field_packer source{known_from, *cards[1]};
  const remote_region where = expose_known(source);
  const peal::verbs::payload_header header{peal::verbs::payload_kind::write, 0, 1, 4096, bytes};
  const peal::verbs::write_source asked{peal::verbs::exposed::number(where), 0, {}};
  std::vector<std::byte> packet(sizeof header + sizeof asked);
  std::memcpy(packet.data(), &header, sizeof header);
  std::memcpy(packet.data() + sizeof header, &asked, sizeof asked);
  verbs_double::lying_host liar{*cards[0], *cards[1]};
  testing::internal::CaptureStderr();
  liar.send(packet, peal::verbs::immediate::staged);
  poll(20);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(at(1).lost(), std::vector<peer_id>{0});
  EXPECT_NE(told.find("a question to write memory that no device reads"), std::string::npos)
      << told;
  at(1).peer_failed(0);
  at(1).withdraw(0, where);
}

TEST_F(verbs_blocks, come_again_over_a_connection_that_broke) {
  begin_and_meet(4096);
  const field from{4096, 10'000, bytes};
  field to{12'288, 20'000, bytes};
  from.fill(payload);
  (void)transfer(from, to, bytes);
  for (const int turns : {1, 2, 3, 5, 9}) {
    for (const peer_id breaks : {0u, 1u}) {
      std::fill(to.memory.begin(), to.memory.end(), gap);
      const field_packer source{from, *cards[1]};
      const remote_region where = at(1).expose_packed(0, source, bytes);
      announce(where);
      field_fetch made{where, to, bytes, *cards[0]};
      at(0).start_fetch(made);
      for (int turn = 0; turn < turns; ++turn) at(0).poll();
      at(breaks).break_connection(1 - breaks);
      ASSERT_TRUE(wait([&] { return made.calls > 0; }));
      EXPECT_FALSE(made.error);
      EXPECT_TRUE(to.holds(payload, bytes));
      EXPECT_EQ(made.unpacked, 0u);
      at(1).withdraw(0, where);
    }
  }
  EXPECT_GT(count(0, "verbs.reconnections"), 0u);
}

TEST_F(verbs_blocks, of_any_length_that_a_peer_may_tell_are_read_or_asked_for) {
  begin_and_know();
  const field_packer source{known_from, *cards[1]};
  remote_region where = expose_known(source);
  where.words[3] &= ~std::uint64_t{0xffffffff};  // blocks of nothing
  EXPECT_FALSE(peal::verbs::exposed::registered(where));
  field_fetch made{where, known_to, bytes, *cards[0]};
  at(0).start_fetch(made);
  ASSERT_TRUE(wait([&] { return made.calls > 0; }));
  EXPECT_TRUE(known_to.holds(payload, bytes)) << "in messages";
  at(1).withdraw(0, where);
}

/// doc/internals/rdma.md has the figures.
TEST_F(verbs_blocks, take_less_time_than_to_be_packed_and_unpacked) {
  if (!use_unmap_hooks().work) GTEST_SKIP() << "registrations end with their use here";
  for (const std::size_t length : {1024u, 4096u, 16'384u, 65'536u}) {
    picoseconds both[2] = {}, source[2] = {}, target[2] = {};
    for (const bool packed : {false, true}) {
      verbs_options settings;
      settings.set.qps = 4;  // which together fill the wire
      begin_and_meet(packed ? 0 : 1024, settings);
      const field from{length, 2 * length, bytes};
      field to{length, 2 * length, bytes};
      from.fill(payload);
      for (int each = 0; each < 3; ++each) {
        (void)transfer(from, to, bytes);
        (void)transfer_to_whole(from);
        (void)transfer_whole(to);
      }
      verbs_double::simulate({});
      const picoseconds begun = verbs_double::simulated_time();
      (void)transfer(from, to, bytes);
      both[packed] = verbs_double::simulated_time() - begun;
      (void)transfer_to_whole(from);
      source[packed] = verbs_double::simulated_time() - begun - both[packed];
      (void)transfer_whole(to);
      target[packed] = verbs_double::simulated_time() - begun - both[packed] - source[packed];
      verbs_double::work_at_once();
      const auto note = [&](const char* which, picoseconds time) {
        RecordProperty(
            std::string{packed ? "packed_" : "blocks_"} + which + std::to_string(length) + "_us",
            std::to_string(time / verbs_double::microsecond));
      };
      note("both_", both[packed]);
      note("source_", source[packed]);
      note("target_", target[packed]);
    }
    if (length < usual_blocks) continue;
    EXPECT_LT(both[0], both[1]) << length;
    EXPECT_LT(source[0], source[1]) << length;
    EXPECT_LT(target[0], target[1]) << length;
  }
}

}  // namespace
