// The ways in which pages leave a process, or become others, while somebody may still know their
// address. Shared by the tests of the unmap hooks, of the registration cache, and of real
// transfers.
//
// Threads  a way belongs to one thread; it may start others.
#pragma once

#include <malloc.h>
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <condition_variable>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <vector>

namespace peal::test {

/// Memory that goes away, and comes again at the same address with other pages.
class leaving_memory {
 public:
  virtual ~leaving_memory() = default;
  /// Null when this system does not let us.
  virtual std::byte* come(std::size_t bytes) = 0;
  virtual void leave() = 0;
  /// Other pages at the same address; null when somebody else was quicker. Requires: it has left.
  virtual std::byte* come_again() = 0;
  /// Requires: it is there.
  virtual void end() = 0;
};

namespace ways {

inline std::byte* map(std::size_t bytes, void* at = nullptr, int flags = 0) {
  void* const made =
      mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  return made == MAP_FAILED ? nullptr : static_cast<std::byte*>(made);
}
inline std::byte* map_where_nothing_is(std::byte* at, std::size_t bytes) {
  std::byte* const made = map(bytes, at, MAP_FIXED_NOREPLACE);
  if (made && made != at) munmap(made, bytes);
  return made == at ? made : nullptr;
}

class mapped : public leaving_memory {
 public:
  std::byte* come(std::size_t bytes) override {
    bytes_ = bytes;
    return at_ = map(bytes);
  }
  std::byte* come_again() override { return map_where_nothing_is(at_, bytes_); }
  void end() override { munmap(at_, bytes_); }

 protected:
  std::byte* at_ = nullptr;
  std::size_t bytes_ = 0;
};

struct by_munmap final : mapped {
  void leave() override { munmap(at_, bytes_); }
};
struct by_a_system_call final : mapped {
  void leave() override { syscall(SYS_munmap, at_, bytes_); }
};
struct by_mmap_over_it final : mapped {
  void leave() override { map(bytes_, at_, MAP_FIXED); }
  std::byte* come_again() override { return at_; }
};
struct by_madvise final : mapped {
  void leave() override { madvise(at_, bytes_, MADV_DONTNEED); }
  std::byte* come_again() override { return at_; }
};
struct by_moving final : mapped {
  void leave() override {
    if (moved_ != MAP_FAILED) munmap(moved_, bytes_);
    void* const place = map(bytes_);
    moved_ = mremap(at_, bytes_, bytes_, MREMAP_MAYMOVE | MREMAP_FIXED, place);
  }
  void end() override {
    mapped::end();
    if (moved_ != MAP_FAILED) munmap(moved_, bytes_);
  }

 private:
  void* moved_ = MAP_FAILED;
};
struct by_something_moved_over_it final : mapped {
  void leave() override {
    static_cast<void>(mremap(map(bytes_), bytes_, bytes_, MREMAP_MAYMOVE | MREMAP_FIXED, at_));
  }
  std::byte* come_again() override { return at_; }
};
/// All but the first page goes.
struct by_shrinking final : mapped {
  std::byte* come(std::size_t bytes) override {
    bytes_ = bytes + page;
    at_ = map(bytes_);
    return at_ ? at_ + page : nullptr;
  }
  void leave() override { static_cast<void>(mremap(at_, bytes_, page, 0)); }
  std::byte* come_again() override { return map_where_nothing_is(at_ + page, bytes_ - page); }
  static constexpr std::size_t page = 4096;
};

/// A block that has a mapping to itself, in any case above 32 MiB.
class block : public leaving_memory {
 public:
  std::byte* come(std::size_t bytes) override {
    bytes_ = bytes;
    block_ = static_cast<std::byte*>(std::malloc(std::max(bytes, std::size_t{33} << 20)));
    return block_ + page;
  }
  std::byte* come_again() override { return again_ = map_where_nothing_is(block_ + page, bytes_); }
  /// The first time the allocator gives it back.
  void leave() final {
    if (!again_) give_back();
    else munmap(again_, bytes_);
  }
  void end() override {
    if (again_) munmap(again_, bytes_);
    else std::free(block_);
  }

 protected:
  virtual void give_back() = 0;
  static constexpr std::size_t page = 4080;  // the block begins 16 bytes behind a page
  std::byte* block_ = nullptr;
  std::byte* again_ = nullptr;
  std::size_t bytes_ = 0;
};
struct by_free final : block {
  void give_back() override { std::free(block_); }
};
struct by_realloc_growth final : block {
  std::byte* come(std::size_t bytes) override {
    std::byte* const made = block::come(bytes);
    // Something behind it, so that it cannot grow where it is.
    const std::size_t behind = (malloc_usable_size(block_) + 16 + 4095) & ~std::size_t{4095};
    wall_ = map_where_nothing_is(block_ - 16 + behind, 4096);
    return made;
  }
  void give_back() override { grown_ = std::realloc(block_, std::size_t{80} << 20); }
  void end() override {
    munmap(again_, bytes_);
    std::free(grown_);
    if (wall_) munmap(wall_, 4096);
  }

 private:
  void* grown_ = nullptr;
  std::byte* wall_ = nullptr;
};

/// The end of the heap, which sbrk moves. Nobody else may move it meanwhile; malloc is left enough
/// for what is small.
class break_memory : public leaving_memory {
 public:
  std::byte* come(std::size_t bytes) override {
    std::free(std::malloc(100 << 10));
    bytes_ = (bytes + 4095) & ~std::size_t{4095};
    void* const end = sbrk(static_cast<intptr_t>(bytes_ + 4096));
    if (end == reinterpret_cast<void*>(-1)) return nullptr;
    end_ = sbrk(0);
    return at_ = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(end) + 4095) &
                                              ~std::uintptr_t{4095});
  }
  void leave() override {
    if (sbrk(0) == end_) static_cast<void>(sbrk(-static_cast<intptr_t>(bytes_ + 4096)));
  }
  std::byte* come_again() override {
    std::byte* const was = at_;
    return come(bytes_) == was ? was : nullptr;
  }
  void end() override { leave(); }

 private:
  void* end_ = nullptr;
  std::byte* at_ = nullptr;
  std::size_t bytes_ = 0;
};

/// While it lives, malloc takes blocks of any size from its heaps.
class no_mapped_blocks {
 public:
  no_mapped_blocks() {
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 128 << 10);  // it grows with the blocks that a program has freed
  }
  ~no_mapped_blocks() { mallopt(M_MMAP_THRESHOLD, 128 << 10); }
};

/// A block in the heap of malloc, freed and trimmed.
struct by_malloc_trim final : leaving_memory {
  std::byte* come(std::size_t bytes) override {
    bytes_ = bytes;
    block_ = static_cast<std::byte*>(std::malloc(bytes_));
    last_ = std::malloc(32 << 10);  // so that it is no end of the heap that goes
    return block_;
  }
  void leave() override {
    std::free(block_);
    malloc_trim(0);
  }
  std::byte* come_again() override {
    std::byte* const was = block_;
    block_ = static_cast<std::byte*>(std::malloc(bytes_));
    return block_ == was ? was : nullptr;
  }
  void end() override {
    std::free(block_);
    std::free(last_);
  }

 private:
  no_mapped_blocks heap_only_;
  std::size_t bytes_ = 0;
  std::byte* block_ = nullptr;
  void* last_ = nullptr;
};

/// A thread that offers memory of its own until it is told to go.
class of_a_thread : public leaving_memory {
 public:
  std::byte* come(std::size_t bytes) override {
    bytes_ = bytes;
    ready_ = going_ = false;
    pthread_attr_t wish;
    pthread_attr_init(&wish);
    pthread_attr_setstacksize(&wish, bytes + (std::size_t{1} << 20));
    const int failed = pthread_create(&thread_, &wish, &of_a_thread::run, this);
    pthread_attr_destroy(&wish);
    if (failed != 0) return nullptr;
    std::unique_lock hold{lock_};
    changed_.wait(hold, [this] { return ready_; });
    return at_;
  }
  void leave() override {
    {
      const std::lock_guard hold{lock_};
      going_ = true;
      changed_.notify_all();
    }
    pthread_join(thread_, nullptr);
  }
  std::byte* come_again() override {
    std::byte* const was = at_;
    if (come(bytes_) == was) return was;
    leave();
    return nullptr;
  }
  void end() override { leave(); }

 protected:
  virtual void live() = 0;  // offers, waits, gives back
  void offer(std::byte* at) {
    std::unique_lock hold{lock_};
    at_ = at;
    ready_ = true;
    changed_.notify_all();
    changed_.wait(hold, [this] { return going_; });
  }
  std::size_t bytes_ = 0;

 private:
  static void* run(void* self) {
    static_cast<of_a_thread*>(self)->live();
    return nullptr;
  }
  std::mutex lock_;
  std::condition_variable changed_;
  bool ready_ = false, going_ = false;
  std::byte* at_ = nullptr;
  pthread_t thread_{};
};
struct by_the_end_of_its_stack final : of_a_thread {
  void live() override {
    auto* const frame = static_cast<std::byte*>(__builtin_alloca(bytes_ + (128 << 10)));
    offer(frame);  // the pages near the top of a stack stay, so the low end
  }
};
/// glibc gives a thread a heap of its own, whose end shrinks when its last block is freed.
struct by_shrinking_an_arena final : of_a_thread {
  void live() override {
    void* const first = std::malloc(64);
    auto* const at = static_cast<std::byte*>(std::malloc(bytes_));
    offer(at);
    std::free(at);
    std::free(first);
  }
  no_mapped_blocks heap_only;
};

struct by_shmdt final : leaving_memory {
  std::byte* come(std::size_t bytes) override { return at_ = attach(bytes_ = bytes, nullptr); }
  void leave() override { shmdt(at_); }
  std::byte* come_again() override { return attach(bytes_, at_); }
  void end() override { shmdt(at_); }

  static std::byte* attach(std::size_t bytes, void* at, int flags = 0) {
    const int id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
    if (id < 0) return nullptr;
    void* const made = shmat(id, at, flags);
    shmctl(id, IPC_RMID, nullptr);  // goes with the last who is attached
    return made == reinterpret_cast<void*>(-1) ? nullptr : static_cast<std::byte*>(made);
  }

 private:
  std::byte* at_ = nullptr;
  std::size_t bytes_ = 0;
};
struct by_shmat_over_it final : mapped {
  void leave() override { shared_ = by_shmdt::attach(bytes_, at_, SHM_REMAP); }
  std::byte* come_again() override { return shared_; }

 private:
  std::byte* shared_ = nullptr;
};

}  // namespace ways

struct way_to_leave {
  const char* name;
  std::unique_ptr<leaving_memory> (*make)();
  friend std::ostream& operator<<(std::ostream& out, const way_to_leave& which) {
    return out << which.name;
  }
};

template <class Way>
constexpr way_to_leave way(const char* name) {
  return {name, [] { return std::unique_ptr<leaving_memory>{std::make_unique<Way>()}; }};
}

inline const std::vector<way_to_leave>& ways_to_leave() {
  static const std::vector<way_to_leave> all{
      way<ways::by_munmap>("munmap"),
      way<ways::by_a_system_call>("a_system_call"),
      way<ways::by_mmap_over_it>("mmap_over_it"),
      way<ways::by_madvise>("madvise"),
      way<ways::by_moving>("mremap_away"),
      way<ways::by_something_moved_over_it>("mremap_over_it"),
      way<ways::by_shrinking>("mremap_to_less"),
      way<ways::by_free>("free"),
      way<ways::by_realloc_growth>("realloc"),
      way<ways::by_malloc_trim>("malloc_trim"),
      way<ways::break_memory>("brk"),
      way<ways::by_the_end_of_its_stack>("end_of_a_thread"),
      way<ways::by_shrinking_an_arena>("arena_of_a_thread"),
      way<ways::by_shmdt>("shmdt"),
      way<ways::by_shmat_over_it>("shmat_over_it")};
  return all;
}

}  // namespace peal::test
