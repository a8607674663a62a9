#include "bootstrap/owner.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace {

namespace fs = std::filesystem;

// A folder for the length of a test.
class scratch {
 public:
  scratch() {
    std::string name = (fs::temp_directory_path() / "owner_test.XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~scratch() { fs::remove_all(path_); }
  void put(const std::string& name) const { std::ofstream{path_ / name} << "x"; }
  [[nodiscard]] bool has(const std::string& name) const { return fs::exists(path_ / name); }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// A process that has ended and was fetched.
peal::job_owner somebody_gone() {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const peal::job_owner self = peal::this_process();
    ::_exit(::write(ends[1], &self, sizeof self) == sizeof self ? 0 : 1);
  }
  peal::job_owner owner;
  EXPECT_EQ(::read(ends[0], &owner, sizeof owner), static_cast<ssize_t>(sizeof owner));
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  return owner;
}

TEST(owner, stands_in_the_name_of_the_job) {
  const peal::job_owner self = peal::this_process();
  EXPECT_EQ(self.pid, ::getpid());
  EXPECT_GT(self.start, 0u);
  EXPECT_GT(self.pid_space, 0u);
  EXPECT_GT(self.boot, 0u);
  const std::string name = peal::job_name_of(self);
  EXPECT_TRUE(name.starts_with("peal-")) << name;
  EXPECT_EQ(peal::owner_in(name), self);
  EXPECT_EQ(peal::owner_in(name + ".123abc"), self);
  EXPECT_EQ(peal::owner_in(name + "."), self);
}

TEST(owner, is_not_read_out_of_other_names) {
  for (const char* other : {"", "peal-", "peal-1", "peal-1-2-3", "peal-1-2-3-", "peal-1-2-3-4x",
                            "peal-1-2-3-4-5", "peal-a-b-c-d", "peal--1-2-3", "pea-1-2-3-4",
                            "xpeal-1-2-3-4", "peal-notes.1", "peal-1-2-3-99999999999999999999999"})
    EXPECT_FALSE(peal::owner_in(other)) << other;
}

TEST(owner, lives_as_long_as_its_process) {
  const peal::job_owner self = peal::this_process();
  EXPECT_TRUE(peal::may_be_alive(self));
  peal::job_owner reused = self;
  ++reused.start;
  EXPECT_FALSE(peal::may_be_alive(reused)) << "the pid was given out again";
  peal::job_owner elsewhere = somebody_gone();
  EXPECT_FALSE(peal::may_be_alive(elsewhere));
  ++elsewhere.pid_space;
  EXPECT_TRUE(peal::may_be_alive(elsewhere)) << "of another pid namespace nothing is known";
}

TEST(owner, of_another_host_counts_as_alive) {
  // Hosts share folders, and the first pid namespace has the same number on all of them.
  peal::job_owner elsewhere = somebody_gone();
  ++elsewhere.boot;
  EXPECT_TRUE(peal::may_be_alive(elsewhere));
  const scratch folder;
  folder.put(peal::job_name_of(elsewhere) + ".0");
  EXPECT_EQ(peal::remove_leftovers(folder.path()), 0);
  EXPECT_TRUE(folder.has(peal::job_name_of(elsewhere) + ".0"));
}

TEST(owner, that_nobody_fetched_is_dead) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const peal::job_owner self = peal::this_process();
    ::_exit(::write(ends[1], &self, sizeof self) == sizeof self ? 0 : 1);
  }
  peal::job_owner owner;
  ASSERT_EQ(::read(ends[0], &owner, sizeof owner), static_cast<ssize_t>(sizeof owner));
  siginfo_t info;
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(peal::may_be_alive(owner));
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(owner, leftovers_of_the_dead_are_removed_and_nothing_else) {
  const scratch folder;
  const std::string dead = peal::job_name_of(somebody_gone()),
                    alive = peal::job_name_of(peal::this_process());
  fs::create_directories(folder.path() / (dead + ".dir") / "inner");
  for (const std::string& each : {dead, dead + ".0", alive + ".0", dead + "x",
                                  std::string{"peal-notes"}, std::string{"other"}})
    folder.put(each);
  std::ofstream{folder.path() / (dead + ".dir") / "inner" / "file"} << "x";
  EXPECT_EQ(peal::remove_leftovers(folder.path()), 3);
  for (const std::string& gone : {dead, dead + ".0", dead + ".dir"})
    EXPECT_FALSE(folder.has(gone)) << gone;
  for (const std::string& kept :
       {alive + ".0", dead + "x", std::string{"peal-notes"}, std::string{"other"}})
    EXPECT_TRUE(folder.has(kept)) << kept;
  EXPECT_EQ(peal::remove_leftovers(folder.path() / "missing"), 0);
}

TEST(owner, entries_of_one_job_are_removed_by_name) {
  const scratch folder;
  for (const char* each : {"peal-1-2-3", "peal-1-2-3.0", "peal-1-2-34", "peal-1-2-34.0"})
    folder.put(each);
  EXPECT_EQ(peal::remove_entries_of("peal-1-2-3", folder.path()), 2);
  EXPECT_TRUE(folder.has("peal-1-2-34"));
  EXPECT_TRUE(folder.has("peal-1-2-34.0"));
}

TEST(owner, a_link_is_removed_and_not_followed) {
  const scratch folder, elsewhere;
  elsewhere.put("precious");
  const std::string dead = peal::job_name_of(somebody_gone());
  fs::create_directory_symlink(elsewhere.path(), folder.path() / dead);
  EXPECT_EQ(peal::remove_leftovers(folder.path()), 1);
  EXPECT_FALSE(fs::is_symlink(folder.path() / dead));
  EXPECT_TRUE(elsewhere.has("precious"));
}

}  // namespace
