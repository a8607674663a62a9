// A block in ordinary memory, and ranks that are threads of one process.
#pragma once

#include <sched.h>

#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "collective/direct/flags.hpp"
#include "peal/detail/core.hpp"

namespace peal::test {

class shared_block {
 public:
  explicit shared_block(int ranks, std::size_t area = direct::area_bytes)
      : memory_{static_cast<std::byte*>(::operator new(direct::block_bytes(ranks, area),
                                                       std::align_val_t{alignof(direct::block)}))} {
    std::memset(memory_.get(), 0, direct::block_bytes(ranks, area));
  }
  direct::block& operator*() { return *reinterpret_cast<direct::block*>(memory_.get()); }

 private:
  struct aligned_delete {
    void operator()(std::byte* memory) const noexcept {
      ::operator delete(memory, std::align_val_t{alignof(direct::block)});
    }
  };
  std::unique_ptr<std::byte, aligned_delete> memory_;
};

/// Makes a call. Gives the core away while it has to wait. `all`: the flags, or those of groups.
template <class Play, class Flags, class... Further>
std::error_code run(Flags& all, const detail::collective_call& what, Further... further) {
  Play call{all, what, further...};
  if (!call.valid()) return errc::invalid_argument;
  call.begin();
  while (!call.over()) {
    while (!call.ready()) sched_yield();
    (void)call.step();
  }
  return call.error();
}

/// Runs `body(rank, flags)` as so many ranks.
inline void as_ranks(int size, const std::function<void(int, direct::flags&)>& body,
                     std::size_t area = direct::area_bytes) {
  shared_block memory{size, area};
  std::vector<std::thread> ranks;
  for (int rank = 0; rank != size; ++rank)
    ranks.emplace_back([&, rank] {
      direct::flags own{*memory, rank, size, area};
      body(rank, own);
    });
  for (std::thread& each : ranks) each.join();
}

}  // namespace peal::test
