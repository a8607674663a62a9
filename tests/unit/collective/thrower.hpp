// tests/unit/collective/thrower.hpp
// A user's operation that throws when it is told to.
#pragma once

#include <cstddef>
#include <stdexcept>

namespace peal::test {

struct thrower {
  bool throws = false;
};

/// Sums of T; `context` is a thrower.
template <class T>
void add_or_throw(void* context, const void* in, void* inout, std::size_t count) {
  if (static_cast<const thrower*>(context)->throws) throw std::domain_error{"no"};
  for (std::size_t i = 0; i != count; ++i)
    static_cast<T*>(inout)[i] += static_cast<const T*>(in)[i];
}

}  // namespace peal::test
