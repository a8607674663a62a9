#include "transport/verbs/endpoint/port_counters.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace {

namespace fs = std::filesystem;
using peal::verbs::port_counters;

// A folder in the shape of /sys/class/infiniband.
class port_counters_of : public testing::Test {
 protected:
  port_counters_of() {
    std::string name = (fs::temp_directory_path() / "peal-test-ports.XXXXXX").string();
    root = mkdtemp(name.data());
    fs::create_directories(folder());
  }
  ~port_counters_of() override { fs::remove_all(root); }

  [[nodiscard]] fs::path folder() const { return root / "rxe0/ports/1/hw_counters"; }
  void set(const char* file, const char* value) const {
    std::ofstream{folder() / file} << value << '\n';
  }
  static std::vector<peal::counter> report(const port_counters& from) {
    std::vector<peal::counter> found;
    from.report(found);
    return found;
  }

  fs::path root;
};

TEST_F(port_counters_of, counts_from_its_start_on) {
  set("rcvd_rnr_err", "10");
  set("completer_retry_err", "5");
  set("lifespan", "12");
  const port_counters port{"rxe0:1", root};
  set("rcvd_rnr_err", "13");
  const auto found = report(port);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "port.rcvd_rnr_err");
  EXPECT_EQ(found[0].value, 3u);
  EXPECT_TRUE(found[0].of_all_processes);
  EXPECT_EQ(found[1].name, "port.completer_retry_err");
  EXPECT_EQ(found[1].value, 0u);
}

TEST_F(port_counters_of, further_ports_are_told_apart) {
  set("rcvd_rnr_err", "10");
  const port_counters port{"rxe0:1", root, "port.rxe0:1."};
  set("rcvd_rnr_err", "11");
  const auto found = report(port);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "port.rxe0:1.rcvd_rnr_err");
  EXPECT_EQ(found[0].value, 1u);
}

TEST_F(port_counters_of, a_port_without_counters_reports_nothing) {
  EXPECT_TRUE(report(port_counters{"rxe0:1", root}).empty());
  EXPECT_TRUE(report(port_counters{"none:1", root}).empty());
  EXPECT_TRUE(report(port_counters{"", root}).empty());
}

TEST_F(port_counters_of, a_counter_that_vanishes_or_makes_no_sense_is_left_out) {
  set("rcvd_rnr_err", "1");
  set("send_rnr_err", "nonsense");
  const port_counters port{"rxe0:1", root};
  fs::remove(folder() / "rcvd_rnr_err");
  EXPECT_TRUE(report(port).empty());
}

}  // namespace
