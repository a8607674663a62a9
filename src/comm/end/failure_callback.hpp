// comm/end/failure_callback.hpp
// Tells the program of ranks that have failed, in its own progress calls.
//
// Layer    comm.
// Threads  under the engine's lock; the program is called without it, by any thread that makes
//          progress.
// Errors   none. What the program throws comes out of the progress call, as from a continuation.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include "comm/end/failure_list.hpp"
#include "peal/failure.hpp"
#include "progress/engine.hpp"

namespace peal {

class failure_callback {
 public:
  /// Both must outlive this.
  failure_callback(engine& progress, const failure_list& failures)
      : progress_{progress}, failures_{failures} {}
  failure_callback(const failure_callback&) = delete;
  failure_callback& operator=(const failure_callback&) = delete;

  /// From now on this one is told; of what has failed before, too.
  void tell(const detail::failure_watch& who) {
    watch_ = who.call == nullptr ? nullptr : std::shared_ptr<watch>{new watch{who}};
    told_ = 0;
    look();
  }
  /// There may be news.
  void look() {
    if (watch_ == nullptr || asked_ || told_ == failures_.count()) return;
    asked_ = true;
    progress_.defer([](void* self) { static_cast<failure_callback*>(self)->call(); }, this);
  }

 private:
  struct watch {
    explicit watch(const detail::failure_watch& of) : who{of} {}
    ~watch() { who.drop(who.context); }
    watch(const watch&) = delete;
    watch& operator=(const watch&) = delete;
    detail::failure_watch who;
  };

  void call() {
    std::shared_ptr<watch> to;
    rank_failure next;
    {
      const std::lock_guard<engine> guard{progress_};
      asked_ = false;
      if (watch_ == nullptr || told_ == failures_.count()) return;
      next = failures_.at(told_++);
      to = watch_;
      look();  // at the rest, later: the program may throw
    }
    if (!next.silent) to->who.call(to->who.context, {next.rank, next.why, next.code});
  }

  engine& progress_;
  const failure_list& failures_;
  std::shared_ptr<watch> watch_;  // null: nobody is told
  std::size_t told_ = 0;
  bool asked_ = false;  // `call` waits to be called
};

}  // namespace peal
