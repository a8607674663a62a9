#include "transport/receiver.hpp"

namespace peal {

void receiver::ring() const noexcept { ringer->ring(index); }

}  // namespace peal
