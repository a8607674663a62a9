#include "bootstrap/start_member.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>

#include "peal/error.hpp"

namespace peal {

using namespace start_layout;

namespace {

struct handed_over {
  int descriptor = -1;
  int pid = 0;
  std::uint64_t device = 0, inode = 0;
  std::string_view job;
};

/// Nothing when the text is none of ours.
std::optional<handed_over> read_variable(const char* text) {
  handed_over told;
  unsigned long long device = 0, inode = 0;
  int end = 0;
  if (std::sscanf(text, "%d:%d:%llu:%llu:%n", &told.descriptor, &told.pid, &device, &inode, &end) !=
          4 ||
      end == 0)
    return std::nullopt;
  told.device = device;
  told.inode = inode;
  told.job = text + end;
  return told;
}

bool is_it(int file, const handed_over& told) {
  struct stat status{};
  return ::fstat(file, &status) == 0 && status.st_dev == told.device && status.st_ino == told.inode;
}

/// A descriptor of our own: the program may close those that it has inherited.
int open_file(const handed_over& told) {
  if (is_it(told.descriptor, told)) {
    const int file = ::fcntl(told.descriptor, F_DUPFD_CLOEXEC, first_descriptor + 1);
    return file >= 0 ? file : ::fcntl(told.descriptor, F_DUPFD_CLOEXEC, 3);  // few are allowed
  }
  const std::string by_name = fmt::format("/proc/{}/fd/{}", told.pid, told.descriptor);
  const int file = ::open(by_name.c_str(), O_RDWR | O_CLOEXEC);
  if (file >= 0 && is_it(file, told)) return file;
  if (file >= 0) ::close(file);
  return -1;
}

}  // namespace

std::unique_ptr<start_member> start_member::of_environment() {
  const char* const text = std::getenv(variable_name);
  const char* const job = std::getenv("PMIX_NAMESPACE");
  const char* const rank = std::getenv("PMIX_RANK");
  if (text == nullptr || job == nullptr || rank == nullptr) return nullptr;
  const auto told = read_variable(text);
  // Another launcher may have been started by a rank: what it says of its ranks counts.
  if (!told || told->job != job) return nullptr;
  std::unique_ptr<start_member> made{new start_member};
  segment_view& view = made->view_;
  view.file = open_file(*told);
  if (view.file < 0)
    throw error(errc::bootstrap_failed,
                fmt::format("the memory that pealrun shares with its ranks cannot be reached: "
                            "descriptor {} was closed on the way to this program, and "
                            "/proc/{}/fd/{} cannot be opened; keep it open, or start with "
                            "PEAL_BOOTSTRAP=pmix",
                            told->descriptor, told->pid, told->descriptor));
  header first;
  if (::pread(view.file, &first, sizeof first, 0) != sizeof first || first.magic != magic)
    return nullptr;
  made->rank_ = std::atoi(rank);
  made->size_ = static_cast<int>(first.ranks);
  if (made->rank_ < 0 || made->rank_ >= made->size_)
    throw error(errc::bootstrap_failed,
                fmt::format("PMIX_RANK={} is no rank of this job: it has ranks 0 to {}", rank,
                            made->size_ - 1));
  map_fixed(view, fixed_bytes(first.ranks));
  made->job_ = view.read(first.job.offset, first.job.bytes);
  made->distances_ = view.read(first.distances.offset, first.distances.bytes);
  made->cores_ = static_cast<int>(first.cores);
  slot& mine = view.at(made->rank_);
  made->application_ = static_cast<int>(mine.application);
  // relaxed: only the processes of this rank write it, one after the other
  made->first_exchange_ = mine.told.load(std::memory_order_relaxed);
  mine.state.fetch_and(~slot::finalized, std::memory_order_relaxed);
  mine.state.fetch_or(slot::connected, std::memory_order_release);
  return made;
}

std::uint64_t start_member::append(std::string_view what) const {
  // relaxed: ranges are exclusive, and what is in them is published elsewhere
  const std::uint64_t at = view_.head().end.fetch_add(what.size(), std::memory_order_relaxed);
  write_all(view_.file, what, at);
  return at;
}

void start_member::tell(std::string_view what) {
  const std::uint64_t at = append(what);
  slot& mine = view_.at(rank_);
  const std::uint32_t number = mine.told.load(std::memory_order_relaxed) + 1;
  told_value& value = mine.values[number % 2];
  // A reader that is late, and finds the new place or length, finds another number afterwards:
  // release, which pairs with the acquires in value_of.
  value.number.store(0, std::memory_order_relaxed);
  value.offset.store(at, std::memory_order_release);
  value.bytes.store(static_cast<std::uint32_t>(what.size()), std::memory_order_release);
  value.number.store(number, std::memory_order_release);
  mine.told.store(number, std::memory_order_relaxed);  // only this rank reads it
}

namespace {

/// Where the value of that number lies; nothing when there is none.
std::optional<piece> value_of(const slot& of, std::uint32_t number) {
  const told_value& value = of.values[number % 2];
  // acquire: pairs with the releases in tell
  if (value.number.load(std::memory_order_acquire) != number) return std::nullopt;
  const piece found{value.offset.load(std::memory_order_acquire),
                    value.bytes.load(std::memory_order_acquire)};
  if (value.number.load(std::memory_order_relaxed) != number) return std::nullopt;
  return found;
}

}  // namespace

// One call reads all: values of one exchange lie side by side.
std::vector<std::string> start_member::told_by_all() const {
  const std::uint32_t number = view_.at(rank_).told.load(std::memory_order_relaxed);
  std::vector<std::optional<piece>> found(static_cast<std::size_t>(size_));
  std::uint64_t begin = std::numeric_limits<std::uint64_t>::max(), end = 0;
  for (int each = 0; each < size_; ++each) {
    auto& one = found[static_cast<std::size_t>(each)] = value_of(view_.at(each), number);
    if (!one) continue;
    begin = std::min(begin, one->offset);
    end = std::max(end, one->offset + one->bytes);
  }
  const std::string text = begin < end ? view_.read(begin, end - begin) : std::string{};
  std::vector<std::string> told(found.size());
  for (std::size_t each = 0; each < found.size(); ++each)
    if (found[each] && found[each]->offset - begin + found[each]->bytes <= text.size())
      told[each] = text.substr(found[each]->offset - begin, found[each]->bytes);
  return told;
}

std::string start_member::told_by(int rank, int exchange) const {
  const auto found =
      value_of(view_.at(rank), first_exchange_ + static_cast<std::uint32_t>(exchange) + 1);
  return found ? view_.read(found->offset, found->bytes) : std::string{};
}

namespace {

/// Whether count `a` has reached `b`; they may wrap around.
bool reached(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) >= 0; }

}  // namespace

/// Or will not come.
bool start_member::all_came(std::uint32_t fence) const noexcept {
  for (int each = 0; each < size_; ++each) {
    const slot& of = view_.at(each);
    // acquire: pairs with the release in fence; who came has told its part before
    if (!reached(of.arrived.load(std::memory_order_acquire), fence) &&
        (of.state.load(std::memory_order_acquire) & (slot::dead | slot::finalized)) == 0)
      return false;
  }
  return true;
}

bool start_member::fence(std::chrono::milliseconds patience,
                         const std::function<bool()>& progress) {
  using clock = std::chrono::steady_clock;
  using namespace std::chrono_literals;
  header& head = view_.head();
  slot& mine = view_.at(rank_);
  const std::uint32_t number = mine.arrived.load(std::memory_order_relaxed) + 1;
  mine.arrived.store(number, std::memory_order_release);  // pairs with the acquire in all_came
  const auto complete = [&] {
    std::uint32_t before = head.completed.load(std::memory_order_relaxed);
    // acq_rel: who finds the fence complete sees what all have written before they came
    while (!reached(before, number) &&
           !head.completed.compare_exchange_weak(before, number, std::memory_order_acq_rel)) {
    }
    futex_wake(head.completed);
  };
  // No rank comes to a fence before all have come to the one before, so this many have come to all
  // fences when the last one comes to this. acq_rel: it sees what the others have written.
  if (head.arrivals.fetch_add(1, std::memory_order_acq_rel) + 1 ==
      static_cast<std::uint64_t>(number) * static_cast<std::uint64_t>(size_))
    complete();
  std::optional<clock::time_point> until;
  std::optional<std::uint64_t> looked_at;
  // Nothing but the word changes, or a death, which wakes as well; the limit is for one that is
  // told between the look and the sleep. With something to do meanwhile each rank does it 2000
  // times a second where ranks have a core each; where they share cores, so rarely that all of them
  // together take a core no more time than that. 20 ms: somebody may wait for it.
  const int ranks_a_core = std::max(1, size_ / std::max(1, cores_));
  const std::chrono::nanoseconds longest =
      progress ? std::min<std::chrono::nanoseconds>(ranks_a_core * 500us, 20ms) : 100ms;
  for (std::chrono::nanoseconds pause = progress ? 20us : longest;;
       pause = std::min(pause * 2, longest)) {
    const bool given_up = progress && !progress();
    // acquire: pairs with the release in complete
    const std::uint32_t now = head.completed.load(std::memory_order_acquire);
    if (reached(now, number)) return true;
    // acquire: pairs with the release in tell_of_death
    if (head.deaths.load(std::memory_order_acquire) != 0) {
      if (!until) until = clock::now() + patience;
      const std::uint64_t state = head.arrivals.load(std::memory_order_acquire) +
                                  head.changes.load(std::memory_order_acquire);
      if (looked_at != state && all_came(number)) {
        complete();
        return true;
      }
      looked_at = state;
      if (clock::now() >= *until) return false;
    }
    if (given_up) return false;
    futex_wait(head.completed, now, &pause);
  }
}

bool start_member::has_news() const noexcept {
  // relaxed: hints; look reads again
  return view_.head().deaths.load(std::memory_order_relaxed) !=
         seen_deaths_.load(std::memory_order_relaxed);
}

void start_member::look(const std::function<void(const rank_failure&)>& dead) {
  // acquire: pairs with the release in tell_of_death
  const std::uint32_t deaths = view_.head().deaths.load(std::memory_order_acquire);
  for (int each = 0; each < size_; ++each)
    if (const slot& of = view_.at(each);
        (of.state.load(std::memory_order_relaxed) & slot::dead) != 0)
      dead({each, of.death.why, of.death.code, of.death.silent});
  // relaxed: threads that look at once find the same
  seen_deaths_.store(deaths, std::memory_order_relaxed);
}

std::uint32_t start_member::news() const noexcept {
  // acquire: pairs with the releases in tell_of_death and stop
  return view_.at(rank_).news.load(std::memory_order_acquire);
}

bool start_member::await_news(std::uint32_t& seen) const noexcept {
  const std::uint32_t before = seen;
  // relaxed: who has read the number that `stop` made, an acquire, sees this too. It may have been
  // made before the first call.
  while (!stopped_.load(std::memory_order_relaxed) && (seen = news()) == before)
    futex_wait(view_.at(rank_).news, before, nullptr);
  return !stopped_.load(std::memory_order_relaxed);
}

void start_member::stop() noexcept {
  stopped_.store(true, std::memory_order_relaxed);
  slot& mine = view_.at(rank_);
  mine.news.fetch_add(1, std::memory_order_release);  // pairs with the acquire in await_news
  futex_wake(mine.news);
}

void start_member::abort(int code, std::string_view why) noexcept {
  slot& mine = view_.at(rank_);
  mine.abort_code = code;
  try {
    mine.abort_text = {append(why), why.size()};
  } catch (...) {  // the code has to do
  }
  mine.state.fetch_or(slot::aborted, std::memory_order_release);  // pairs with the acquire in
                                                                  // state_of
  auto& calls = view_.head().calls;
  calls.fetch_add(1, std::memory_order_release);  // pairs with the acquire in await_call
  futex_wake(calls);
}

void start_member::leave() noexcept {
  header& head = view_.head();
  view_.at(rank_).state.fetch_or(slot::finalized, std::memory_order_release);
  head.changes.fetch_add(1, std::memory_order_release);  // pairs with the acquire in fence
  // acquire: pairs with the release in tell_of_death. Fences that wait look again.
  if (head.deaths.load(std::memory_order_acquire) != 0) futex_wake(head.completed);
}

}  // namespace peal
