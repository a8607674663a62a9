#include "engine/slurm/slurmd_contact.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using namespace peal::launcher;

TEST(slurmd_contact, is_read_off_scontrols_line) {
  EXPECT_EQ(place_of_slurmd("NodeName=n1 Arch=x86_64 \n   NodeAddr=10.0.0.7 NodeHostName=h "
                            "Port=7001 Version=22.05"),
            (slurmd_place{"10.0.0.7", "7001"}));
  EXPECT_EQ(place_of_slurmd("NodeName=n1 NodeAddr=n1.site NodeHostName=n1"),
            (slurmd_place{"n1.site", "6818"}));
  EXPECT_EQ(place_of_slurmd(""), std::nullopt);
  EXPECT_EQ(place_of_slurmd("Node n9 not found"), std::nullopt);
}

TEST(slurmd_contact, tells_a_port_without_listener_from_one_that_nobody_serves) {
  const int taken = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  ASSERT_EQ(::bind(taken, reinterpret_cast<sockaddr*>(&where), size), 0);
  ASSERT_EQ(::getsockname(taken, reinterpret_cast<sockaddr*>(&where), &size), 0);
  const slurmd_place place{"127.0.0.1", fmt::format("{}", ntohs(where.sin_port))};
  EXPECT_TRUE(nobody_listens(place));
  // Connections are made though nobody takes them, as those of a process that is stopped.
  ASSERT_EQ(::listen(taken, 5), 0);
  EXPECT_FALSE(nobody_listens(place));
  ::close(taken);
}

TEST(slurmd_contact, is_not_doubted_where_the_name_of_the_host_is_unknown) {
  EXPECT_FALSE(nobody_listens({"no.such.host.invalid", "6818"}));
}

}  // namespace
