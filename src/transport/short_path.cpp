#include "transport/short_path.hpp"

namespace peal {

void receiver::ring() const noexcept { ringer->ring(index); }

}  // namespace peal
