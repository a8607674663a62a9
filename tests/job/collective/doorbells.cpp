// doorbells [part ...]: what collectives cost the device, by counters. Needs peers that are reached
// over RDMA: PEAL_TRANSPORT=verbs, or several nodes.
//
// What holds whatever the timing is: a rank that sends one message, or several at once, to a peer
// in a round rings one doorbell for it, fewer if the messages of two rounds meet.
#include <algorithm>
#include <array>
#include <chrono>

#include "../support.hpp"

namespace {

using peal::communicator;

std::uint64_t count(const communicator& world, std::string_view name) {
  return peal::counters(world)[name];
}

constexpr int rounds = 200;

// Of this rank: `call`, again and again, once everybody is connected.
struct cost {
  double messages = 0;
  double doorbells = 0;
  double requests = 0;
};

// A collective may end on a rank before what that rank has sent in it has left, which waits for a
// connection at first. Who has got a synchronous message has got all that was sent before it.
void let_all_leave(const communicator& world) {
  std::vector<peal::request<int>> sent;
  for (int to = 0; to < world.size(); ++to)
    if (to != world.rank()) sent.push_back(world.issend(int{to}, to, peal::tag{1}));
  for (int from = 0; from < world.size(); ++from)
    if (from != world.rank())
      job::equal(world.recv<int>(from, peal::tag{1}), world.rank(), "a synchronous message");
  for (auto& each : sent) each.wait();
}

// By counter, of one call: the mean over the calls that have raised the first counter by as much as
// most calls have. A rank that waits for another one at two looks, a second apart, asks it whether
// it has ended, which is a message more in a call of each of the two now and then.
template <std::size_t Counters, class Call>
std::array<double, Counters> means(const communicator& world,
                                   const std::array<std::string_view, Counters>& names, Call call) {
  using values = std::array<std::uint64_t, Counters>;
  const auto look = [&] {
    values now{};
    for (std::size_t i = 0; i != Counters; ++i) now[i] = count(world, names[i]);
    return now;
  };
  std::vector<values> raised;
  const auto begun = std::chrono::steady_clock::now();
  for (int i = 0; i < rounds; ++i) {
    const values before = look();
    call();
    const values after = look();
    raised.emplace_back();
    for (std::size_t c = 0; c != Counters; ++c) raised.back()[c] = after[c] - before[c];
  }
  const auto seconds =
      std::chrono::ceil<std::chrono::seconds>(std::chrono::steady_clock::now() - begun);
  std::ranges::sort(raised);
  const std::uint64_t usual = raised[raised.size() / 2].front();
  std::erase_if(raised, [&](const values& each) { return each.front() != usual; });
  // In each second this rank may ask in one call, and each of the others may ask it in another.
  const auto unusual =
      static_cast<std::size_t>(world.size()) * (1 + static_cast<std::size_t>(seconds.count()));
  job::check(raised.size() + unusual >= std::size_t{rounds},
             std::string{names.front()} + " rises otherwise in more calls than there were looks");
  std::array<double, Counters> mean{};
  for (const values& each : raised)
    for (std::size_t i = 0; i != Counters; ++i) mean[i] += static_cast<double>(each[i]);
  for (double& each : mean) each /= static_cast<double>(raised.size());
  return mean;
}

template <class Call>
cost cost_of(const communicator& world, Call call) {
  for (int i = 0; i < 20; ++i) call();
  let_all_leave(world);
  const auto mean = means(
      world, std::array<std::string_view, 3>{"verbs.messages", "verbs.doorbells", "verbs.requests"},
      call);
  return {mean[0], mean[1], mean[2]};
}

void tell(const communicator& world, const char* what, const cost& of) {
  if (world.rank() == 0)
    std::printf("%s: %.2f messages, %.2f doorbells, %.2f work requests a call\n", what, of.messages,
                of.doorbells, of.requests);
}

// PEAL_ALLREDUCE=flat, PEAL_ALLTOALL=linear: one round, a message to each of the others.
void one_round(const communicator& world) {
  const double peers = world.size() - 1;
  const cost sum = cost_of(world, [&] { (void)world.allreduce(std::uint64_t{1}); });
  tell(world, "allreduce", sum);
  job::equal(sum.messages, peers, "messages of an allreduce");
  job::check(sum.doorbells <= peers && sum.requests <= peers,
             "an allreduce rings more than a doorbell a peer");
  const std::vector<std::uint32_t> blocks(static_cast<std::size_t>(world.size()), 7);
  const cost all = cost_of(world, [&] { (void)world.alltoall(blocks); });
  tell(world, "alltoall", all);
  job::equal(all.messages, peers, "messages of an alltoall");
  job::check(all.doorbells <= peers && all.requests <= peers,
             "an alltoall rings more than a doorbell a peer");
}

// PEAL_GATHER=tree, PEAL_VERBS_COALESCE=off, 4 ranks, root 1: rank 3 hands on its own block and
// that of rank 0, in two messages.
void two_messages(const communicator& world) {
  const cost sum = cost_of(world, [&] {
    (void)world.gather(world.rank(), 1);
    world.barrier();  // or rank 3 gets ahead, and messages of several calls go together
  });
  const cost alone = cost_of(world, [&] { world.barrier(); });
  if (world.rank() != 3) return;
  std::printf("gather: %.2f messages, %.2f doorbells a call\n", sum.messages - alone.messages,
              sum.doorbells - alone.doorbells);
  job::equal(sum.messages - alone.messages, 2.0, "messages of a gather");
  // A barrier's messages may have met others in either loop.
  job::check(sum.doorbells <= alone.messages + 1,
             "two messages to a peer in a round ring more than one doorbell");
}

// 4 ranks without connections: what the root sends to the other three leaves as one chain. It sends
// nothing else, since what comes acknowledges only.
void fan_out(const communicator& world) {
  const auto call = [&] {
    if (world.rank() == 0) {
      usleep(2000);  // or what belongs to several calls goes together
      // a turn: the first message to a peer in each leaves at once where none is to wait
      (void)world.improbe();
    }
    job::equal(world.bcast(world.rank() == 0 ? 7 : 0, 0), 7, "what was broadcast");
  };
  for (int i = 0; i < 20; ++i) call();
  const auto [datagrams, doorbells] = means(
      world, std::array<std::string_view, 2>{"verbs.datagrams", "verbs.datagram_doorbells"}, call);
  if (world.rank() != 0) return;
  std::printf("bcast: %.2f datagrams, %.2f doorbells a call\n", datagrams, doorbells);
  job::equal(datagrams, 3.0, "datagrams of a bcast");
  // one, and one for each that had to be repeated
  job::check(doorbells < 2, "datagrams of a round do not leave together");
}

// Two nodes with two ranks each: leaders only send to the other node, one message a round.
void leaders(const communicator& world) {
  const bool leads = world.rank() % 2 == 0;
  const auto look = [&](const char* what, const cost& of) {
    tell(world, what, of);
    job::equal(of.messages, leads ? 1.0 : 0.0, std::string{"messages between nodes, "} + what);
    job::check(of.doorbells <= 1, std::string{"more than a doorbell, "} + what);
  };
  look("barrier", cost_of(world, [&] { world.barrier(); }));
  look("allreduce", cost_of(world, [&] { (void)world.allreduce(std::uint64_t{1}); }));
  look("allgather", cost_of(world, [&] { (void)world.allgather(world.rank()); }));
}

// Large steps go over all bulk queue pairs, from memory that stays registered.
void striped(const communicator& world) {
  std::vector<float> mine(1 << 19, 1), sums(mine.size());
  const auto call = [&] { world.allreduce(mine, peal::into(sums)); };
  for (int i = 0; i < 3; ++i) call();
  const auto registered = count(world, "verbs.registrations"),
             hits = count(world, "verbs.registration_hits");
  for (int i = 0; i < 5; ++i) call();
  job::check(sums.front() == static_cast<float>(world.size()) && sums.back() == sums.front(),
             "sums");
  job::equal(count(world, "verbs.registrations"), registered,
             "registrations of buffers that were used before");
  job::check(count(world, "verbs.registration_hits") > hits, "no registration is used again");
  for (const char* each :
       {"verbs.queue_bytes.0", "verbs.queue_bytes.1", "verbs.queue_bytes.2", "verbs.queue_bytes.3"})
    job::check(count(world, each) > 0, std::string{each} + " is 0");
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv,
                        {{"one_round", one_round},
                         {"two_messages", two_messages},
                         {"leaders", leaders},
                         {"fan_out", fan_out},
                         {"striped", striped}});
}
