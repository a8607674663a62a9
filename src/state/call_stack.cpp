#include "state/call_stack.hpp"

#include <unwind.h>

namespace peal::state {

namespace {

struct walk {
  std::span<std::uint64_t> into;
  std::size_t count = 0;
};

_Unwind_Reason_Code step(_Unwind_Context* at, void* of) {
  walk& self = *static_cast<walk*>(of);
  if (self.count == self.into.size()) return _URC_END_OF_STACK;
  const auto address = static_cast<std::uint64_t>(_Unwind_GetIP(at));
  if (address == 0) return _URC_END_OF_STACK;
  self.into[self.count++] = address;
  return _URC_NO_REASON;
}

}  // namespace

std::size_t call_stack(std::span<std::uint64_t> into) noexcept {
  walk self{into};
  _Unwind_Backtrace(step, &self);
  return self.count;
}

}  // namespace peal::state
