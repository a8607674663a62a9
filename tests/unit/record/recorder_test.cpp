#include "record/recorder.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <source_location>
#include <string>
#include <thread>
#include <vector>

#include "record/wait_clock.hpp"

namespace peal::record {
namespace {

/// What lies in the file.
struct contents {
  std::vector<char> bytes;
  [[nodiscard]] const rank_file& file() const {
    return *reinterpret_cast<const rank_file*>(bytes.data());
  }
  [[nodiscard]] const peer_traffic& peer(int rank) const {
    return reinterpret_cast<const peer_traffic*>(&file() + 1)[rank];
  }
  [[nodiscard]] std::string text(std::uint32_t at) const { return file().strings.data() + at; }
  [[nodiscard]] std::vector<call_site> sites() const {
    std::vector<call_site> used;
    for (const call_site& each : file().sites)
      if (each.calls != 0) used.push_back(each);
    return used;
  }
};

struct recording : testing::Test {
  std::string folder = std::filesystem::temp_directory_path() / "recorder.XXXXXX";
  recorder* to = nullptr;
  void SetUp() override { ASSERT_NE(::mkdtemp(folder.data()), nullptr); }
  void TearDown() override {
    recorder::forget();
    std::filesystem::remove_all(folder);
  }
  void open(std::uint64_t events = 0, bool threads = false) {
    to = recorder::open(
        {.folder = folder, .events = events, .rank = 1, .ranks = 3, .threads = threads});
    ASSERT_NE(to, nullptr);
    ASSERT_EQ(recorder::active(), to);
  }
  [[nodiscard]] contents read() const {
    std::ifstream in{folder + "/rank.1", std::ios::binary};
    return {{std::istreambuf_iterator<char>{in}, {}}};
  }
  void send(int peer, std::uint64_t bytes,
            const std::source_location& where = std::source_location::current()) const {
    const call_scope made{*to, call_kind::send, where, peer, bytes, false};
  }
};

TEST_F(recording, nothing_is_recorded_before_and_after) {
  EXPECT_EQ(recorder::active(), nullptr);
  open();
  to->close({});
  EXPECT_EQ(recorder::active(), nullptr);
  EXPECT_EQ(read().file().head.ended, 1u);
  EXPECT_EQ(read().file().head.layout, layout_number);
}

TEST_F(recording, every_message_is_counted_however_places_peers_and_lengths_alternate) {
  open();
  constexpr std::uint64_t rounds = 1000;
  for (std::uint64_t k = 0; k != rounds; ++k) {
    send(0, 8);
    send(2, 16 * k);
    send(0, 8);
  }
  to->close({});
  const contents found = read();
  EXPECT_EQ(found.peer(0).sent, 2 * rounds);
  EXPECT_EQ(found.peer(0).sent_bytes, 16 * rounds);
  EXPECT_EQ(found.peer(2).sent, rounds);
  EXPECT_EQ(found.peer(2).sent_bytes, 16 * rounds * (rounds - 1) / 2);
  EXPECT_EQ(found.peer(1).sent, 0u);
  EXPECT_EQ(found.file().lengths[class_of(8)].messages, 2 * rounds);
  ASSERT_EQ(found.sites().size(), 3u);
  for (const call_site& each : found.sites()) {
    EXPECT_EQ(each.calls, rounds);
    EXPECT_TRUE(found.text(each.file).ends_with("recorder_test.cpp"));
  }
}

TEST_F(recording, what_no_table_has_yet_is_in_the_file_of_a_rank_that_dies) {
  open();
  send(0, 8);
  send(0, 8);
  contents found = read();
  EXPECT_EQ(found.file().head.ended, 0u);
  auto& file = *reinterpret_cast<rank_file*>(found.bytes.data());
  for (const message_run& each : file.recent)
    enter(file, reinterpret_cast<peer_traffic*>(&file + 1), each);
  EXPECT_EQ(found.peer(0).sent, 2u);
  EXPECT_EQ(found.peer(0).sent_bytes, 16u);
}

TEST_F(recording, what_a_blocking_receive_has_got_is_counted) {
  open();
  {
    const auto here = std::source_location::current();
    call_scope made{*to, call_kind::recv, here, -1, 0, false};
    made.received(2, 24);
  }
  to->received(2, 100);
  to->close({});
  EXPECT_EQ(read().peer(2).received, 2u);
  EXPECT_EQ(read().peer(2).received_bytes, 124u);
  ASSERT_EQ(read().sites().size(), 1u);
  EXPECT_EQ(read().sites().front().bytes, 24u);
}

TEST_F(recording, waits_and_copies_of_a_call_are_told_apart) {
  open();
  {
    const auto here = std::source_location::current();
    const call_scope made{*to, call_kind::send, here, 0, 8, false};
    wait_clock waits{*to, false};
    waits.in_vain();
    const copy_time copies{copy_time::least};
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  {
    const auto here = std::source_location::current();
    const call_scope made{*to, call_kind::recv, here, -1, 0, false};
    wait_clock waits{*to, false};
    waits.in_vain();
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
  }
  to->close({});
  const std::vector<call_site> sites = read().sites();
  ASSERT_EQ(sites.size(), 2u);
  const call_site& copying = sites[sites[0].kind == call_kind::send ? 0 : 1];
  const call_site& waiting = sites[sites[0].kind == call_kind::send ? 1 : 0];
  EXPECT_GT(copying.copy_ticks, copying.wait_ticks);
  EXPECT_GT(waiting.wait_ticks, 0u);
  EXPECT_EQ(waiting.copy_ticks, 0u);
}

TEST_F(recording, a_wait_that_lasts_is_timed_in_each_call_and_a_short_one_is_not) {
  open();
  const auto here = std::source_location::current();
  constexpr int many = 5000, looks = 16;
  for (int k = 0; k != many; ++k) {
    const call_scope made{*to, call_kind::recv, here, -1, 0, false};
    wait_clock waits{*to, true};
    waits.in_vain();
  }
  const std::uint64_t timed = read().file().head.timed;
  EXPECT_GT(timed, 32u);
  EXPECT_LT(timed, std::uint64_t{many} / 10);
  const std::uint64_t before = read().sites().front().wait_ticks;
  constexpr int lasting = 20;
  std::uint64_t slept = 0;
  for (int k = 0; k != lasting; ++k) {
    const call_scope made{*to, call_kind::recv, here, -1, 0, false};
    wait_clock waits{*to, true};
    for (int look = 0; look != looks; ++look) waits.in_vain();
    const std::uint64_t began = ticks();
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
    slept += ticks() - began;
  }
  to->close({});
  EXPECT_GE(read().sites().front().wait_ticks - before, slept);
  EXPECT_EQ(read().sites().front().calls, std::uint64_t{many} + lasting);
}

TEST_F(recording, the_time_of_calls_that_are_timed_stands_for_the_others) {
  open();
  // Behind the first ones, which are timed each.
  const auto here = std::source_location::current();
  constexpr int many = 20000, each = 1000;
  for (int k = 0; k != many; ++k) {
    const call_scope made{*to, call_kind::start_send, here, 0, 8, false};
    for (const std::uint64_t from = ticks(); ticks() - from < each;) {
    }
  }
  to->close({});
  const call_site site = read().sites().front();
  EXPECT_EQ(site.calls, std::uint64_t{many});
  EXPECT_GE(site.handling_ticks, std::uint64_t{many} * each / 10 * 9);
  EXPECT_LT(read().file().head.timed, std::uint64_t{many} / 10);
}

TEST_F(recording, places_that_share_a_place_of_the_table_lose_nothing) {
  open();
  constexpr std::uint64_t places = 400, rounds = 30;
  for (std::uint64_t k = 0; k != places * rounds; ++k) {
    detail::name_calls("MPI_Send", reinterpret_cast<const void*>((1 + k % places) * 16));
    send(static_cast<int>(k % 3), 8);
  }
  detail::name_calls(nullptr, nullptr);
  to->close({});
  const std::vector<call_site> sites = read().sites();
  ASSERT_EQ(sites.size(), places);
  for (const call_site& each : sites) EXPECT_EQ(each.calls, rounds);
}

TEST_F(recording, a_function_of_the_c_interface_is_one_call_with_its_own_name) {
  open();
  for (int k = 0; k != 3; ++k) {
    detail::name_calls("MPI_Sendrecv", reinterpret_cast<const void*>(&::mkdtemp));
    send(0, 8);
    send(2, 8);
    detail::name_calls(nullptr, nullptr);
  }
  send(0, 8);
  to->close({});
  const contents found = read();
  ASSERT_EQ(found.sites().size(), 2u);
  for (const call_site& each : found.sites()) {
    EXPECT_EQ(each.calls, each.name != 0 ? 3u : 1u);
    if (each.name == 0) continue;
    EXPECT_EQ(found.text(each.name), "MPI_Sendrecv");
    EXPECT_EQ(each.line, 0u);
    EXPECT_NE(each.address, 0u);
    EXPECT_NE(found.text(each.file).find("libc"), std::string::npos);
  }
  EXPECT_EQ(found.peer(0).sent, 4u);
  EXPECT_EQ(found.peer(2).sent, 3u);
}

TEST_F(recording, a_collective_waits_for_its_whole_length_and_has_an_algorithm) {
  open();
  for (int k = 0; k != 2; ++k) {
    const auto here = std::source_location::current();
    const call_scope made{*to, call_kind::allreduce, here, -1, 64, true};
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
    to->used(call_kind::allreduce, "doubling", 64, made.ticks_so_far());
  }
  to->used(call_kind::allreduce, "ring", 1 << 20, 1);
  to->close({});
  const contents found = read();
  EXPECT_GT(found.sites().front().wait_ticks, 0u);
  EXPECT_STREQ(found.file().uses[0].name.data(), "doubling");
  EXPECT_EQ(found.file().uses[0].calls, 2u);
  EXPECT_GT(found.file().uses[0].ticks, 0u);
  EXPECT_STREQ(found.file().uses[1].name.data(), "ring");
  EXPECT_EQ(found.file().uses[1].length, class_of(1 << 20));
}

TEST_F(recording, more_places_than_there_is_room_for_are_counted_as_others) {
  open();
  for (std::uintptr_t k = 1; k != 3000; ++k) {
    detail::name_calls("MPI_Send", reinterpret_cast<const void*>(k * 16));
    send(0, 8);
  }
  detail::name_calls(nullptr, nullptr);
  to->close({});
  const contents found = read();
  EXPECT_GT(found.file().head.homeless, 0u);
  EXPECT_GT(found.file().sites[0].calls, 0u);
  EXPECT_EQ(found.peer(0).sent, 2999u);
}

TEST_F(recording, threads_lose_no_count) {
  open(0, true);
  constexpr int each = 20000;
  const auto work = [&] {
    for (int k = 0; k != each; ++k) send(k % 3, 8);
  };
  std::thread first{work}, second{work};
  first.join();
  second.join();
  to->close({});
  const contents found = read();
  EXPECT_EQ(found.peer(0).sent + found.peer(1).sent + found.peer(2).sent, 2u * each);
}

TEST_F(recording, counters_are_kept) {
  open();
  to->close("shm.news\t3\twhat\n");
  EXPECT_EQ(read().file().counters.data(), std::string{"shm.news\t3\twhat\n"});
  EXPECT_EQ(read().file().head.counters, 16u);
}

TEST_F(recording, events_of_receives_carry_the_number_of_their_start) {
  open(100);
  const std::source_location here = std::source_location::current();
  const int first = 0, second = 0;
  to->posted(&first);
  to->posted(&second);
  to->arrived(&second, here, 0, 7, 3, 8);
  to->withdrawn(&first);
  to->close({});
  std::ifstream in{folder + "/rank.1.events", std::ios::binary};
  event found[2]{};
  in.read(reinterpret_cast<char*>(found), sizeof found);
  EXPECT_EQ(found[0].posted, 2u);
  EXPECT_EQ(found[0].peer, 0);
  EXPECT_EQ(found[0].tag, 7);
  EXPECT_EQ(found[1].posted, 1u);
  EXPECT_EQ(found[1].peer, -1);
}

TEST_F(recording, each_thread_has_a_number_in_its_events) {
  open(100, true);
  send(0, 8);
  std::thread{[&] { send(0, 8); }}.join();
  send(0, 8);
  to->close({});
  std::ifstream in{folder + "/rank.1.events", std::ios::binary};
  event found[3]{};
  in.read(reinterpret_cast<char*>(found), sizeof found);
  EXPECT_EQ(found[0].thread, found[2].thread);
  EXPECT_NE(found[0].thread, found[1].thread);
}

TEST_F(recording, a_folder_that_is_not_there_is_no_obstacle_to_the_program) {
  EXPECT_EQ(
      recorder::open(
          {.folder = folder + "/missing", .events = 0, .rank = 0, .ranks = 1, .threads = false}),
      nullptr);
  EXPECT_EQ(recorder::active(), nullptr);
}

}  // namespace
}  // namespace peal::record
