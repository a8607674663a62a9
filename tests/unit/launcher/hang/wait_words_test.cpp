#include "hang/wait_words.hpp"

#include <gtest/gtest.h>

#include "unit/launcher/hang/modelled_job.hpp"

namespace peal::launcher {
namespace {

TEST(wait_words, numbers_have_their_units) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1000), "1000 B");
  EXPECT_EQ(bytes_text(4096), "4 KiB");
  EXPECT_EQ(bytes_text(3 << 20), "3 MiB");
  EXPECT_EQ(seconds_text(2.54), "2.5 s");
  EXPECT_EQ(seconds_text(31.4), "31 s");
  EXPECT_EQ(seconds_text(7200), "120 min");
  EXPECT_EQ(tag_text(state::any_tag), "any");
}

TEST(wait_words, a_wait_names_the_call_the_peer_the_communicator_and_the_place) {
  job_snapshot job = modelled_job({0, 0});
  job.at(0).communicators[0].name = "MPI_COMM_WORLD";
  shown_wait wait = receive_from(1, 7);
  wait.call = "MPI_Recv";
  wait.place = "ring.c:12 (main)";
  EXPECT_EQ(wait_text(wait, job),
            "waits in MPI_Recv: a message from rank 1 with tag 7 on MPI_COMM_WORLD, at ring.c:12 "
            "(main)");
  wait.call.clear();
  wait.place.clear();
  wait.world = 5;
  wait.context = 32;
  EXPECT_EQ(wait_text(wait, job),
            "waits for a message from rank 5 (its rank 1) with tag 7 on communicator 32");
}

TEST(wait_words, what_a_rank_does_that_does_not_wait_is_told) {
  job_snapshot job = modelled_job({0});
  shown_rank& rank = job.at(0);
  EXPECT_EQ(state_text(rank, job), "computes, or does something else outside of peal");
  rank.quiet.reset();
  EXPECT_EQ(state_text(rank, job), "runs");
  rank.phase = state::phase::starting;
  EXPECT_EQ(state_text(rank, job), "starts, and has not met the other ranks yet");
  rank.ended = "exited with code 3";
  EXPECT_EQ(state_text(rank, job), "has ended: it exited with code 3");
}

}  // namespace
}  // namespace peal::launcher
