// events PART...: a loop of the program's own around epoll sleeps on completion_queue::event_fd(),
// beside other descriptors, and no message is lost: at the end of each part the counter wait.missed
// is 0.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../support.hpp"

using namespace std::chrono_literals;
using peal::communicator;
using peal::tag;

namespace {

void none_missed(const communicator& world) {
  world.barrier();
  job::equal(peal::counters(world)["wait.missed"], 0U, "wake-ups lost");
}

/// Whether the descriptor is readable in time.
bool readable(int descriptor, std::chrono::milliseconds time) {
  pollfd one{descriptor, POLLIN, 0};
  return ::poll(&one, 1, static_cast<int>(time.count())) == 1;
}

void pause_at_random(job::random& random) {
  const auto pause = std::chrono::nanoseconds{random.below(60'000)};
  if (random.one_in(4)) {
    const timespec left{0, pause.count()};
    nanosleep(&left, nullptr);
  } else if (!random.one_in(4)) {
    for (const auto end = std::chrono::steady_clock::now() + pause;
         std::chrono::steady_clock::now() < end;) {
    }
  }
}

/// An epoll set; the tests' other descriptors are told apart from a queue's.
class loop {
 public:
  explicit loop(int queue) { add(queue); }
  ~loop() { close(set_); }
  loop(const loop&) = delete;
  void add(int descriptor) {
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.fd = descriptor;
    job::check(epoll_ctl(set_, EPOLL_CTL_ADD, descriptor, &wanted) == 0,
               "a descriptor in an epoll set");
  }
  /// One that is readable; -1 after a minute without.
  int sleep() {
    epoll_event found{};
    int count = 0;
    do count = epoll_wait(set_, &found, 1, 60'000);
    while (count < 0);
    return count == 1 ? found.data.fd : -1;
  }

 private:
  int set_ = epoll_create1(EPOLL_CLOEXEC);
};

// Messages go round, with pauses of about the time that arming takes, so that they come at any
// moment of it; sizes of every kind.
void pauses(const communicator& world) {
  const int rounds = job::sanitized() ? 300 : 2000;
  job::random random{static_cast<std::uint64_t>(world.rank()) + 3};
  peal::completion_queue queue;
  loop events{queue.event_fd()};
  int received = 0;
  std::size_t sleeps = 0;
  const auto bytes_in = [](int round) -> std::size_t {
    return round % 50 == 0 ? 200'000 : round % 7 == 0 ? 6'000 : 8;
  };
  const auto key = [](int rank, int round) {
    return static_cast<std::uint64_t>(rank) << 32 | static_cast<std::uint32_t>(round);
  };
  const auto send = [&](int round) {
    pause_at_random(random);
    queue.add(world.isend(job::bytes_of(bytes_in(round), key(world.rank(), round)),
                          job::right_of(world), tag{1}));
  };
  const auto receive = [&](const auto& again) -> void {
    queue.add(world.irecv<std::vector<std::byte>>(job::left_of(world), tag{1}),
              [&, again](const std::vector<std::byte>& got) {
                job::check(got.size() == bytes_in(received) &&
                               job::holds(got, key(job::left_of(world), received)),
                           "a message of the loop");
                if (++received == rounds) return;
                again(again);
                send(received);
              });
  };
  receive(receive);
  send(0);
  while (!queue.empty()) {
    queue.poll();
    pause_at_random(random);
    if (queue.empty() || !queue.arm()) continue;
    job::check(events.sleep() >= 0, "a minute without an event");
    ++sleeps;
  }
  job::equal(received, rounds, "messages received");
  if (world.size() > 1) job::check(sleeps > 0, "the loop never slept");
  none_missed(world);
}

// A pipe and a timer beside the messages.
void others(const communicator& world) {
  peal::completion_queue queue;
  loop events{queue.event_fd()};
  int ends[2];
  job::check(pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0, "a pipe");
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  const itimerspec every{{0, 2'000'000}, {0, 2'000'000}};
  timerfd_settime(timer, 0, &every, nullptr);
  events.add(ends[0]);
  events.add(timer);
  int messages = 0, bytes = 0, ticks = 0;
  const auto receive = [&](const auto& again) -> void {
    queue.add(world.irecv<int>(job::left_of(world), tag{2}), [&, again](int value) {
      job::equal(value, messages, "a message beside a pipe");
      if (++messages < 50) again(again);
      job::check(write(ends[1], "x", 1) == 1, "a byte into the pipe");
    });
  };
  receive(receive);
  for (int sent = 0; messages < 50 || bytes < 50 || ticks < 20;) {
    queue.poll();
    if (!queue.arm()) continue;
    const int source = events.sleep();
    job::check(source >= 0, "a minute without an event");
    char one = 0;
    std::uint64_t times = 0;
    if (source == ends[0] && read(ends[0], &one, 1) == 1) ++bytes;
    if (source == timer && read(timer, &times, sizeof times) == sizeof times) {
      ++ticks;
      for (int each = 0; each < 3 && sent < 50; ++each)
        queue.add(world.isend(sent++, job::right_of(world), tag{2}));
    }
  }
  for (const int each : {ends[0], ends[1], timer}) close(each);
  while (!queue.empty()) queue.wait();
  none_missed(world);
}

double seconds_of_processor() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// A loop with nothing to do for two seconds uses next to no processor.
void idle(const communicator& world) {
  peal::completion_queue queue;
  const int descriptor = queue.event_fd();
  bool over = false;
  queue.add(world.irecv<int>(0, tag{3}), [&](int) { over = true; });
  world.barrier();
  if (world.rank() == 0) {
    const timespec two{2, 0};
    nanosleep(&two, nullptr);
    for (int to = 0; to < world.size(); ++to) world.send(to, to, tag{3});
  }
  const double before = seconds_of_processor();
  while (!over)
    if (queue.poll() == 0 && queue.arm())
      job::check(readable(descriptor, 60s), "a minute without an event");
  const double used = seconds_of_processor() - before;
  job::check(used < (job::sanitized() ? 0.15 : 0.03),
             "a loop of 2 s used " + std::to_string(used) + " s of processor time");
  none_missed(world);
}

// Two queues in one loop, an empty one too; moved ones; a queue that goes while it is armed.
void queues(const communicator& world) {
  peal::completion_queue first;
  auto second = std::make_unique<peal::completion_queue>();
  const int descriptor = first.event_fd();
  job::check(first.event_fd() == descriptor && second->event_fd() != descriptor,
             "each queue has its descriptor");
  int got = 0;
  for (int each = 0; each < 20; ++each) {
    first.add(world.irecv<int>(job::left_of(world), tag{4}), [&](int value) { got += value; });
    second->add(world.irecv<int>(job::left_of(world), tag{5}), [&](int value) { got += value; });
  }
  world.barrier();
  for (int each = 0; each < 20; ++each) {
    world.send(1, job::right_of(world), tag{4});
    world.send(100, job::right_of(world), tag{5});
  }
  while (!first.empty() || !second->empty()) {
    first.poll();
    second->poll();
    if (first.empty() && second->empty()) break;
    const bool one = first.arm(), two = second->arm();
    if (!one || !two) continue;
    pollfd both[2]{{first.event_fd(), POLLIN, 0}, {second->event_fd(), POLLIN, 0}};
    job::check(::poll(both, 2, 60'000) > 0, "a minute without an event for two queues");
  }
  job::equal(got, 2020, "what two queues have received");

  job::check(second->arm() || second->arm() || true, "an empty queue may be armed");
  second.reset();
  peal::completion_queue moved{std::move(first)};
  job::equal(moved.event_fd(), descriptor, "the descriptor moves with the queue");
  job::check(first.empty() && first.poll() == 0 && first.wait() == 0,
             "a queue that was moved from is empty");
  job::check(first.event_fd() != descriptor, "and gets a descriptor of its own");
  (void)first.arm();
  first.add(world.isend(1, world.rank(), tag{6}));
  moved.add(world.irecv<int>(world.rank(), tag{6}));
  while (!first.empty() || !moved.empty()) {
    first.poll();
    moved.poll();
  }
  first = std::move(moved);
  job::equal(first.event_fd(), descriptor, "and with an assignment");
  none_missed(world);
}

// A loop that is armed when the program waits in other ways is woken; what is armed twice is armed.
void misuse(const communicator& world) {
  peal::completion_queue queue;
  const int descriptor = queue.event_fd();
  for (int each = 0; each < 20; ++each) {
    int value = -1;
    queue.add(world.irecv<int>(job::left_of(world), tag{7}), [&](int got) { value = got; });
    (void)queue.arm();
    (void)queue.arm();
    world.barrier();  // uses up what was armed
    world.send(each, job::right_of(world), tag{7});
    while (value < 0)
      if (queue.poll() == 0 && queue.arm())
        job::check(readable(descriptor, 60s), "a minute without an event");
    job::equal(value, each, "a message after a careless arming");
  }
  none_missed(world);
}

// A forked child has no part in it, and does its parent no harm.
void forked(const communicator& world) {
  auto queue = std::make_unique<peal::completion_queue>();
  const int descriptor = queue->event_fd();
  bool over = false;
  queue->add(world.irecv<int>(job::left_of(world), tag{8}), [&](int) { over = true; });
  (void)queue->arm();
  const pid_t child = fork();
  if (child == 0) {
    job::throws(peal::errc::not_started, [&] { (void)queue->event_fd(); });
    job::throws(peal::errc::not_started, [&] { (void)queue->arm(); });
    peal::completion_queue fresh;
    job::throws(peal::errc::not_started, [&] { (void)fresh.event_fd(); });
    job::equal(queue->poll(), std::size_t{0}, "poll in a forked child");
    queue.reset();
    _exit(0);
  }
  int status = -1;
  job::check(waitpid(child, &status, 0) == child && status == 0, "the child");
  world.barrier();
  world.send(1, job::right_of(world), tag{8});
  while (!over)
    if (queue->poll() == 0 && queue->arm())
      job::check(readable(descriptor, 60s), "a minute without an event");
  none_missed(world);
}

// Threads with loops beside threads that wait.
void threads(const communicator& world) {
  const int rounds = job::sanitized() ? 60 : 300;
  const auto waits = [&](int mine) {
    job::random random{static_cast<std::uint64_t>(world.rank() * 8 + mine)};
    for (int round = 0; round < rounds; ++round) {
      if (random.one_in(4)) pause_at_random(random);
      auto sent = world.isend(round, job::right_of(world), tag{20 + mine});
      job::equal(world.recv<int>(job::left_of(world), tag{20 + mine}), round,
                 "a message to a thread that waits");
      sent.wait();
    }
  };
  const auto loops = [&](int mine) {
    job::random random{static_cast<std::uint64_t>(world.rank() * 8 + mine)};
    peal::completion_queue queue;
    loop events{queue.event_fd()};
    for (int round = 0; round < rounds; ++round) {
      int got = -1;
      if (random.one_in(4)) pause_at_random(random);
      queue.add(world.isend(int{round}, job::right_of(world), tag{20 + mine}));
      queue.add(world.irecv<int>(job::left_of(world), tag{20 + mine}),
                [&](int value) { got = value; });
      while (!queue.empty())
        if (queue.poll() == 0 && queue.arm())
          job::check(events.sleep() >= 0, "a minute without an event for a thread");
      job::equal(got, round, "a message to a thread with a loop");
    }
  };
  std::vector<std::thread> all;
  for (int mine = 0; mine < 2; ++mine) {
    all.emplace_back(waits, mine);
    all.emplace_back(loops, mine + 2);
  }
  for (std::thread& each : all) each.join();
  none_missed(world);
}

}  // namespace

int main(int argc, char** argv) {
  bool threaded = argc < 2;
  for (int each = 1; each < argc; ++each)
    threaded = threaded || std::string{argv[each]} == "threads";
  return job::run_parts(
      argc, argv,
      {{"pauses", pauses},
       {"others", others},
       {"idle", idle},
       {"queues", queues},
       {"misuse", misuse},
       {"forked", forked},
       {"threads", threads}},
      {.threads = threaded ? peal::thread_level::multiple : peal::thread_level::single});
}
