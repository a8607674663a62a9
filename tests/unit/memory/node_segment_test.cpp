#include "memory/node_segment.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "peal/error.hpp"

namespace {

using namespace peal;

/// A folder of its own, so that what is left behind can be counted.
class folder {
 public:
  folder() {
    const char* set = std::getenv("PEAL_SHM_DIR");
    std::string name = std::string{set != nullptr ? set : "/dev/shm"} + "/peal-test-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error{"mkdtemp"};
    path_ = name;
  }
  ~folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }
  std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator{path_},
                         std::filesystem::directory_iterator{});
  }

 private:
  std::string path_;
};

segment_plan plan(const std::string& directory, int index, int count) {
  segment_plan made;
  made.directory = directory;
  made.job_name = "job";
  made.index = index;
  made.count = count;
  made.front_bytes = 10'000;
  made.slices = 3;
  made.transport_bytes = 1 << 20;
  made.heap_bytes = 8 << 20;
  return made;
}

TEST(node_segment, what_one_writes_the_others_read) {
  const folder in;
  node_segment first{plan(in.path(), 0, 3)}, second{plan(in.path(), 1, 3)},
      third{plan(in.path(), 2, 3)};
  EXPECT_EQ(first.nonce(), second.nonce());
  EXPECT_EQ(first.nonce(), third.nonce());
  std::strcpy(reinterpret_cast<char*>(second.at(second.front(1).offset)), "front");
  const auto part = third.transport_part(2);
  ASSERT_EQ(third.commit(part.offset, part.bytes), 0);
  std::strcpy(reinterpret_cast<char*>(third.at(part.offset + part.bytes - 10)), "part");
  EXPECT_STREQ(reinterpret_cast<char*>(first.at(first.front(1).offset)), "front");
  EXPECT_STREQ(reinterpret_cast<char*>(first.at(part.offset + part.bytes - 10)), "part");
  EXPECT_NE(first.at(0), second.at(0)) << "mapped by each for itself";
  for (int each = 0; each < 3; ++each) EXPECT_EQ(first.card(each).pid, getpid());
}

TEST(node_segment, parts_do_not_overlap) {
  const folder in;
  node_segment only{plan(in.path(), 0, 2)};
  std::size_t end = 0;
  for (const auto& each :
       {only.front(0), only.front(1), only.slice(0, 0), only.slice(1, 0), only.slice(0, 1),
        only.slice(1, 1), only.slice(0, 2), only.slice(1, 2), only.transport_part(0),
        only.transport_part(1), only.heap_part(0), only.heap_part(1)}) {
    EXPECT_GE(each.offset, end);
    EXPECT_EQ(each.offset % 256, 0u) << "aligned for what lies there";
    end = each.offset + each.bytes;
  }
}

// So that one page table holds those of many processes.
TEST(node_segment, slices_of_one_number_stand_side_by_side) {
  const folder in;
  node_segment only{plan(in.path(), 0, 8)};
  for (std::size_t which = 0; which < 3; ++which)
    for (int each = 1; each < 8; ++each)
      EXPECT_EQ(only.slice(each, which).offset,
                only.slice(each - 1, which).offset + node_segment::slice_bytes);
}

TEST(node_segment, fronts_are_zero_and_writable_at_once) {
  const folder in;
  node_segment first{plan(in.path(), 0, 2)};
  for (int each = 0; each < 2; ++each) {
    const auto front = first.front(each);
    for (std::size_t byte = 0; byte < front.bytes; ++byte)
      ASSERT_EQ(*first.at(front.offset + byte), std::byte{0});
    std::memset(first.at(front.offset), 1, front.bytes);
  }
}

TEST(node_segment, each_process_finds_the_cards_of_all) {
  const folder in;
  node_segment first{plan(in.path(), 0, 3)}, second{plan(in.path(), 1, 3)};
  for (const node_segment* each : {&first, &second}) {
    EXPECT_EQ(each->card(0).nonce_address != each->card(1).nonce_address, true);
    EXPECT_EQ(each->card(0).pid, getpid());
    EXPECT_EQ(each->card(1).pid, getpid());
    EXPECT_EQ(each->card(2).pid, 0) << "it is not there yet";
  }
}

// With many processes the cards take more than a page.
TEST(node_segment, cards_do_not_reach_into_fronts) {
  for (const std::size_t count : {1, 2, 126, 127, 1000, 100'000})
    EXPECT_LE(card_offset(count), front_offset(0, 10'000, count)) << count << " processes";
}

TEST(node_segment, one_that_leaves_is_seen_by_the_others) {
  const folder in;
  node_segment first{plan(in.path(), 0, 2)}, second{plan(in.path(), 1, 2)};
  EXPECT_FALSE(second.any_has_left());
  first.note_leaving();
  EXPECT_TRUE(second.any_has_left());
}

TEST(node_segment, memory_is_taken_only_for_what_is_used) {
  const folder in;
  auto large = plan(in.path(), 0, 64);
  large.heap_bytes = std::size_t{1} << 30;
  node_segment first{large};
  struct stat status{};
  ASSERT_EQ(stat((in.path() + "/job.peal").c_str(), &status), 0);
  EXPECT_GT(status.st_size, std::int64_t{64} << 30);
  EXPECT_LT(status.st_blocks * 512, 2 << 20);
}

// The kernel takes pages from the NUMA node of the process that reserves them.
TEST(node_segment, each_process_reserves_its_own_front) {
  const folder in;
  const auto taken = [&] {
    struct stat status{};
    EXPECT_EQ(stat((in.path() + "/job.peal").c_str(), &status), 0);
    return static_cast<std::size_t>(status.st_blocks) * 512;
  };
  const std::size_t each = front_stride(10'000);
  node_segment first{plan(in.path(), 0, 3)};
  EXPECT_EQ(taken(), page + each);
  node_segment third{plan(in.path(), 2, 3)};
  EXPECT_EQ(taken(), page + 2 * each);
  std::memset(third.at(third.front(2).offset), 1, third.front(2).bytes);
  std::memset(first.at(first.front(0).offset), 1, first.front(0).bytes);
  EXPECT_EQ(taken(), page + 2 * each) << "all of it was there";
  node_segment second{plan(in.path(), 1, 3)};
  EXPECT_EQ(taken(), page + 3 * each);
  // On a node that is not there: where there is room.
  const auto part = second.heap_part(1);
  EXPECT_EQ(second.commit(part.offset, page, 1000), 0);
  EXPECT_EQ(taken(), 2 * page + 3 * each);
}

// In a process of its own, since a timer's signals would reach other tests' system calls.
TEST(node_segment, a_timer_that_ticks_often_does_not_keep_memory_away) {
  const folder in;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    segment_plan wanted = plan(in.path(), 0, 1);
    wanted.heap_bytes = std::size_t{256} << 20;
    node_segment only{wanted};
    struct sigaction ticks{};
    ticks.sa_handler = [](int) {};
    sigaction(SIGALRM, &ticks, nullptr);
    const itimerval often{.it_interval = {0, 2000}, .it_value = {0, 2000}};
    setitimer(ITIMER_REAL, &often, nullptr);
    _exit(only.commit(only.heap_part(0).offset, only.heap_part(0).bytes));
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(node_segment, what_is_given_back_is_free_again) {
  const folder in;
  node_segment first{plan(in.path(), 0, 2)};
  const auto blocks = [&] {
    struct stat status{};
    stat((in.path() + "/job.peal").c_str(), &status);
    return status.st_blocks;
  };
  const auto before = blocks();
  const auto part = first.heap_part(0);
  ASSERT_EQ(first.commit(part.offset, part.bytes), 0);
  EXPECT_GE(blocks() - before, static_cast<std::int64_t>(part.bytes / 512));
  std::memset(first.at(part.offset), 1, part.bytes);
  first.give_back(part.offset, part.bytes);
  EXPECT_EQ(blocks(), before);
  ASSERT_EQ(first.commit(part.offset, 4096), 0);
  EXPECT_EQ(*first.at(part.offset), std::byte{0});
}

TEST(node_segment, attaching_waits_for_the_file) {
  const folder in;
  std::atomic<bool> attached{false};
  std::thread waiter{[&] {
    const node_segment second{plan(in.path(), 1, 2)};
    attached = true;
  }};
  const node_segment first{plan(in.path(), 0, 2)};
  waiter.join();
  EXPECT_TRUE(attached);
}

TEST(node_segment, attaching_does_not_wait_for_the_dead) {
  const folder in;
  segment_plan orphan = plan(in.path(), 1, 2);
  int asked = 0;
  orphan.maker_died = [&] { return ++asked > 3; };
  try {
    const node_segment never{orphan};
    ADD_FAILURE() << "attached to nothing";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::peer_failed);
  }
  const node_segment made{plan(in.path(), 0, 2)};
  const node_segment attached{orphan};  // what it made before it died is as good as ever
  EXPECT_EQ(attached.nonce(), made.nonce());
}

TEST(node_segment, what_others_have_put_in_its_way_is_neither_used_nor_followed) {
  const folder in, elsewhere;
  const std::string name = in.path() + "/job.peal";
  std::filesystem::create_directory(name + ".new");  // of a name that the file might have at first
  const std::string target = elsewhere.path() + "/precious";
  std::ofstream{target} << "precious";
  std::filesystem::create_symlink(target, name);
  segment_plan late = plan(in.path(), 1, 2);
  late.maker_done = [] { return true; };
  node_segment second{late};
  EXPECT_EQ(second.nonce(), 0U);
  const node_segment first{plan(in.path(), 0, 2)};
  second.reopen();
  EXPECT_EQ(second.nonce(), first.nonce());
  std::string left;
  std::getline(std::ifstream{target} >> std::ws, left);
  EXPECT_EQ(left, "precious");
}

TEST(node_segment, a_file_of_another_user_is_not_taken) {
  if (geteuid() != 0) GTEST_SKIP() << "needs a file of another user: run it as root";
  const folder in;
  node_segment first{plan(in.path(), 0, 2)};
  const int given = chown((in.path() + "/job.peal").c_str(), 12345, 12345);
  if (given != 0 && errno == EINVAL)
    GTEST_SKIP()
        << "needs user ids besides root's: run it outside of a user namespace that has but one";
  ASSERT_EQ(given, 0);
  segment_plan late = plan(in.path(), 1, 2);
  late.maker_done = [] { return true; };
  const node_segment second{late};
  EXPECT_EQ(second.nonce(), 0U);
}

TEST(node_segment, a_file_that_is_made_elsewhere_is_not_waited_for) {
  const folder here, elsewhere;
  node_segment made{plan(elsewhere.path(), 0, 2)};
  segment_plan apart = plan(here.path(), 1, 2);
  apart.maker_done = [] { return true; };
  node_segment stranger{apart};
  EXPECT_EQ(stranger.nonce(), 0U);
  EXPECT_NE(made.nonce(), 0U);
  stranger.reopen();
  EXPECT_EQ(stranger.nonce(), 0U);
}

TEST(node_segment, nothing_is_left_behind) {
  const folder in;
  {
    node_segment first{plan(in.path(), 0, 2)};
    const node_segment second{plan(in.path(), 1, 2)};
    EXPECT_EQ(in.files(), 1);
    first.unlink();
    EXPECT_EQ(in.files(), 0) << "a job that is killed from here on leaves nothing";
    *first.at(first.front(0).offset) = std::byte{3};
    EXPECT_EQ(*second.at(second.front(0).offset), std::byte{3})
        << "and goes on with what is mapped";
  }
  {
    const node_segment forgotten{plan(in.path(), 0, 2)};
  }
  EXPECT_EQ(in.files(), 0);
  const node_segment alone{plan(in.path(), 0, 1)};
  EXPECT_EQ(in.files(), 0) << "a job of one needs no name";
}

TEST(node_segment, a_forked_child_leaves_the_file_alone) {
  const folder in;
  auto* const first = new node_segment{plan(in.path(), 0, 2)};
  const pid_t child = fork();
  if (child == 0) {
    delete first;
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(in.files(), 1);
  delete first;
  EXPECT_EQ(in.files(), 0);
}

TEST(node_segment, a_leftover_of_a_killed_job_is_found_out) {
  const folder in;
  const std::string name = in.path() + "/job.peal", kept = in.path() + "/kept";
  {
    const node_segment killed{plan(in.path(), 0, 2)};
    ASSERT_EQ(link(name.c_str(), kept.c_str()), 0);
  }
  ASSERT_EQ(rename(kept.c_str(), name.c_str()), 0);
  node_segment early{plan(in.path(), 1, 2)};  // before index 0 came: the leftover
  const node_segment first{plan(in.path(), 0, 2)};
  EXPECT_NE(early.nonce(), first.nonce());
  early.reopen();
  EXPECT_EQ(early.nonce(), first.nonce());
  *first.at(first.front(0).offset) = std::byte{9};
  EXPECT_EQ(*early.at(early.front(0).offset), std::byte{9});
}

TEST(node_segment, a_leftover_of_another_shape_is_not_touched) {
  const folder in;
  std::ofstream{in.path() + "/job.peal"} << "something else";
  node_segment early{plan(in.path(), 1, 2)};
  EXPECT_EQ(early.nonce(), 0u);
  const node_segment first{plan(in.path(), 0, 2)};
  early.reopen();
  EXPECT_EQ(early.nonce(), first.nonce());
}

std::string refusal(const segment_plan& wanted, std::error_code code) {
  try {
    const node_segment made{wanted};
  } catch (const error& problem) {
    EXPECT_EQ(problem.code(), code) << problem.what();
    return problem.what();
  }
  return "accepted";
}

TEST(node_segment, says_which_folder_is_missing) {
  const std::string said =
      refusal(plan("/nonexistent-folder", 0, 2), std::error_code{ENOENT, std::system_category()});
  EXPECT_NE(said.find("/nonexistent-folder"), std::string::npos) << said;
  EXPECT_NE(said.find("PEAL_SHM_DIR"), std::string::npos) << said;
}

TEST(node_segment, says_how_much_is_missing_and_what_to_do) {
  const folder in;
  auto wanted = plan(in.path(), 0, 8);
  wanted.most_committed = 4096;
  const auto expect_said = [&] {
    const std::string said = refusal(wanted, errc::no_space);
    EXPECT_NE(said.find("KiB in " + in.path() + " for 8 ranks"), std::string::npos) << said;
    EXPECT_NE(said.find("--shm-size"), std::string::npos) << said;
  };
  expect_said();
  EXPECT_EQ(in.files(), 0);
  const node_segment first{plan(in.path(), 0, 8)};
  wanted.index = 3;
  expect_said();
}

/// What `body` returns in a process with a full file system of 128 KiB at its folder; 77: this user
/// may not mount one.
template <class Body>
int with_full_folder(Body body) {
  const folder in;
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("small", in.path().c_str(), "tmpfs", 0, "size=128k") != 0)
      _exit(77);
    _exit(body(in.path()));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

TEST(node_segment, a_full_file_system_is_an_error_and_no_signal) {
  const int result = with_full_folder([](const std::string& in) {
    auto many = plan(in, 0, 2);
    many.front_bytes = 200'000;
    try {
      const node_segment made{many};
      return 1;
    } catch (const error& problem) {
      if (problem.code() != errc::no_space) return 2;
      if (std::string{problem.what()}.find("128 KiB are free there") == std::string::npos) return 3;
    }
    node_segment few{plan(in, 0, 2)};
    const auto part = few.heap_part(0);
    if (few.commit(part.offset, part.bytes) != ENOSPC) return 4;
    if (few.commit(part.offset, 4096) != 0) return 5;
    std::memset(few.at(part.offset), 1, 4096);
    return 0;
  });
  if (result == 77)
    GTEST_SKIP() << "needs to mount a tmpfs: run it as root, in a container with CAP_SYS_ADMIN "
                    "(docker run --privileged)";
  EXPECT_EQ(result, 0);
}

/// Writes its card as process `index`, in another namespace of process ids or in this one; 77: it
/// may not make one.
int attach_elsewhere(const std::string& in, int index, bool apart) {
  const pid_t child = fork();
  if (child == 0) {
    if (apart && unshare(CLONE_NEWPID) != 0) _exit(77);
    const pid_t inside = fork();
    if (inside == 0) {
      const node_segment own{plan(in, index, 3)};
      _exit(own.knows_by_id(index) && own.knows_by_id(0) == !apart ? 0 : 1);
    }
    int status = 0;
    waitpid(inside, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

TEST(node_segment, a_process_id_is_another_process_in_another_namespace) {
  const folder in;
  const node_segment own{plan(in.path(), 0, 3)};
  const int apart = attach_elsewhere(in.path(), 1, true);
  if (apart == 77)
    GTEST_SKIP() << "needs namespaces of its own: run it as root, in a container with "
                    "CAP_SYS_ADMIN (docker run --privileged)";
  EXPECT_EQ(apart, 0);
  EXPECT_EQ(attach_elsewhere(in.path(), 2, false), 0);
  EXPECT_TRUE(own.knows_by_id(0));
  EXPECT_FALSE(own.knows_by_id(1));
  EXPECT_TRUE(own.knows_by_id(2));
}

TEST(node_segment, a_limit_of_file_sizes_is_named) {
  const folder in;
  const pid_t child = fork();
  if (child == 0) {
    const rlimit small{1 << 20, 1 << 20};
    setrlimit(RLIMIT_FSIZE, &small);
    const std::string said =
        refusal(plan(in.path(), 0, 2), std::error_code{EFBIG, std::system_category()});
    _exit(said.find("ulimit -f") == std::string::npos ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
