#include "unit/transport/verbs/double/fabric/schedule.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "unit/transport/verbs/double/objects.hpp"

namespace peal::verbs_double {

namespace {

using namespace std::chrono_literals;

[[noreturn]] void refuse(const std::string& what) {
  throw std::invalid_argument{"VERBS_DOUBLE_EVENTS, VERBS_DOUBLE_CONTROL: not known: " + what};
}

struct place {
  card* on = nullptr;
  unsigned port = 0;
};

place find(const std::string& text, bool with_port) {
  unsigned node = 0, card = 0, port = 1;
  char slash = 0, more = 0;
  std::istringstream from{text};
  from >> node >> slash >> card;
  if (with_port) from >> more >> port;
  if (from && slash == '/' && (!with_port || more == '/') && from.peek() == EOF)
    for (const auto& each : everything().cards)
      if (each->node == node && each->place == card && port >= 1 && port <= each->ports.size())
        return {each.get(), port};
  refuse("no such port or card: " + text);
}

std::uint16_t short_number(const std::string& text) {
  return static_cast<std::uint16_t>(std::stoul(text, nullptr, 0));
}

void bring_up(place at, std::istringstream& words) {
  std::string word, value;
  std::uint16_t lid = 0;
  ibv_gid gid{};
  bool has_gid = false;
  const port& which = at.on->ports[at.port - 1];
  while (words >> word >> value) {
    if (word == "lid") lid = short_number(value);
    else if (word != "host") refuse(word);
    else
      gid = gid_of(
          {.network = which.network, .host = short_number(value), .infiniband = !which.ethernet()}),
      has_gid = true;
  }
  at.on->bring_up(at.port, lid, has_gid ? &gid : nullptr);
}

struct event {
  clock::time_point when;
  std::string what;
  clock::duration period = {};  // 0: it happens once
};

clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>{seconds});
}

event event_of(const std::string& line) {
  std::istringstream words{line};
  double seconds = 0, period = 0;
  if (!(words >> seconds)) return {clock::now(), line};
  if (words.peek() == '/') words.ignore() >> period;
  std::string what;
  std::getline(words, what);
  if (period <= 0) return {clock::now() + duration_of(seconds), what};
  // Of the clock that all processes have in common.
  const clock::duration every = duration_of(period), now = clock::now().time_since_epoch();
  return {clock::time_point{now - now % every + every + duration_of(seconds)}, what, every};
}

class follower {
 public:
  follower(std::string control, const std::string& events) : control_{std::move(control)} {
    add(events, ';');
  }
  [[noreturn]] void run() {
    for (;; std::this_thread::sleep_for(2ms)) {
      look();
      for (;;) {
        std::ranges::stable_sort(events_, {}, &event::when);
        if (events_.empty() || events_.front().when > clock::now()) break;
        const event next = events_.front();
        events_.erase(events_.begin());
        // In order, however late this thread is.
        if (next.period > clock::duration{})
          events_.push_back({next.when + next.period, next.what, next.period});
        try {
          happen(next.what);
        } catch (const std::exception& problem) {
          std::fprintf(stderr, "%s\n", problem.what());
          _exit(1);
        }
      }
    }
  }

 private:
  std::string control_;
  off_t read_ = 0;
  std::string rest_;  // a line that is not whole yet
  std::vector<event> events_;

  void add(const std::string& text, char between) {
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line, between);)
      if (line.find_first_not_of(" \t") != std::string::npos) events_.push_back(event_of(line));
  }
  void look() {
    const int file = control_.empty() ? -1 : open(control_.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    char piece[4096];
    for (ssize_t found = 0; (found = pread(file, piece, sizeof piece, read_)) > 0; read_ += found)
      rest_.append(piece, static_cast<std::size_t>(found));
    close(file);
    const std::size_t end = rest_.rfind('\n');
    if (end == std::string::npos) return;
    add(rest_.substr(0, end), '\n');
    rest_.erase(0, end + 1);
  }
};

}  // namespace

void happen(const std::string& what) {
  const lock hold{guard()};
  std::istringstream words{what};
  std::string verb, where;
  words >> verb >> where;
  const place at = find(where, verb != "die");
  port& which = at.on->ports[at.port - 1];
  if (verb == "cut" || verb == "mend") {
    which.cut = verb == "cut";
  } else if (verb == "down") {
    at.on->take_down(at.port);
  } else if (verb == "up") {
    bring_up(at, words);
  } else if (verb == "lose") {
    words >> which.loses_every;
  } else if (verb == "take") {
    words >> which.switch_takes;
  } else if (verb == "die") {
    at.on->die();
  } else if (verb == "keys") {
    std::vector<std::uint16_t> keys;
    for (std::string each; words >> each;) keys.push_back(short_number(each));
    at.on->change_keys(std::move(keys), at.port);
  } else {
    refuse(what);
  }
  everything().go_on();
  if (everything().others) everything().others->wake();
}

void follow_schedule() {
  const char* const control = std::getenv("VERBS_DOUBLE_CONTROL");
  const char* const events = std::getenv("VERBS_DOUBLE_EVENTS");
  if (!control && !events) return;
  auto made = std::make_unique<follower>(control ? control : "", events ? events : "");
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread{[own = std::move(made)] { own->run(); }}.detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace peal::verbs_double
