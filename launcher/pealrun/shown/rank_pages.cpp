#include "shown/rank_pages.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "collective/choice/choice.hpp"
#include "shown/process_stat.hpp"
#include "state/rank_state.hpp"

namespace peal::launcher {

namespace {

namespace fs = std::filesystem;
using state::rank_page;

std::string text_of(const auto& characters) {
  return {characters.data(), ::strnlen(characters.data(), characters.size())};
}

double seconds_since(std::int64_t then) {
  return then == 0 ? 0
                   : std::max(0.0, static_cast<double>(state::now_in_nanoseconds() - then) / 1e9);
}

/// Copies a wait whole, or says that it went meanwhile. The writer is at it for microseconds.
bool copy_whole(const state::wait_entry& from, state::wait_entry& into) {
  for (int attempt = 0; attempt != 1000; ++attempt) {
    const std::uint32_t before = from.sequence.load(std::memory_order_acquire);
    if (before % 2 == 0) {
      std::memcpy(static_cast<void*>(&into), static_cast<const void*>(&from), sizeof into);
      std::atomic_thread_fence(std::memory_order_acquire);
      if (from.sequence.load(std::memory_order_relaxed) == before)
        return into.used.load(std::memory_order_relaxed) != 0;
    }
    ::usleep(10);
  }
  return false;
}

shown_wait wait_of(const state::wait_entry& from) {
  shown_wait made;
  made.kind = from.kind;
  made.thread = from.thread;
  made.seconds = seconds_since(from.since);
  made.began = from.since;
  made.peer = from.peer;
  made.world = from.world;
  made.tag = from.tag;
  made.context = from.context;
  if (from.bytes != state::unknown_bytes) made.bytes = from.bytes;
  constexpr std::int32_t kinds = static_cast<std::int32_t>(detail::collective::neighbor_alltoall);
  if (from.collective >= 0 && from.collective <= kinds)
    made.collective = name_of(static_cast<detail::collective>(from.collective));
  made.root = from.root;
  made.number = from.number;
  const auto count = [](std::uint32_t wanted, const auto& room) {
    return std::min<std::size_t>(wanted, room.size());
  };
  made.awaited.assign(
      from.awaited.begin(),
      from.awaited.begin() + static_cast<std::ptrdiff_t>(count(from.awaited_count, from.awaited)));
  made.frames.assign(from.frame.begin(), from.frame.begin() + static_cast<std::ptrdiff_t>(
                                                                  count(from.frames, from.frame)));
  const std::size_t held = count(from.pending_count, from.held);
  for (std::size_t each = 0; each != held; ++each)
    made.messages.push_back({from.held[each].kind, from.held[each].peer, from.held[each].tag,
                             from.held[each].context, from.held[each].bytes});
  made.more_messages = from.pending_count - static_cast<unsigned>(held);
  return made;
}

/// A continuation that runs in a wait may wait itself: then the thread is in that wait.
void keep_innermost(std::vector<shown_wait>& waits) {
  std::ranges::sort(waits, [](const shown_wait& a, const shown_wait& b) {
    return a.thread != b.thread ? a.thread < b.thread : a.began > b.began;
  });
  const auto rest = std::ranges::unique(waits, {}, &shown_wait::thread);
  waits.erase(rest.begin(), rest.end());
}

}  // namespace

std::optional<mapped_page> mapped_page::of_process(pid_t process) {
  std::error_code failed;
  const std::string wanted = fmt::format("/memfd:{} ", state::page_name);
  for (fs::directory_iterator each{fmt::format("/proc/{}/fd", process), failed}, end;
       !failed && each != end; each.increment(failed)) {
    std::error_code gone;
    // "/memfd:peal-state (deleted)"
    if (!fs::read_symlink(each->path(), gone).string().starts_with(wanted) || gone) continue;
    const int file = ::open(each->path().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) continue;
    struct stat about{};
    void* memory = MAP_FAILED;
    if (::fstat(file, &about) == 0 && about.st_size >= static_cast<off_t>(sizeof(rank_page)))
      memory = ::mmap(nullptr, sizeof(rank_page), PROT_READ, MAP_SHARED, file, 0);
    ::close(file);
    if (memory == MAP_FAILED) continue;
    auto* const page = static_cast<rank_page*>(memory);
    // acquire: pairs with the release of the process, for all that it wrote before.
    if (std::atomic_ref{page->magic}.load(std::memory_order_acquire) == state::page_magic &&
        page->version == state::page_version && page->bytes == sizeof(rank_page))
      if (const auto now = process_stat::of(process)) return mapped_page{page, process, now->start};
    ::munmap(memory, sizeof(rank_page));
  }
  return std::nullopt;
}

mapped_page::~mapped_page() {
  if (page_ != nullptr) ::munmap(const_cast<rank_page*>(page_), sizeof(rank_page));
}

mapped_page::mapped_page(mapped_page&& from) noexcept
    : page_{std::exchange(from.page_, nullptr)}, process_{from.process_}, start_{from.start_} {}

bool mapped_page::alive() const {
  const auto now = process_stat::of(process_);
  return now && now->start == start_ && now->state != 'Z' && now->state != 'X';
}

std::string mapped_page::job() const { return text_of(page_->job); }

shown_rank mapped_page::read() const {
  shown_rank made;
  made.rank = page_->rank;
  made.host = text_of(page_->host);
  made.pid = process_;
  made.phase = page_->now.load(std::memory_order_acquire);
  made.phase_seconds = seconds_since(page_->now_since.load(std::memory_order_relaxed));
  made.helped = page_->helper.load(std::memory_order_relaxed) != 0;
  if (const auto now = process_stat::of(process_)) {
    made.process = now->state;
    made.cpu_seconds = now->cpu_seconds;
  }
  for (const state::lane_activity& each : page_->lanes) {
    made.activity.turns += each.turns.load(std::memory_order_relaxed);
    made.activity.moves += each.moves.load(std::memory_order_relaxed);
    made.activity.messages += each.messages.load(std::memory_order_relaxed);
    made.activity.bytes += each.bytes.load(std::memory_order_relaxed);
  }
  for (const state::communicator_entry& each : page_->communicators) {
    if (each.used.load(std::memory_order_acquire) == 0) continue;
    const auto begun = static_cast<std::uint32_t>(each.calls.load(std::memory_order_relaxed) >> 32);
    made.activity.collectives += begun;
    made.communicators.push_back({each.context, each.rank, each.size, begun, text_of(each.name)});
  }
  for (const state::wait_entry& each : page_->waits) {
    if (each.used.load(std::memory_order_relaxed) == 0) continue;
    if (state::wait_entry whole; copy_whole(each, whole)) made.waits.push_back(wait_of(whole));
  }
  keep_innermost(made.waits);
  return made;
}

std::set<pid_t> family_of(pid_t process) {
  std::map<pid_t, std::vector<pid_t>> children;
  for (const pid_t each : all_processes())
    if (const auto now = process_stat::of(each)) children[now->parent].push_back(each);
  std::set<pid_t> found{process};
  std::vector<pid_t> next{process};
  while (!next.empty()) {
    const pid_t parent = next.back();
    next.pop_back();
    for (const pid_t each : children[parent])
      if (found.insert(each).second) next.push_back(each);
  }
  return found;
}

void rank_pages::look() {
  std::erase_if(found_, [](const auto& each) { return !each.second.alive(); });
  const std::set<pid_t> family = ancestor_ != 0 ? family_of(ancestor_) : std::set<pid_t>{};
  for (const pid_t each : all_processes()) {
    if ((ancestor_ != 0 && !family.contains(each)) || found_.contains(each)) continue;
    if (fits_ && !fits_(each)) continue;
    if (auto page = mapped_page::of_process(each)) {
      // A child that the rank has forked has the same page.
      const bool forked = std::ranges::any_of(found_, [&](const auto& known) {
        return known.second.page().rank == page->page().rank && known.second.job() == page->job();
      });
      if (!forked) found_.emplace(each, std::move(*page));
    }
  }
}

std::vector<job_snapshot> rank_pages::read() {
  std::map<std::string, job_snapshot> jobs;
  for (const auto& [process, each] : found_) {
    if (!each.alive()) continue;
    job_snapshot& into = jobs[each.job()];
    into.job = each.job();
    into.size = each.page().size;
    into.at(each.page().rank) = each.read();
  }
  std::vector<job_snapshot> made;
  for (auto& [name, each] : jobs) made.push_back(std::move(each));
  return made;
}

}  // namespace peal::launcher
