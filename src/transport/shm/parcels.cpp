#include "transport/shm/parcels.hpp"

#include <algorithm>
#include <new>

namespace peal::shm {

parcels::parcels(node_segment& segment)
    : segment_{&segment},
      small_front_{segment.front(segment.index()).offset + offsetof(front, small_parcels)},
      large_front_{segment.front(segment.index()).offset + offsetof(front, large_parcels)} {
  const parts own = parts::of(segment, segment.index());
  large_parts_ = own.large_parcels;
  small_ = {small_parcel, small_parcel_step, segment.slices(), 0, {}};
  large_ = {large_parcel, large_parcel_step, own.large_parcel_count / large_parcel_step, 0, {}};
  for (std::uint32_t each = front_small_parcels; each-- > 0;)
    small_.free.push_back(small_front_ + each * small_parcel);
  for (std::uint32_t each = front_large_parcels; each-- > 0;)
    large_.free.push_back(large_front_ + each * large_parcel);
}

std::uint64_t parcels::step_of(const pool& p, std::size_t which) const noexcept {
  return &p == &small_ ? segment_->slice(segment_->index(), which).offset
                       : large_parts_ + which * p.a_step * p.size;
}

bool parcels::grow(pool& p) noexcept {
  if (p.reserved == p.steps) return false;
  try {
    // Room for all that there are, so that giving back never allocates.
    p.free.reserve(p.free.capacity() + p.a_step);
  } catch (const std::bad_alloc&) {
    return false;
  }
  const std::uint64_t step = step_of(p, p.reserved);
  if (segment_->commit(step, p.a_step * p.size) != 0) return false;
  ++p.reserved;
  for (std::size_t each = p.a_step; each-- > 0;) p.free.push_back(step + each * p.size);
  return true;
}

parcel* parcels::take(std::size_t bytes) noexcept {
  pool& p = sizeof(parcel) + bytes <= small_parcel ? small_ : large_;
  if (p.free.empty() && !grow(p)) return nullptr;
  const std::uint64_t offset = p.free.back();
  p.free.pop_back();
  return segment_->at<parcel>(offset);
}

void parcels::put_back(parcel& item) noexcept {
  const std::uint64_t offset = segment_->offset_of(&item);
  const bool large =
      offset >= large_parts_ ||
      (offset >= large_front_ && offset < large_front_ + front_large_parcels * large_parcel);
  (large ? large_ : small_).free.push_back(offset);
}

}  // namespace peal::shm
