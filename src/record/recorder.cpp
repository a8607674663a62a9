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

namespace peal::record {

recorder* recorder::active_ = nullptr;
recorder* recorder::last_ = nullptr;

namespace {

/// What a thread is doing.
struct doing {
  const char* function = nullptr;  // null: the place of a call names it
  const void* from = nullptr;
  bool further = false;  // this call of the function has been counted
  call_scope* innermost = nullptr;
};
// initial-exec: without a call of the loader's for each look.
[[gnu::tls_model("initial-exec")]] constinit thread_local doing now_doing;

constexpr std::uint64_t mixer = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio

std::uint64_t number_of(const std::source_location& where) noexcept {
  if constexpr (sizeof where == sizeof(std::uint64_t)) return std::bit_cast<std::uint64_t>(where);
  else return std::bit_cast<std::uintptr_t>(where.file_name()) + where.line() * mixer;
}
std::uint64_t key_of(call_kind kind, const std::source_location& where) noexcept {
  const doing& now = now_doing;
  const std::uint64_t place = now.function != nullptr
                                  ? std::bit_cast<std::uintptr_t>(now.from) * 3 +
                                        std::bit_cast<std::uintptr_t>(now.function)
                                  : number_of(where) * 32 + static_cast<std::uint64_t>(kind);
  return place * mixer | 1;
}

bool blocks(call_kind kind) noexcept {
  return kind == call_kind::probe || kind == call_kind::wait ||
         (kind >= call_kind::barrier && kind < call_kind::start_collective);
}

}  // namespace

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
  if (active_ != nullptr) {
    delete last_;
    last_ = std::exchange(active_, nullptr);
  }
  copied_ticks.store(nullptr, std::memory_order_relaxed);
}

void recorder::name_calls(const char* function, const void* from) noexcept {
  now_doing.function = function;
  now_doing.from = from;
  now_doing.further = false;
}

void recorder::touch(std::uint64_t now) noexcept {
  file_.head.last_ticks = now;
  file_.head.last_ns = nanoseconds();
  file_.head.events_lost = events_.lost();
}

std::uint32_t recorder::count(call_kind kind, const std::source_location* where, int peer,
                              std::uint64_t bytes) noexcept {
  message_run wanted{};
  wanted.key = where == nullptr ? 1 : key_of(kind, *where);
  wanted.bytes = bytes;
  wanted.peer = peer;
  wanted.kind = kind;
  wanted.further = where != nullptr && now_doing.function != nullptr && now_doing.further;
  now_doing.further = true;
  const std::uint64_t mixed =
      (wanted.key ^ bytes * 0xff51afd7ed558ccd ^ static_cast<std::uint32_t>(peer)) * mixer;
  message_run& run = file_.recent[mixed >> (64 - std::bit_width(recent_messages - 1))];
  if (run.key != wanted.key || run.bytes != bytes || run.peer != peer || run.kind != kind ||
      run.further != wanted.further) [[unlikely]]
    replace(run, wanted, where);
  ++run.count;
  return run.site;
}

void recorder::replace(message_run& run, const message_run& by,
                       const std::source_location* where) noexcept {
  const std::uint32_t site = where == nullptr ? 0 : site_of(by.kind, *where);
  enter(file_, peers_, run);
  run = by;
  run.site = site;
  if (until_touched_-- == 0) {
    until_touched_ = period;
    touch(ticks());
  }
}

std::uint32_t recorder::site_of(call_kind kind, const std::source_location& where) noexcept {
  const std::uint64_t key = key_of(kind, where);
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
    if (now_doing.function != nullptr) {
      made.name = kept(now_doing.function);
      place_address(made, now_doing.from);
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
  count(call_kind::received, nullptr, peer, bytes);
}

void recorder::posted(const void* operation) noexcept {
  const auto held = guard();
  if (events_.on()) posts_[operation] = events_.post();
}

void recorder::arrived(const void* operation, const std::source_location& where, int peer, int tag,
                       std::uint32_t context, std::uint64_t bytes) noexcept {
  const auto held = guard();
  count(call_kind::received, nullptr, peer, bytes);
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
               .kind = call_kind::received});
  posts_.erase(found);
}

void recorder::withdrawn(const void* operation) noexcept {
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
               .kind = call_kind::received});
  posts_.erase(found);
}

void recorder::collective_sent(int peer, std::uint64_t bytes) noexcept {
  const auto held = guard();
  ++peers_[peer].collective_sent;
  peers_[peer].collective_bytes += bytes;
}

void recorder::used(call_kind kind, std::string_view algorithm, std::uint64_t bytes,
                    std::uint64_t took) noexcept {
  const auto held = guard();
  const auto length = static_cast<std::uint8_t>(class_of(bytes));
  for (algorithm_use& each : file_.uses) {
    const bool empty = each.calls == 0;
    if (!empty && (each.kind != kind || each.length != length ||
                   std::string_view{each.name.data()} != algorithm))
      continue;
    if (empty) {
      std::ranges::copy(algorithm.substr(0, each.name.size() - 1), each.name.data());
      each.kind = kind;
      each.length = length;
    }
    ++each.calls;
    each.ticks += took;
    return;
  }
}

call_scope::call_scope(recorder& in, call_kind kind, const std::source_location& where, int peer,
                       std::uint64_t bytes, bool timed) noexcept
    : in_{in}, outer_{now_doing.innermost}, kind_{kind}, where_{where}, bytes_{bytes} {
  const auto held = in.guard();
  if (kind != call_kind::recv) site_ = in.count(kind, &where, peer, bytes);
  if (in.events_.on()) {
    weight_ = 1;
  } else if (outer_ != nullptr) {
    return;
  } else if (timed) {
    weight_ = 1;
  } else if (--in.until_timed_ == 0) {
    in.until_timed_ = recorder::period;
    weight_ = recorder::period;
  }
  if (outer_ == nullptr) now_doing.innermost = this;
  copied_before_ = in.copied_.load(std::memory_order_relaxed);  // relaxed: a sum
  if (weight_ != 0) began_ = ticks();
}

call_scope::~call_scope() {
  const std::uint64_t now = began_ != 0 ? ticks() : 0;
  const auto held = in_.guard();
  if (kind_ == call_kind::recv) site_ = in_.count(kind_, &where_, got_peer_, got_bytes_);
  // Programs that test again and again would fill a trace with nothing else.
  constexpr std::uint64_t short_ticks = 5000;
  if (began_ != 0 && in_.events_.on() && (kind_ != call_kind::test || now - began_ >= short_ticks))
      [[unlikely]] {
    const bool got = kind_ == call_kind::recv;
    in_.events_.add({.begin_ticks = began_,
                     .end_ticks = now,
                     .bytes = got ? got_bytes_ : bytes_,
                     .site = site_,
                     .peer = got ? got_peer_ : peer_,
                     .tag = tag_,
                     .context = context_,
                     .posted = posted_,
                     .kind = kind_});
  }
  if (outer_ != nullptr) return;
  now_doing.innermost = nullptr;
  call_site& site = in_.file_.sites[site_];
  const std::uint64_t copied = in_.copied_.load(std::memory_order_relaxed) - copied_before_;
  site.copy_ticks += copied;
  if (began_ == 0) {
    site.wait_ticks += waited_;
    site.longest_ticks = std::max(site.longest_ticks, waited_);
    return;
  }
  in_.seen(now);
  const std::uint64_t took = now - began_, other = took > copied ? took - copied : 0;
  site.longest_ticks = std::max(site.longest_ticks, took);
  if (blocks(kind_)) {
    site.wait_ticks += other;
  } else {
    site.wait_ticks += waited_;
    const std::uint64_t handled = other > waited_ ? other - waited_ : 0;
    // What is rare and long, as the first message to a peer, does not stand for others.
    constexpr std::uint64_t long_ticks = 20000;
    site.handling_ticks += handled * (handled > long_ticks ? 1 : weight_);
  }
}

void wait_scope::begin() noexcept {
  of_ = now_doing.innermost;
  if (of_ == nullptr) return;
  copied_before_ = in_->copied_.load(std::memory_order_relaxed);
  began_ = ticks();
}

void wait_scope::end() noexcept {
  if (of_ == nullptr) return;
  const std::uint64_t now = ticks();
  in_->seen(now);
  const std::uint64_t took = now - began_,
                      copied = in_->copied_.load(std::memory_order_relaxed) - copied_before_;
  if (took > copied) of_->waited_ += took - copied;
}

}  // namespace peal::record
