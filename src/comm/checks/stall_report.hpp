// comm/checks/stall_report.hpp
// Which ranks are missing where ranks wait for others in a collective (PEAL_CHECK=1). After
// PEAL_CHECK_AFTER a rank that waits asks the other ranks of the communicator where they are. The
// lowest of the ranks that wait says so in the log, with the places of the calls.
//
// Questions and answers are messages on the context of the comparisons. No call receives them: they
// are taken from among the unexpected messages now and then. A rank that makes no call of peal's
// does not answer.
//
// Layer    comm.
// Threads  under the engine's lock.
// Errors   none; what cannot be asked is not told.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "comm/checks/call_record.hpp"
#include "p2p/messaging.hpp"
#include "peal/counter.hpp"
#include "progress/engine.hpp"

namespace peal {

class checked_calls;

class stall_report final : private progress_source {
 public:
  using clock = std::chrono::steady_clock;

  /// Becomes a source of the engine. Both must outlive it.
  stall_report(engine&, messaging&, std::chrono::duration<double> patience);

  void add(checked_calls& calls) { all_.push_back({&calls}); }
  void remove(const checked_calls&) noexcept;
  void report(std::vector<counter>&) const;

 private:
  enum class where : std::uint8_t { unknown, there, elsewhere, nowhere };
  /// A question when `from` is unknown.
  struct note {
    std::uint64_t number = 0;  // of the call that the rank waits in
    where from = where::unknown;
    call_record call;  // that the asking or answering rank waits in; of nowhere it says nothing
  };
  /// A communicator, and what is known of the call that this rank waits in.
  struct asked {
    checked_calls* calls = nullptr;
    std::uint64_t number = 0;  // of the call; 0: no question was asked yet
    clock::time_point at{};
    bool told = false;
    std::vector<note> answers{};  // by rank
    std::size_t answered = 0;
    [[nodiscard]] bool complete() const noexcept { return answered + 1 >= answers.size(); }
  };
  struct arriving {
    stall_report* in;
    std::uint32_t context;
    int from;
    note said;
  };

  bool poll() noexcept override;
  bool arm() noexcept override { return true; }  // messages ring by themselves
  [[nodiscard]] deadline wakes_at() const noexcept override {
    return all_.empty() ? deadline::max() : next_;
  }
  void take_notes(asked&) noexcept;
  static void arrived(void* context, operation& over) noexcept;
  void heard(const arriving&);
  void answer(asked&, int to, const note& question) noexcept;
  void ask(asked&) noexcept;
  void send(const asked&, int to, const note&) noexcept;
  void tell(asked&);
  [[nodiscard]] static std::string text_of(const asked&);

  messaging& messages_;
  const std::chrono::duration<double> patience_;
  clock::time_point next_{};
  std::vector<asked> all_;
  std::uint64_t told_ = 0;
};

}  // namespace peal
