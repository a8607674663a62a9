// launcher/pealrun/shown/rank_pages.hpp
// Finds the pages that ranks show (state/rank_page.hpp) in the processes of this node, and reads
// them. The ranks notice nothing, and one that stands still is seen as well.
//
// Layer    launcher: may include state/.
// Threads  one.
// Errors   none: a process that goes meanwhile, or that is not ours to look into, is left out.
// Source   proc_pid_fd(5), proc_pid_stat(5).
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shown/snapshot.hpp"

namespace peal::launcher {

/// A page as it is mapped here.
class mapped_page {
 public:
  /// Nothing: the process shows none.
  static std::optional<mapped_page> of_process(pid_t process);
  ~mapped_page();
  mapped_page(mapped_page&&) noexcept;
  mapped_page& operator=(mapped_page&&) = delete;
  mapped_page(const mapped_page&) = delete;
  mapped_page& operator=(const mapped_page&) = delete;

  [[nodiscard]] const state::rank_page& page() const noexcept { return *page_; }
  [[nodiscard]] pid_t process() const noexcept { return process_; }
  /// Whether the process is still the one that was found.
  [[nodiscard]] bool alive() const;
  [[nodiscard]] shown_rank read() const;
  [[nodiscard]] std::string job() const;

 private:
  mapped_page(const state::rank_page* page, pid_t process, unsigned long long start) noexcept
      : page_{page}, process_{process}, start_{start} {}

  const state::rank_page* page_;
  pid_t process_;
  unsigned long long start_;
};

class rank_pages {
 public:
  /// Of all processes, or of those that descend from this one.
  explicit rank_pages(pid_t ancestor = 0) noexcept : ancestor_{ancestor} {}
  /// And of these, those that fit.
  rank_pages(pid_t ancestor, std::function<bool(pid_t)> fits)
      : ancestor_{ancestor}, fits_{std::move(fits)} {}

  /// Looks for pages that are new. Costs a look at each process of the node.
  void look();
  /// One for each job, by name. Requires: look.
  [[nodiscard]] std::vector<job_snapshot> read();
  [[nodiscard]] pid_t ancestor() const noexcept { return ancestor_; }
  /// How many ranks are known.
  [[nodiscard]] std::size_t size() const noexcept { return found_.size(); }

 private:
  pid_t ancestor_;
  std::function<bool(pid_t)> fits_;  // empty: all do
  std::map<pid_t, mapped_page> found_;
};

/// All that descend from it, and itself.
[[nodiscard]] std::set<pid_t> family_of(pid_t process);

}  // namespace peal::launcher
