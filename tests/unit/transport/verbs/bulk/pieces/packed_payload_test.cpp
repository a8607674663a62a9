// Payloads that are packed while their receiver fetches them, on cards of this process's own.
#include "transport/verbs/bulk/pieces/packed_payload.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/page.hpp"
#include "memory/unmap_hooks.hpp"
#include "peal/error.hpp"
#include "unit/transport/verbs/bulk/pieces/busy_hosts.hpp"
#include "unit/transport/verbs/double/ends.hpp"
#include "unit/transport/verbs/double/objects.hpp"
#include "unit/transport/verbs/double/timeline.hpp"

namespace {

using namespace peal;
using namespace peal::test;
using peal::verbs::packed_payload;
using peal::verbs::spare_buffers;
using verbs_double::picoseconds;

constexpr std::size_t piece = peal::verbs::pieces::packed;

bool is_packed(const packed_payload& of, const std::vector<std::byte>& source, std::size_t begin,
               std::size_t end) {
  return std::equal(of.data() + begin, of.data() + end,
                    source.begin() + static_cast<std::ptrdiff_t>(begin));
}

TEST(packed_payload, is_packed_piece_by_piece_from_its_beginning_on) {
  const auto source = pattern(3 * piece + 100, 1);
  const counting_packer from{source};
  spare_buffers buffers;
  packed_payload of{from, source.size(), &buffers};
  ASSERT_NE(of.data(), nullptr);
  EXPECT_EQ(of.reach(), 0u);
  for (std::size_t each = 1; each <= 3; ++each) {
    of.pack_piece();
    EXPECT_EQ(of.reach(), each * piece);
    EXPECT_EQ(of.count(), each);
    EXPECT_FALSE(of.complete());
  }
  of.pack_piece();
  EXPECT_TRUE(of.complete());
  EXPECT_EQ(of.count(), 4u);
  EXPECT_TRUE(is_packed(of, source, 0, source.size()));
  EXPECT_TRUE(from.each_once());
}

TEST(packed_payload, what_comes_in_another_way_is_packed_by_who_moves_it) {
  const auto source = pattern(4 * piece, 2);
  for (const std::size_t packed : {piece, 2 * piece, 4 * piece})
    for (const std::size_t rest : {std::size_t{0}, piece, 2 * piece + page, 4 * piece}) {
      const counting_packer from{source};
      spare_buffers buffers;
      packed_payload of{from, source.size(), &buffers};
      of.pack_until(packed);
      of.leave_from(rest);
      while (!of.complete()) of.pack_piece();
      EXPECT_EQ(of.reach(), std::max(packed, rest));
      EXPECT_EQ(of.count(), (of.reach() + piece - 1) / piece);
      for (std::size_t at = rest; at < source.size(); at += 3 * page)
        of.pack_left(at, std::min(at + 3 * page, source.size()));
      EXPECT_TRUE(is_packed(of, source, 0, source.size()));
      EXPECT_TRUE(from.each_once()) << packed << ' ' << rest;
    }
}

TEST(packed_payload, parts_for_messages_are_those_that_are_packed_or_packed_into_the_message) {
  const auto source = pattern(2 * piece, 3);
  const counting_packer from{source};
  spare_buffers buffers;
  packed_payload of{from, source.size(), &buffers};
  of.pack_piece();
  std::array<std::byte, 8192> message;
  std::size_t length = message.size();
  EXPECT_EQ(of.part(piece - page, length, message.data()), of.data() + piece - page);
  EXPECT_EQ(length, page);
  length = message.size();
  EXPECT_EQ(of.part(piece, length, message.data()), message.data());
  EXPECT_EQ(length, message.size());
  EXPECT_TRUE(std::equal(message.begin(), message.end(), source.begin() + piece));
}

/// Notes whether it is asked for anything once it is over.
struct mortal_packer : counting_packer {
  mutable bool over = false, asked_late = false;
  explicit mortal_packer(const std::vector<std::byte>& all) : counting_packer{all} {
    counts = pack;
    pack = [](const packer& self, std::size_t at, void* to, std::size_t bytes) noexcept {
      const auto& mine = static_cast<const mortal_packer&>(self);
      mine.asked_late |= mine.over;
      mine.counts(self, at, to, bytes);
    };
  }

 private:
  void (*counts)(const packer&, std::size_t, void*, std::size_t) noexcept;
};

/// Takes its host some time.
struct busy_packer : detail::packer {
  const std::vector<std::byte>& data;
  const verbs_double::card& host;
  static constexpr picoseconds byte = 100;  // about as long as the wire takes for one
  busy_packer(const std::vector<std::byte>& all, const verbs_double::card& on)
      : data{all}, host{on} {
    pack = [](const packer& self, std::size_t at, void* to, std::size_t bytes) noexcept {
      const auto& from = static_cast<const busy_packer&>(self);
      std::copy_n(from.data.begin() + static_cast<std::ptrdiff_t>(at), bytes,
                  static_cast<std::byte*>(to));
      verbs_double::occupy(from.host, static_cast<picoseconds>(bytes) * byte);
    };
  }
};

class verbs_packed : public verbs_on_busy_hosts {
 protected:
  static constexpr std::size_t bytes = 4 << 20;
  const std::vector<std::byte> source = pattern(bytes, 4);
  std::vector<std::byte> target;

  void begin_and_meet(rendezvous_mode mode, verbs_options settings = {}) {
    settings.set.rendezvous = mode;
    begin(2, settings);
    meet(0, 1);
    target.assign(bytes, std::byte{});
  }
  /// Rank 1 announces, rank 0 fetches as soon as it hears of it.
  void transfer(const remote_region& where, std::size_t length) {
    const std::size_t before = got(0).size();
    const envelope e = envelope::make(0, 1, 2, envelope_kind::announce, sizeof where);
    ASSERT_TRUE(wait_busily([&] { return at(1).send(0, e, &where); }));
    ASSERT_TRUE(wait_busily([&] { return got(0).size() > before; }));
    tracked_fetch made{1, where, target.data(), length};
    at(0).start_fetch(made);
    ASSERT_TRUE(wait_busily([&] { return made.calls > 0; }));
    EXPECT_FALSE(made.error);
    at(1).withdraw(0, where);
    EXPECT_TRUE(std::equal(target.begin(), target.begin() + static_cast<std::ptrdiff_t>(length),
                           source.begin()));
  }
};

TEST_F(verbs_packed, packing_goes_on_while_the_first_pieces_move) {
  for (const rendezvous_mode mode :
       {rendezvous_mode::read, rendezvous_mode::write, rendezvous_mode::both}) {
    verbs_options settings;
    settings.set.qps = 4;  // which together fill the wire
    begin_and_meet(mode, settings);
    const busy_packer from{source, *cards[1]};
    // There are queue pairs for large messages, and registered buffers, from then on.
    for (int each = 0; each < 2; ++each) {
      transfer(at(1).expose_packed(0, from, bytes), bytes);
      transfer(at(1).expose(0, source.data(), bytes), bytes);
    }
    verbs_double::simulate({});
    const picoseconds begun = verbs_double::simulated_time();
    transfer(at(1).expose(0, source.data(), bytes), bytes);
    const picoseconds plain = verbs_double::simulated_time() - begun;
    transfer(at(1).expose_packed(0, from, bytes), bytes);
    const picoseconds packed = verbs_double::simulated_time() - begun - plain;
    verbs_double::work_at_once();
    const auto packing = static_cast<picoseconds>(bytes) * busy_packer::byte;
    EXPECT_GT(packed, packing);
    EXPECT_LT(static_cast<double>(packed), 1.2 * static_cast<double>(std::max(plain, packing)))
        << static_cast<int>(mode);
    const auto name = "mode_" + std::to_string(static_cast<int>(mode));
    RecordProperty(name + "_plain_us", std::to_string(plain / verbs_double::microsecond));
    RecordProperty(name + "_packed_us", std::to_string(packed / verbs_double::microsecond));
    RecordProperty(name + "_packing_us", std::to_string(packing / verbs_double::microsecond));
  }
}

TEST_F(verbs_packed, buffers_of_both_sides_stay_registered) {
  if (!use_unmap_hooks().work) GTEST_SKIP() << "registrations end with their use here";
  begin_and_meet(rendezvous_mode::read);
  std::uint64_t before[2] = {};
  for (int round = 0; round < 4; ++round) {
    const counting_packer from{source};
    const remote_region where = at(1).expose_packed(0, from, bytes);
    absorbing_fetch fetching{1, where, bytes};
    at(0).start_fetch(fetching);
    ASSERT_TRUE(wait([&] { return fetching.calls > 0; }));
    EXPECT_TRUE(fetching.data == source);
    at(1).withdraw(0, where);
    for (const peer_id each : {0u, 1u}) {
      const std::uint64_t now = count(each, "verbs.registrations");
      EXPECT_TRUE(round == 0 || now == before[each]) << round;
      before[each] = now;
    }
  }
}

TEST_F(verbs_packed, what_cannot_be_registered_comes_in_messages) {
  for (const rendezvous_mode mode :
       {rendezvous_mode::read, rendezvous_mode::write, rendezvous_mode::both})
    for (const bool at_source : {false, true})
      for (const bool at_target : {false, true}) {
        if (!at_source && !at_target) continue;
        begin_and_meet(mode);
        for (const peer_id end : {0u, 1u})
          if (end == 0 ? at_target : at_source)
            cards[end]->refuses_region = [](std::size_t) { return true; };
        const counting_packer from{source};
        transfer(at(1).expose_packed(0, from, bytes), bytes);
        EXPECT_GT(count(1, "verbs.staged_bytes"), 0u);
        EXPECT_EQ(count(0, "verbs.read_bytes") + count(1, "verbs.write_bytes"), 0u);
        for (verbs_double::card* each : cards) each->refuses_region = {};
        const counting_packer again{source};
        transfer(at(1).expose_packed(0, again, bytes), bytes);
        EXPECT_TRUE(again.each_once());
      }
}

TEST_F(verbs_packed, nothing_is_packed_once_it_is_withdrawn_or_its_peer_has_failed) {
  for (const rendezvous_mode mode :
       {rendezvous_mode::read, rendezvous_mode::write, rendezvous_mode::both})
    for (const bool fails : {false, true})
      for (const int turns : {0, 1, 2, 3, 5, 8, 50}) {
        begin_and_meet(mode);
        const counting_packer before{source};
        transfer(at(1).expose_packed(0, before, bytes), bytes);
        const mortal_packer from{source};
        const remote_region where = at(1).expose_packed(0, from, bytes);
        tracked_fetch fetching{1, where, target.data(), bytes};
        if (fails) at(0).start_fetch(fetching);
        for (int turn = 0; turn < turns; ++turn) at(turn % 2 == 0 ? 1 : 0).poll();
        if (fails) {
          const bool all = fetching.calls > 0;
          at(0).peer_failed(1);
          EXPECT_EQ(fetching.calls, 1);
          EXPECT_EQ(fetching.error, all ? std::error_code{} : make_error_code(errc::peer_failed));
          at(1).peer_failed(0);
        }
        at(1).withdraw(0, where);
        from.over = true;
        poll(50);
        EXPECT_FALSE(from.asked_late) << turns;
        if (fails) continue;
        // Its place is used again.
        const counting_packer next{source};
        transfer(at(1).expose_packed(0, next, bytes), bytes);
        EXPECT_TRUE(next.each_once());
      }
}

/// A receiver that says that it has everything before that is so is given what is no more.
TEST_F(verbs_packed, what_is_withdrawn_while_it_is_written_is_not_packed) {
  begin_and_meet(rendezvous_mode::write);
  const counting_packer before{source};
  transfer(at(1).expose_packed(0, before, bytes), bytes);
  for (const int turns : {1, 2, 3, 4, 6}) {
    const mortal_packer from{source};
    const remote_region where = at(1).expose_packed(0, from, bytes);
    tracked_fetch fetching{1, where, target.data(), bytes};
    at(0).start_fetch(fetching);
    at(0).flush();
    for (int turn = 0; turn < turns; ++turn) at(1).poll();
    at(1).withdraw(0, where);
    from.over = true;
    poll(50);
    EXPECT_FALSE(from.asked_late) << turns;
    if (fetching.calls == 0) {  // it was withdrawn before the question came
      at(0).peer_failed(1);
      EXPECT_EQ(fetching.calls, 1);
      begin_and_meet(rendezvous_mode::write);
    }
  }
}

TEST_F(verbs_packed, less_than_all_may_be_wanted_and_several_may_be_under_way) {
  for (const rendezvous_mode mode :
       {rendezvous_mode::read, rendezvous_mode::write, rendezvous_mode::both}) {
    begin_and_meet(mode);
    constexpr std::size_t lengths[] = {100, piece, piece + 1, 1'000'000, bytes - 1};
    std::vector<std::unique_ptr<counting_packer>> from;
    std::vector<std::unique_ptr<tracked_fetch>> all;
    std::vector<std::vector<std::byte>> targets;
    for (const std::size_t each : lengths) {
      from.push_back(std::make_unique<counting_packer>(source));
      targets.emplace_back(bytes);
      all.push_back(std::make_unique<tracked_fetch>(1, at(1).expose_packed(0, *from.back(), bytes),
                                                    targets.back().data(), each));
      at(0).start_fetch(*all.back());
    }
    for (std::size_t each = 0; each < std::size(lengths); ++each) {
      ASSERT_TRUE(wait([&] { return all[each]->calls > 0; }));
      EXPECT_FALSE(all[each]->error);
      const auto end = targets[each].begin() + static_cast<std::ptrdiff_t>(lengths[each]);
      EXPECT_TRUE(std::equal(targets[each].begin(), end, source.begin())) << lengths[each];
      EXPECT_TRUE(std::all_of(end, targets[each].end(),
                              [](std::byte left) { return left == std::byte{}; }));
      at(1).withdraw(0, all[each]->where);
    }
  }
}

TEST_F(verbs_packed, a_rank_does_not_sleep_while_it_packs) {
  wakeup bell;
  verbs_options sleeps;
  sleeps.bell = &bell;
  begin_and_meet(rendezvous_mode::read, sleeps);
  EXPECT_TRUE(at(1).arm());
  const counting_packer from{source};
  const remote_region where = at(1).expose_packed(0, from, bytes);
  pollfd sleeping{bell.descriptor(), POLLIN, 0};
  EXPECT_EQ(::poll(&sleeping, 1, 0), 1) << "the thread that sleeps is to pack";
  EXPECT_FALSE(at(1).arm());
  poll(50);
  EXPECT_TRUE(from.each_once());
  EXPECT_TRUE(at(1).arm());
  at(1).disarm();
  at(1).withdraw(0, where);
}

TEST_F(verbs_packed, have_keys_for_each_device) {
  verbs_options settings;
  settings.set.device = "all";
  for (const rendezvous_mode mode : {rendezvous_mode::read, rendezvous_mode::both})
    for (const bool cut : {false, true}) {
      begin_and_meet(mode, settings);
      if (cut) cards[1]->cut = true;
      for (int left = 3; left > 0; --left) {
        const counting_packer from{source};
        transfer(at(1).expose_packed(0, from, bytes), bytes);
        EXPECT_TRUE(from.each_once());
      }
      EXPECT_EQ(count(0, "verbs.rail_bytes.double1:1") > 0, !cut);
      EXPECT_EQ(count(1, "verbs.staged_bytes"), 0u);
    }
}

}  // namespace
