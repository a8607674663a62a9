// Random traffic between ranks of a fake job, checked against a model of MPI's matching order.
//
// The model sees what each rank's messages see, in the same order: receives when they are posted
// and envelopes when they arrive. It keeps two plain lists a rank and context, and so says which
// message every receive must get.
#include <gtest/gtest.h>

#include <deque>
#include <list>
#include <map>
#include <random>
#include <vector>

#include "p2p/matching.hpp"
#include "unit/p2p/fake_network.hpp"

namespace peal::test {
namespace {

using bytes = std::vector<std::byte>;

struct sent_message {
  int source, tag;
  std::uint32_t context;
  bytes data;
  operation* send = nullptr;
};

struct posted_receive {
  int source, tag;
  bytes into;
  operation* receive = nullptr;
  const sent_message* expected = nullptr;
  bool cancelled = false;
};

class traffic {
 public:
  traffic(std::uint32_t ranks, unsigned seed, messaging_options options)
      : job_{ranks, seed, options}, random_{seed} {
    job_.network.watch = [this](peer_id to, peer_id from, const packet& seen) {
      arrives(to, from, seen);
    };
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      const unsigned what = random_() % 100;
      if (what < 40) send();
      else if (what < 80) receive();
      else if (what < 83) cancel();
      else if (what < 97) job_.poll(rank());
      else disturb();
    }
    job_.network.space = 10000;
    job_.network.hold_fetches = false;
    job_.settle();
    drain();
  }

  void check() {
    for (const posted_receive& each : receives_) {
      ASSERT_TRUE(over(*each.receive));
      if (each.cancelled) {
        EXPECT_EQ(each.receive->result.error, errc::cancelled);
        continue;
      }
      ASSERT_NE(each.expected, nullptr);
      const outcome& got = each.receive->result;
      EXPECT_EQ(got.source, each.expected->source);
      EXPECT_EQ(got.tag, each.expected->tag);
      const std::size_t fits = std::min(each.into.size(), each.expected->data.size());
      EXPECT_EQ(got.bytes, fits);
      EXPECT_EQ(got.error, each.expected->data.size() > fits ? make_error_code(errc::truncated)
                                                             : std::error_code{});
      EXPECT_TRUE(std::equal(each.into.begin(),
                             each.into.begin() + static_cast<std::ptrdiff_t>(fits),
                             each.expected->data.begin()));
    }
    for (const sent_message& each : messages_) {
      EXPECT_TRUE(over(*each.send));
      EXPECT_FALSE(each.send->result.error);
    }
    for (int i = 0; i < job_.size(); ++i) EXPECT_TRUE(job_[i].idle());
    EXPECT_EQ(job_.network.exposed(), 0u);
  }

  [[nodiscard]] std::size_t messages() const { return messages_.size(); }
  [[nodiscard]] std::size_t of_kind(envelope_kind kind) { return job_.network.delivered[kind]; }

 private:
  using queue_id = std::pair<int, std::uint32_t>;  // rank, context

  int rank() { return static_cast<int>(random_() % static_cast<unsigned>(job_.size())); }
  int tag() { return static_cast<int>(random_() % 4); }
  std::uint32_t context() { return random_() % 2 * 20; }
  std::size_t length() {
    static constexpr std::array<std::size_t, 8> lengths{0, 1, 8, 63, 64, 65, 200, 3000};
    return lengths[random_() % lengths.size()];
  }

  void send() {
    const int from = rank(), to = rank();
    sent_message& made =
        messages_.emplace_back(sent_message{from, tag(), context(), pattern(length(), random_())});
    under_way_[{from, to}].push_back(&made);
    made.send = &job_[from].start_send(job_.world(from), made.context, made.data.data(),
                                       made.data.size(), to, made.tag);
  }

  void post(int at, std::uint32_t in, int source, int wanted, std::size_t capacity) {
    posted_receive& made = receives_.emplace_back(posted_receive{source, wanted, bytes(capacity)});
    std::list<const sent_message*>& unexpected = unexpected_[{at, in}];
    const match_pattern takes = match_pattern::of(source, wanted);
    const auto first =
        std::find_if(unexpected.begin(), unexpected.end(), [&](const sent_message* each) {
          return takes.takes(match_key(static_cast<std::uint32_t>(each->source), each->tag));
        });
    if (first != unexpected.end()) {
      made.expected = *first;
      unexpected.erase(first);
    } else {
      posted_[{at, in}].push_back(&made);
    }
    made.receive =
        &job_[at].start_recv(job_.world(at), in, made.into.data(), capacity, source, wanted);
  }

  void receive() {
    post(rank(), context(), random_() % 3 == 0 ? -1 : rank(), random_() % 3 == 0 ? -2 : tag(),
         random_() % 8 == 0 ? 5 : 3000);
  }

  void cancel() {
    const queue_id where{rank(), context()};
    std::list<posted_receive*>& posted = posted_[where];
    if (posted.empty()) return;
    auto which = posted.begin();
    std::advance(which, random_() % posted.size());
    EXPECT_TRUE(job_[where.first].cancel(*(*which)->receive));
    (*which)->cancelled = true;
    posted.erase(which);
  }

  void disturb() {
    job_.network.space = random_() % 4 == 0 ? 10000 : random_() % 6;
    job_.network.hold_fetches = random_() % 2 == 0;
    job_.network.fetch_at_once = random_() % 2 == 0;
    job_.network.packets_a_poll = 1 + random_() % 20;
  }

  void arrives(peer_id to, peer_id from, const packet& seen) {
    if (seen.head.kind() == envelope_kind::fetched) return;
    auto& order = under_way_[{static_cast<int>(from), static_cast<int>(to)}];
    ASSERT_FALSE(order.empty());
    const sent_message* message = order.front();
    order.pop_front();
    ASSERT_EQ(seen.head.tag(), message->tag) << "out of order";
    ASSERT_EQ(seen.head.context(), message->context);
    ASSERT_EQ(static_cast<int>(seen.head.source()), message->source);
    const queue_id where{static_cast<int>(to), message->context};
    const std::uint64_t key = match_key(seen.head);
    std::list<posted_receive*>& posted = posted_[where];
    const auto first = std::find_if(posted.begin(), posted.end(), [&](const posted_receive* each) {
      return match_pattern::of(each->source, each->tag).takes(key);
    });
    if (first == posted.end()) {
      unexpected_[where].push_back(message);
    } else {
      (*first)->expected = message;
      posted.erase(first);
    }
  }

  // Receives what nobody has asked for, withdraws what nothing came for.
  void drain() {
    for (int at = 0; at < job_.size(); ++at) {
      for (const std::uint32_t in : {0u, 20u}) {
        for (posted_receive* each : posted_[{at, in}]) {
          EXPECT_TRUE(job_[at].cancel(*each->receive));
          each->cancelled = true;
        }
        posted_[{at, in}].clear();
        while (!unexpected_[{at, in}].empty()) {
          post(at, in, -1, -2, 3000);
          job_.settle();
        }
      }
    }
    job_.settle();
  }

  fake_job job_;
  std::mt19937 random_;
  std::deque<sent_message> messages_;
  std::deque<posted_receive> receives_;
  std::map<std::pair<int, int>, std::deque<const sent_message*>> under_way_;
  std::map<queue_id, std::list<const sent_message*>> unexpected_;
  std::map<queue_id, std::list<posted_receive*>> posted_;
};

TEST(random_traffic, is_matched_in_the_order_of_mpi) {
  std::size_t eager = 0, announced = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    messaging_options options;
    if (seed % 3 == 0) options.unexpected_limit = 1000;
    traffic random{1 + seed % 5, seed, options};
    random.run(3000);
    random.check();
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    ASSERT_EQ(random.of_kind(envelope_kind::eager) + random.of_kind(envelope_kind::announce),
              random.messages());
    eager += random.of_kind(envelope_kind::eager);
    announced += random.of_kind(envelope_kind::announce);
  }
  EXPECT_GT(eager, 1000u);
  EXPECT_GT(announced, 1000u);
}

}  // namespace
}  // namespace peal::test
