#include "memory/node_heap.hpp"

#include <algorithm>

#include "base/cache_line.hpp"
#include "base/log.hpp"
#include "base/page.hpp"

namespace peal {
namespace {

/// Unit of committing: a huge page, so that the kernel can use one where it is allowed to.
constexpr std::size_t granule = std::size_t{2} << 20;
/// Kept though free, so that a program that allocates and frees in turn pays for its pages once.
constexpr std::size_t keep_idle = std::size_t{64} << 20;

}  // namespace

node_heap::node_heap(node_segment& segment)
    : segment_{&segment},
      part_{segment.heap_part(segment.index())},
      committed_(round_up(part_.bytes, granule) / granule) {
  if (part_.bytes > 0) insert_free(0, part_.bytes);
}

bool node_heap::contains(const void* block) const noexcept {
  if (!segment_->contains(block, 0)) return false;
  const std::size_t offset = segment_->offset_of(block);
  return offset >= part_.offset && offset - part_.offset < part_.bytes;
}

void node_heap::insert_free(std::size_t offset, std::size_t bytes) {
  free_.emplace(offset, bytes);
  by_size_.emplace(bytes, offset);
}

void node_heap::erase_free(std::map<std::size_t, std::size_t>::iterator place) {
  by_size_.erase({place->second, place->first});
  free_.erase(place);
}

void* node_heap::allocate(std::size_t bytes) noexcept try {
  if (bytes > part_.bytes) return nullptr;
  const std::size_t unit = bytes >= page ? page : cache_line;
  const std::size_t size = round_up(std::max<std::size_t>(bytes, 1), unit);
  const std::scoped_lock lock{mutex_};
  // Best fit; a page-aligned start may cost up to a page, so one larger range is tried when the
  // smallest does not do.
  for (auto each = by_size_.lower_bound({size, 0}); each != by_size_.end();
       each = by_size_.lower_bound({size + unit, 0})) {
    const auto [room, start] = *each;
    const std::size_t begin = round_up(start, unit);
    if (begin + size > start + room) continue;
    if (!commit(begin, size)) return nullptr;
    used_.emplace(begin, size);
    used_bytes_ += size;
    erase_free(free_.find(start));
    if (begin > start) insert_free(start, begin - start);
    if (begin + size < start + room) insert_free(begin + size, start + room - begin - size);
    return segment_->at(part_.offset + begin);
  }
  return nullptr;
} catch (...) {  // no memory for the books
  return nullptr;
}

void node_heap::deallocate(void* block) noexcept {
  const std::size_t offset = segment_->offset_of(block) - part_.offset;
  const std::scoped_lock lock{mutex_};
  const auto place = used_.find(offset);
  if (place == used_.end()) {
    log_error("a block that peal::allocate did not give, or that was freed before, was freed");
    return;
  }
  std::size_t begin = offset, bytes = place->second;
  used_.erase(place);
  used_bytes_ -= bytes;
  auto after = free_.lower_bound(begin);
  if (after != free_.end() && after->first == begin + bytes) {
    bytes += after->second;
    erase_free(after++);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == begin) {
      begin = before->first;
      bytes += before->second;
      erase_free(before);
    }
  }
  insert_free(begin, bytes);
  if (committed_bytes_ - std::min(committed_bytes_, used_bytes_) > keep_idle) trim();
}

bool node_heap::commit(std::size_t offset, std::size_t bytes) {
  if (commit_pages(offset, bytes) == 0) return true;
  trim();  // what lies idle here may be what is missing there
  const int error = commit_pages(offset, bytes);
  if (error != 0 && !said_full_) {
    said_full_ = true;
    log_warning("peal::allocate goes on with ordinary memory: {}",
                segment_->shortage(bytes, error));
  }
  return error == 0;
}

int node_heap::commit_pages(std::size_t offset, std::size_t bytes) {
  const std::size_t last = (offset + bytes - 1) / granule;
  for (std::size_t each = offset / granule; each <= last;) {
    std::size_t end = each;
    while (end <= last && !committed_[end]) ++end;
    if (end == each) {
      ++each;
      continue;
    }
    const std::size_t from = each * granule;
    const std::size_t length = std::min(end * granule, part_.bytes) - from;
    if (const int error = segment_->commit(part_.offset + from, length); error != 0) return error;
    std::fill(committed_.begin() + static_cast<std::ptrdiff_t>(each),
              committed_.begin() + static_cast<std::ptrdiff_t>(end), true);
    committed_bytes_ += length;
    each = end;
  }
  return 0;
}

/// Gives back every granule in which nothing is used.
void node_heap::trim() {
  for (const auto& [offset, bytes] : free_) {
    const std::size_t first = round_up(offset, granule) / granule;
    const std::size_t end =
        offset + bytes == part_.bytes ? committed_.size() : (offset + bytes) / granule;
    for (std::size_t each = first; each < end; ++each)
      if (committed_[each]) {
        const std::size_t length = std::min(granule, part_.bytes - each * granule);
        segment_->give_back(part_.offset + each * granule, length);
        committed_[each] = false;
        committed_bytes_ -= length;
      }
  }
}

}  // namespace peal
