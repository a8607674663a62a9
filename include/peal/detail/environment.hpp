// peal/detail/environment.hpp
// This process's part of a job, from its making to its end.
//
// Threads  make and destroy it in one thread; what else may be done by several says thread_level.
// Errors   errc::already_started when the process has, or had, one; invalid_config;
//          bootstrap_failed; no_space; peer_failed where another rank could not start.
#pragma once

#include <cstddef>
#include <exception>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include <peal/detail/core.hpp>
#include <peal/failure.hpp>

/// Messages among the ranks of a job: an environment has a communicator of all of them.
namespace peal {

class basic_communicator;
class communicator;

/// How many threads call peal.
enum class thread_level {
  single,   ///< peal is called by one thread at a time
  multiple  ///< by any thread at any time; costs a lock a call
};

/// What an environment is told when it is made.
struct options {
  thread_level threads = thread_level::single;  ///< how many threads call peal
};

namespace detail {
/// One communicator, also as its base: here it is not known that it is one.
struct world_of_job {
  const communicator* whole;
  const basic_communicator* basic;
};
/// As start_job. The world is never destroyed: references to it may outlive the environment, up to
/// the end of static objects.
PEAL_EXPORT world_of_job start_world(const job_options&, const location&);
}  // namespace detail

/// One a process. Its destructor is collective: it finishes what is under way, and waits for the
/// other ranks; a large message that its receiver never asks for holds it up until that rank is at
/// its end too, and a line on standard error says so. A rank that waits meanwhile for something of
/// a rank that is at its end gets errc::peer_failed after a second or two. Destroyed by an
/// exception it aborts the job, rather than let the other ranks hang. When a rank has died it does
/// not wait for the others.
class environment {
 public:
  /// @{
  /// Starts this rank; the arguments of the program are left as they are.
  [[nodiscard("the job ends with it: give it a name")]] environment(
      int&, char**&, peal::options how = {},
      const std::source_location& where = std::source_location::current())
      : environment{how, where} {}
  [[nodiscard("the job ends with it: give it a name")]] explicit environment(
      peal::options how = {}, const std::source_location& where = std::source_location::current())
      : where_{where},
        world_{detail::start_world({how.threads == thread_level::multiple}, where)} {}
  /// @}
  ~environment() { detail::end_job(std::uncaught_exceptions() > unwinding_, where_); }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;

  /// Every rank of the job. Lives as long as the process; after the environment its calls throw
  /// errc::not_started.
  [[nodiscard]] const communicator& world() const noexcept { return *world_.whole; }
  /// The same, where <peal/communicator.hpp> and its collectives are not included:
  /// peal/point_to_point.hpp.
  [[nodiscard]] const basic_communicator& basic_world() const noexcept { return *world_.basic; }

  /// `call(failure)` is called for every rank that fails where the job goes on then (pealrun
  /// --on-failure notify): in this process's own calls that make progress, in the thread that makes
  /// them, with no lock of peal's held, so it may call peal. Failures that were known before are
  /// told, too. What it throws comes out of such a call. It takes the place of the last one; null:
  /// nobody is told.
  template <class Call>
    requires requires(Call& call, const peer_failure& what) { call(what); }
  void on_peer_failure(Call&& call,
                       const std::source_location& where = std::source_location::current()) {
    using kept = std::remove_cvref_t<Call>;
    detail::watch_failures(
        {[](void* context, const peer_failure& what) { (*static_cast<kept*>(context))(what); },
         [](void* context) noexcept { delete static_cast<kept*>(context); },
         new kept(std::forward<Call>(call))},
        where);
  }
  /// Nobody is told any more.
  void on_peer_failure(std::nullptr_t,
                       const std::source_location& where = std::source_location::current()) {
    detail::watch_failures({}, where);
  }

 private:
  std::source_location where_;
  int unwinding_ = std::uncaught_exceptions();
  detail::world_of_job world_;
};

/// Ends every rank of the job with this exit code.
[[noreturn]] inline void abort(int code, const std::string& why = "peal::abort was called") {
  detail::abort_job(code, why.c_str());
}

}  // namespace peal
