// event_loop [REQUESTS]: rank 0 serves requests of the others from an epoll loop of its own, beside
// a timer that ticks, and sleeps in between; the others ask for squares, each at its own pace.
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <peal/peal.hpp>
#include <utility>

namespace {

constexpr peal::tag question{1}, answer{2};

/// One of a client's numbers; a negative one says that it was the last.
struct number {
  int client;
  int value;
};

class server {
 public:
  explicit server(const peal::communicator& world) : world_{world}, clients_{world.size() - 1} {}

  void run() {
    const int set = epoll_create1(EPOLL_CLOEXEC),
              timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    const itimerspec ten_milliseconds{{0, 10'000'000}, {0, 10'000'000}};
    timerfd_settime(timer, 0, &ten_milliseconds, nullptr);
    for (const int each : {timer, requests_.event_fd()}) {
      epoll_event wanted{};
      wanted.events = EPOLLIN;
      wanted.data.fd = each;
      epoll_ctl(set, EPOLL_CTL_ADD, each, &wanted);
    }
    if (clients_ > 0) listen();
    while (clients_ > 0 || ticks_ == 0) {
      requests_.poll();  // calls the handlers of what has ended
      // the last call of peal before the sleep; false: there is more to do first
      const bool sleeps = requests_.arm();
      epoll_event event{};
      if (epoll_wait(set, &event, 1, sleeps ? -1 : 0) != 1 || event.data.fd != timer) continue;
      std::uint64_t times = 0;
      if (read(timer, &times, sizeof times) == sizeof times) ++ticks_;
    }
    close(timer);
    close(set);
    std::cout << served_ << " squares served, and the timer has ticked\n";
  }

 private:
  void listen() {
    requests_.add(world_.irecv<number>(peal::any_source, question), [this](number asked) {
      if (asked.value < 0) --clients_;
      else {
        ++served_;
        requests_.add(world_.isend(std::vector{asked.value * asked.value}, asked.client, answer));
      }
      if (clients_ > 0) listen();
    });
  }

  const peal::communicator& world_;
  peal::completion_queue requests_;
  int clients_;
  int served_ = 0, ticks_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  const int requests = argc > 1 ? std::atoi(argv[1]) : 20;
  if (world.rank() == 0) {
    server{world}.run();
    return 0;
  }
  for (int value = 0; value < requests; ++value) {
    usleep(static_cast<useconds_t>(500 * world.rank()));
    world.send(number{world.rank(), value}, 0, question);
    if (world.recv<std::vector<int>>(0, answer) != std::vector{value * value})
      peal::abort(1, "a wrong answer");
  }
  world.send(number{world.rank(), -1}, 0, question);
}
