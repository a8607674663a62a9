// memory/node_segment.hpp
// The memory that all processes of a job on one node share: one sparse file, mapped once by each,
// never resized.
//
// The process with local index 0 makes the file under another name and renames it when it is
// complete, so that no process maps half of one; the others wait for it. A file of that name may be
// left from a job that was killed. So each process tells the others the nonce that it saw, and a
// process that saw another one than index 0 calls reopen. How a job uses it:
//
//     node_segment segment{plan};
//     nonces = exchange(segment.nonce());    // those of all processes
//     if (some nonce of the node differs from index 0's) {
//       segment.reopen();                    // the processes whose nonce differs
//       nonces = exchange(segment.nonce());
//     }
//     segment.unlink();                      // index 0; from here on a killed job leaves nothing
//
// Processes that saw the same nonce are on the same node; one whose nonce still differs is
// elsewhere, or runs another version.
//
// What lies in the segment, from its start:
//     [header]                           reserved by index 0 at once
//     [front 0][front 1]...              each reserved by its process at once
//     [slice 0 of process 0][slice 0 of process 1]...[slice 1 of process 0]...
//     [transport part 0][transport part 1]...   these are reserved with commit, before first use,
//     [heap part 0][heap part 1]...             by the process that owns them
// A process touches the transport parts of all that it talks to, and a heap part may span
// gigabytes: so these stand apart, and the page tables of a process are half as large with many
// ranks. A page table spans 2 MiB. Of what each process has a little that all others touch, the
// slices of all processes stand together: so a few page tables hold those of hundreds.
//
// The kernel takes a page from the NUMA node of the process that reserves it, whoever touches it
// first. So each process reserves what is its own.
//
// Layer    memory: may include base/.
// Units    bytes; a place in the segment is an offset from its start, since every process maps it
//          elsewhere. Offset 0 is the header: nowhere.
// Threads  const methods, commit and give_back: any. The rest: one.
// Errors   the constructor and reopen throw peal::error, errc::no_space or what the system said,
//          with the remedy. A page that was committed never gives SIGBUS.
// Source   fallocate(2), tmpfs(5), shm_overview(7).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "memory/preferred_numa.hpp"
#include "memory/segment_layout.hpp"

namespace peal {

struct segment_plan {
  std::string directory;            // PEAL_SHM_DIR
  std::string job_name;             // no other job of the node has it
  int index = 0;                    // of this process among those of the node
  int count = 1;                    // processes of the node
  std::size_t front_bytes = 0;      // a process: for its transport, usable from the start, zero
  std::size_t slices = 0;           // a process: for its transport, as the next
  std::size_t transport_bytes = 0;  // a process: for its transport, to be committed before use
  std::size_t heap_bytes = 0;       // a process: for node_heap
  // Lets Yama know that the peers may use process_vm_readv on this process.
  bool readable_by_peers = true;
  // Further commits of this process are refused as if all was full.
  std::size_t most_committed = std::numeric_limits<std::size_t>::max();
  // Whether index 0 is known to have died, so that its file will not come; may be null.
  std::function<bool()> maker_died = {};
  // Whether index 0 has made its file, so that one that is not there is elsewhere; may be null, or
  // throw.
  std::function<bool()> maker_done = {};
};

class node_segment {
 public:
  static constexpr std::size_t slice_bytes = std::size_t{16} << 10;

  /// A part of the segment.
  struct part {
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };

  explicit node_segment(const segment_plan&);
  ~node_segment();
  node_segment(const node_segment&) = delete;
  node_segment& operator=(const node_segment&) = delete;

  /// 0: the file of index 0 is not to be seen here.
  [[nodiscard]] std::uint64_t nonce() const noexcept { return nonce_; }
  /// Maps the file that now has the name. Only before anything in the segment was used.
  void reopen();
  /// Takes the file's name away. By index 0 only; in another process nothing happens.
  void unlink() noexcept;

  [[nodiscard]] int index() const noexcept { return plan_.index; }
  [[nodiscard]] int count() const noexcept { return plan_.count; }
  [[nodiscard]] part front(int index) const noexcept;
  /// One of so many as the plan says.
  [[nodiscard]] part slice(int index, std::size_t which) const noexcept;
  [[nodiscard]] std::size_t slices() const noexcept { return plan_.slices; }
  [[nodiscard]] part transport_part(int index) const noexcept;
  [[nodiscard]] part heap_part(int index) const noexcept;
  [[nodiscard]] const process_card& card(int index) const noexcept;
  /// Whether the process's id is known to mean that process here too, and not another one, as in a
  /// container of its own.
  [[nodiscard]] bool knows_by_id(int index) const noexcept;

  /// This process takes part no more.
  void note_leaving() noexcept;
  /// Whether any process has noted that. Who finds so sees what that one wrote before.
  [[nodiscard]] bool any_has_left() const noexcept;

  [[nodiscard]] std::byte* at(std::size_t offset) const noexcept { return base_ + offset; }
  template <class Type>
  [[nodiscard]] Type* at(std::size_t offset) const noexcept {
    return reinterpret_cast<Type*>(base_ + offset);
  }
  [[nodiscard]] std::size_t offset_of(const void* address) const noexcept {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - base_);
  }
  [[nodiscard]] bool contains(const void* address, std::size_t bytes) const noexcept {
    const auto offset =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base_);
    return offset < size_ && bytes <= size_ - offset;
  }

  /// Reserves the pages of the range, which must be this process's own, on that NUMA node if there
  /// is room. 0, or an errno: ENOSPC when the file system is full.
  [[nodiscard]] int commit(std::size_t offset, std::size_t bytes,
                           int numa = preferred_numa::nearest) noexcept;
  /// Gives whole pages back to the system; they must be committed again before use, and are zero
  /// then.
  void give_back(std::size_t offset, std::size_t bytes) noexcept;
  /// A sentence for the user: how much is missing, where, and what to do.
  [[nodiscard]] std::string shortage(std::size_t bytes, int error) const;

 private:
  void create();
  void attach();
  void write_card() noexcept;
  [[nodiscard]] int reserve_front() noexcept;
  void map(int file);
  void compute_size();
  [[nodiscard]] std::string path() const;
  void close() noexcept;

  segment_plan plan_;
  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
  std::size_t front_stride_ = 0;
  std::size_t slices_at_ = 0;        // offset
  std::size_t transport_parts_ = 0;  // offset
  std::size_t transport_stride_ = 0;
  std::size_t heap_parts_ = 0;  // offset
  std::size_t heap_stride_ = 0;
  std::size_t committed_ = 0;
  std::uint64_t nonce_ = 0;
  std::uint64_t own_nonce_ = 0;  // what process_card::nonce_address points to
  int file_ = -1;
  pid_t owner_ = 0;  // a fork's child leaves the file alone
  bool named_ = false;
};

}  // namespace peal
