#include "streams/file_sink.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

using peal::launcher::file_sink;

class file_sinks : public testing::Test {
 protected:
  void SetUp() override {
    name_ = testing::TempDir() + "file_sink_test." + std::to_string(::getpid());
    descriptor_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0600);
    ASSERT_GE(descriptor_, 0);
  }
  void TearDown() override { std::filesystem::remove(name_); }

  std::string content() const {
    std::ifstream file{name_};
    return {std::istreambuf_iterator<char>{file}, {}};
  }

  std::string name_;
  int descriptor_ = -1;
};

// As a full disk: no file may grow beyond so many bytes while this lives.
class small_files {
 public:
  explicit small_files(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
  }
  ~small_files() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  small_files(const small_files&) = delete;
  small_files& operator=(const small_files&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(file_sinks, writes_any_bytes_as_they_are) {
  using namespace std::string_literals;
  file_sink file{name_, descriptor_};
  file.put("a\0b"s);
  file.put("\nno end");
  EXPECT_EQ(content(), "a\0b\nno end"s);
  file.close();
  EXPECT_EQ(file.lost(), 0u);
  EXPECT_EQ(file.problem(), 0);
}

TEST_F(file_sinks, counts_what_it_cannot_write_and_marks_the_gap_afterwards) {
  file_sink file{name_, descriptor_};
  {
    const small_files limit{10};
    file.put("12345678");
    file.put("abcdefgh");
    EXPECT_EQ(content(), "12345678ab");
    EXPECT_EQ(file.lost(), 6u);
    EXPECT_EQ(file.problem(), EFBIG);
    file.put("lost too");
    EXPECT_EQ(file.lost(), 14u);
  }
  file.put("again\n");
  EXPECT_EQ(content(), "12345678ab\n[pealrun: 14 bytes are missing here]\nagain\n");
  EXPECT_EQ(file.lost(), 14u);
}

}  // namespace
