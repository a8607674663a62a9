#include "memory/loaded_code.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <system_error>

#include "base/page.hpp"
#include "memory/code_patch.hpp"

namespace peal {

namespace {

// Written once, before the first instruction is changed; read by watchers.
std::array<object_code, most_patched> patched;
std::atomic<std::size_t> patched_count{0};

}  // namespace

object_code code_around(const void* address) {
  struct search {
    std::uintptr_t wanted;
    object_code found;
  } mine{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& into = *static_cast<search*>(data);
        for (int each = 0; each < info->dlpi_phnum; ++each) {
          const ElfW(Phdr)& part = info->dlpi_phdr[each];
          const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
          constexpr auto wanted = PF_R | PF_X;
          if (part.p_type != PT_LOAD || (part.p_flags & (PF_R | PF_X | PF_W)) != wanted) continue;
          if (into.wanted < begin || into.wanted >= begin + part.p_memsz) continue;
          into.found = {begin, begin + part.p_memsz};
          return 1;
        }
        return 0;
      },
      &mine);
  return mine.found;
}

object_code code_of_function(void* object, const char* name) {
  void* const function = dlsym(object, name);
  Dl_info info{};
  ElfW(Sym)* symbol = nullptr;
  if (!function ||
      dladdr1(function, &info, reinterpret_cast<void**>(&symbol), RTLD_DL_SYMENT) == 0 || !symbol)
    return {};
  const auto begin = reinterpret_cast<std::uintptr_t>(function);
  return {begin, begin + symbol->st_size};
}

std::uint8_t* page_near(std::uintptr_t low, std::uintptr_t high, std::uintptr_t reach) {
  // The largest pages that a kernel may have.
  constexpr std::uintptr_t largest_page = std::uintptr_t{1} << 16, step = std::uintptr_t{1} << 20;
  const auto try_at = [](std::uintptr_t wish) -> std::uint8_t* {
    void* const at = reinterpret_cast<void*>(wish & ~(largest_page - 1));
    void* const made = mmap(at, page, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (made == at) return static_cast<std::uint8_t*>(made);
    if (made != MAP_FAILED) munmap(made, page);  // kernels before 4.17 take the address for a hint
    return nullptr;
  };
  for (std::uintptr_t distance = largest_page; distance + (high - low) + largest_page < reach;
       distance += step) {
    if (std::uint8_t* const found = distance < low ? try_at(low - distance) : nullptr; found)
      return found;
    if (std::uint8_t* const found = try_at(high + distance); found) return found;
  }
  return nullptr;
}

bool keep_loaded(void* here) {
  Dl_info info{};
  link_map* self = nullptr;
  if (dladdr1(here, &info, reinterpret_cast<void**>(&self), RTLD_DL_LINKMAP) == 0 || !self)
    return false;
  if (self->l_name[0] == '\0') return true;
  return dlopen(self->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
}

std::string because(const char* what, long error) {
  return fmt::format("{}: {}", what, std::generic_category().message(static_cast<int>(-error)));
}

void note_patched(std::span<const object_code> objects) noexcept {
  const std::size_t count = std::min(objects.size(), most_patched);
  std::copy_n(objects.begin(), count, patched.begin());
  // release: pairs with the acquire in holds_patched_code
  patched_count.store(count, std::memory_order_release);
}

bool holds_patched_code(std::uintptr_t begin, std::uintptr_t end) noexcept {
  // Pairs with the release in note_patched.
  const std::size_t count = patched_count.load(std::memory_order_acquire);
  for (std::size_t each = 0; each < count; ++each)
    if (begin < patched[each].end && end > patched[each].begin) return true;
  return false;
}

}  // namespace peal
