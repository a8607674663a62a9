#include "record/recorder.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/log.hpp"

namespace peal::detail {
constinit thread_local calling_function now_calling [[gnu::tls_model("initial-exec")]];
}  // namespace peal::detail

namespace peal::record {

recorder* recorder::active_ = nullptr;
recorder* recorder::counting_ = nullptr;
recorder* recorder::last_ = nullptr;

recorder::recorder(rank_file& into, const recorder_options& options, event_log events) noexcept
    : file_{into},
      peers_{reinterpret_cast<peer_traffic*>(&into + 1)},
      threads_{options.threads},
      events_{std::move(events)} {
  file_header& head = file_.head;
  head.rank = options.rank;
  head.ranks = options.ranks;
  head.pid = ::getpid();
  ::gethostname(head.host.data(), head.host.size() - 1);
  head.event_limit = options.events;
  head.strings = 1;
  // Site 0 is of what belongs to no call, or of calls for which there was no room.
  head.sites = 1;
  head.began_ticks = head.last_ticks = ticks();
  head.began_ns = head.last_ns = nanoseconds();
  // release: whoever finds the number finds the rest.
  std::atomic_ref{head.layout}.store(layout_number, std::memory_order_release);
}

recorder* recorder::open(const recorder_options& options) {
  const std::string file = options.folder + "/rank." + std::to_string(options.rank);
  const std::size_t bytes = file_bytes(options.ranks);
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  int problem = descriptor < 0 ? errno : 0;
  void* at = MAP_FAILED;
  if (descriptor >= 0) {
    // Allocated now: a store for which the file system has no space would end the process.
    problem = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
    if (problem == 0) {
      at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
      if (at == MAP_FAILED) problem = errno;
    }
    ::close(descriptor);
  }
  try {
    if (problem != 0) throw std::system_error{problem, std::generic_category(), file};
    event_log events =
        options.events > 0 ? event_log{file + ".events", options.events} : event_log{};
    active_ = new recorder{*static_cast<rank_file*>(at), options, std::move(events)};
  } catch (const std::system_error& refused) {
    log_warning("this rank is missing in the report of the run: {}", refused.what());
    return nullptr;
  }
  copied_ticks.store(&active_->copied_, std::memory_order_relaxed);
  return active_;
}

void recorder::close(std::string_view counters) noexcept {
  const auto held = guard();
  for (message_run& each : file_.recent) {
    enter(file_, peers_, each);
    each = {};
  }
  file_header& head = file_.head;
  const std::size_t length = std::min(counters.size(), file_.counters.size());
  std::copy_n(counters.begin(), length, file_.counters.begin());
  head.counters = static_cast<std::uint32_t>(length);
  head.events_lost = events_.lost();
  head.last_ticks = ticks();
  head.last_ns = nanoseconds();
  head.ended = 1;
  forget();
}

void recorder::forget() noexcept {
  counting_ = nullptr;
  if (active_ != nullptr) {
    delete last_;
    last_ = std::exchange(active_, nullptr);
  }
  copied_ticks.store(nullptr, std::memory_order_relaxed);
}

void recorder::touch(std::uint64_t now) noexcept {
  file_.head.last_ticks = now;
  file_.head.last_ns = nanoseconds();
  file_.head.events_lost = events_.lost();
}

bool recorder::is_due() noexcept { return std::exchange(due_, false); }

void recorder::time_next() noexcept {
  counting_ = nullptr;
  due_ = true;
}

std::uint32_t recorder::begin_timed() noexcept {
  if (!threads_) counting_ = this;
  return static_cast<std::uint32_t>(
      std::max<std::uint64_t>(std::exchange(since_timed_, std::uint64_t{0}), 1));
}

void recorder::flush(message_run& run) noexcept {
  enter(file_, peers_, run);
  since_timed_ += run.count();
  run.from = run.left;
}

void recorder::put_away(message_run& run) noexcept {
  flush(run);
  run.left = run.from = period();
  time_next();
}

// Two runs may want one place, so each of them has another one beside it.
std::uint32_t recorder::count_apart(call_kind kind, const std::source_location& where, int peer,
                                    std::uint64_t bytes) noexcept {
  std::uint64_t& named = detail::now_calling.place;
  const std::uint64_t key = key_of(kind, where);
  const std::size_t slot = slot_of(key, peer, bytes);
  message_run& other = file_.recent[slot ^ 1];
  if (other.key != key || other.bytes != bytes || other.peer != peer) {
    const std::uint32_t site = site_of(kind, where);
    message_run& first = file_.recent[slot];
    flush(other);
    // The one that is put aside stands in one place at any time, whenever the process may end.
    flush(first);
    other = first;
    const std::uint32_t few = period();
    first = {.key = key, .bytes = bytes, .peer = peer, .site = site, .left = few, .from = few};
  }
  message_run& run = file_.recent[slot].key == key && file_.recent[slot].bytes == bytes &&
                             file_.recent[slot].peer == peer
                         ? file_.recent[slot]
                         : other;
  if (named != 0) named |= 1;
  const std::uint32_t site = run.site;
  if (--run.left == 0) put_away(run);
  else if (--until_timed_ == 0) {
    until_timed_ = period();
    time_next();
  }
  return site;
}

std::uint32_t recorder::site_of(call_kind kind, const std::source_location& where) noexcept {
  // A function is one site, whatever it does.
  const detail::calling_function& now = detail::now_calling;
  const bool named = now.place != 0;
  const std::uint64_t key = (named ? now.place / 2 * 3 + reinterpret_cast<std::uintptr_t>(now.name)
                                   : key_of(kind, where)) *
                                mixer |
                            1;
  // keys_ are at the places where the search for them ends; a site's number is that place.
  std::size_t at = key >> 54;
  static_assert(most_sites == std::size_t{1} << 10);
  for (std::size_t tried = 0; tried != most_sites; ++tried, at = (at + 1) % most_sites) {
    if (at == 0) continue;
    if (keys_[at] == key) return static_cast<std::uint32_t>(at);
    if (keys_[at] != 0) continue;
    keys_[at] = key;
    call_site& made = file_.sites[at];
    made = {};
    made.kind = kind;
    ++file_.head.sites;
    if (named) {
      made.name = kept(now.name);
      place_address(made, reinterpret_cast<const void*>(now.place / 2));
    } else {
      made.file = kept(where.file_name());
      made.line = where.line();
    }
    return static_cast<std::uint32_t>(at);
  }
  ++file_.head.homeless;
  return 0;
}

std::uint32_t recorder::kept(std::string_view text) noexcept {
  std::uint32_t at = 0;
  while (at < file_.head.strings) {
    const std::string_view known{file_.strings.data() + at};
    if (known == text) return at;
    at += static_cast<std::uint32_t>(known.size() + 1);
  }
  if (at + text.size() + 1 > file_.strings.size()) return 0;
  std::ranges::copy(text, file_.strings.data() + at);
  file_.strings[at + text.size()] = '\0';
  file_.head.strings = at + static_cast<std::uint32_t>(text.size() + 1);
  return at;
}

// As addr2line takes it: from the beginning of the file, but for programs that lie at one address.
void recorder::place_address(call_site& of, const void* address) noexcept {
  Dl_info found{};
  of.address = std::bit_cast<std::uintptr_t>(address) - 1;  // in the call, not behind it
  if (::dladdr(address, &found) == 0 || found.dli_fname == nullptr) return;
  std::array<char, 4096> whole{};
  const bool known = ::realpath(found.dli_fname, whole.data()) != nullptr;
  of.file = kept(known ? whole.data() : found.dli_fname);
  Elf64_Ehdr start{};
  std::memcpy(&start, found.dli_fbase, sizeof start);
  if (start.e_type != ET_EXEC) of.address -= std::bit_cast<std::uintptr_t>(found.dli_fbase);
}

void recorder::received(int peer, std::uint64_t bytes) noexcept {
  const auto held = guard();
  count_received(peer, bytes);
}

void recorder::posted(const void* operation) noexcept {
  if (!events_.on()) return;
  const auto held = guard();
  posts_[operation] = events_.post();
}

void recorder::arrived(const void* operation, const std::source_location& where, int peer, int tag,
                       std::uint32_t context, std::uint64_t bytes) noexcept {
  const auto held = guard();
  count_received(peer, bytes);
  if (!events_.on()) return;
  const auto found = posts_.find(operation);
  if (found == posts_.end()) return;
  const std::uint64_t now = ticks();
  events_.add({.begin_ticks = now,
               .end_ticks = now,
               .bytes = bytes,
               .site = site_of(call_kind::received, where),
               .peer = peer,
               .tag = tag,
               .context = context,
               .posted = found->second,
               .thread = number_of_thread(),
               .kind = call_kind::received});
  posts_.erase(found);
}

void recorder::withdrawn(const void* operation) noexcept {
  if (!events_.on()) return;
  const auto held = guard();
  const auto found = posts_.find(operation);
  if (found == posts_.end()) return;
  const std::uint64_t now = ticks();
  events_.add({.begin_ticks = now,
               .end_ticks = now,
               .bytes = 0,
               .site = 0,
               .peer = -1,
               .tag = 0,
               .context = 0,
               .posted = found->second,
               .thread = number_of_thread(),
               .kind = call_kind::received});
  posts_.erase(found);
}

void recorder::collective_sent_locked(int peer, std::uint64_t bytes) noexcept {
  const auto held = guard();
  ++peers_[peer].collective_sent;
  peers_[peer].collective_bytes += bytes;
}

void recorder::used(call_kind kind, std::string_view algorithm, std::uint64_t bytes,
                    std::uint64_t took) noexcept {
  const auto held = guard();
  const auto length = static_cast<std::uint8_t>(class_of(bytes));
  const auto is_it = [&](const algorithm_use& each) {
    return each.kind == kind && each.length == length;
  };
  // Names of algorithms are constants: the same one lies in the same place.
  if (last_use_ != nullptr && is_it(*last_use_) && last_algorithm_.data() == algorithm.data() &&
      last_algorithm_.size() == algorithm.size()) [[likely]] {
    ++last_use_->calls;
    last_use_->ticks += took;
    return;
  }
  for (algorithm_use& each : file_.uses) {
    const bool empty = each.calls == 0;
    if (!empty && (!is_it(each) || std::string_view{each.name.data()} != algorithm)) continue;
    if (empty) {
      std::ranges::copy(algorithm.substr(0, each.name.size() - 1), each.name.data());
      each.kind = kind;
      each.length = length;
    }
    ++each.calls;
    each.ticks += took;
    last_use_ = &each;
    last_algorithm_ = algorithm;
    return;
  }
}

}  // namespace peal::record
