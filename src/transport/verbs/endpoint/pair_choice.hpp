// transport/verbs/endpoint/pair_choice.hpp
// Over how many queue pairs large payloads are spread: as many as the adapter gains from, found out
// with real traffic.
//
// An adapter has several processing units, and a queue pair is served by one of them; how many
// there are, and how fast one is, no adapter tells. So now and then a trial takes another number of
// queue pairs: it measures some MiB with the one in use, some with the other one, three times in
// turn. More queue pairs are kept when they were faster each time, and by a tenth together; fewer
// when they were as fast. Trials become rare, so that a measurement that is nothing but noise
// changes the number seldom.
//
// What is measured is all that this process reads from all its peers, as long as something is under
// way.
//
// Layer    transport/verbs.
// Units    bytes, nanoseconds.
// Threads  one at a time.
// Errors   none.
#pragma once

#include <array>
#include <cstdint>

namespace peal::verbs {

class pair_choice {
 public:
  /// Between so many queue pairs; the same twice: there is no choice.
  pair_choice(unsigned first, unsigned most) noexcept
      : fixed_{first == most}, most_{most}, best_{first}, now_{first} {}

  /// Queue pairs to be used now.
  [[nodiscard]] unsigned count() const noexcept { return now_; }
  /// Whether a trial is under way.
  [[nodiscard]] bool tries() const noexcept { return stage_ != stage::in_use; }
  /// Trials that changed the number.
  [[nodiscard]] std::uint32_t changes() const noexcept { return changes_; }

  // ---- what is measured
  /// Something is under way, where nothing was.
  void begin(std::uint64_t now) noexcept { since_ = now; }
  /// Nothing is under way any more.
  void end(std::uint64_t now) noexcept { spent_ += now - since_; }
  /// So much has moved. True: `look` wants to know what time it is.
  [[nodiscard]] bool moved(std::uint64_t bytes) noexcept {
    return !fixed_ && (bytes_ += bytes) >= goal_;
  }
  /// So many bytes are under way; with none, `begin` follows before anything moves again.
  void look(std::uint64_t now, std::uint64_t under_way) noexcept;
  /// What moves now moves over fewer queue pairs than `count` says, since there are no more yet:
  /// it says nothing about them.
  void spoil() noexcept;

 private:
  static constexpr std::size_t rounds = 3;
  enum class stage : std::uint8_t {
    in_use,    // `goal_` bytes until the next trial
    settling,  // what is under way went over another number of queue pairs
    measuring
  };
  void settle(unsigned count, std::uint64_t under_way) noexcept;
  void begin_trial(std::uint64_t under_way) noexcept;
  void end_trial(bool changes) noexcept;
  [[nodiscard]] unsigned next_candidate() noexcept;
  [[nodiscard]] bool is_better() const noexcept;

  const bool fixed_;
  unsigned most_;
  unsigned best_, now_;
  unsigned candidate_ = 0;
  unsigned untried_ = 0xf;  // a bit for 1, 2, 4 and 8
  unsigned next_ = 0;       // turns round the others
  stage stage_ = stage::in_use;
  std::uint8_t taken_ = 0;  // windows of this trial
  std::uint8_t spoilt_ = 0;
  std::uint32_t changes_ = 0;
  std::uint64_t goal_ = std::uint64_t{4} << 20, bytes_ = 0;
  std::uint64_t period_ = std::uint64_t{256} << 20;
  std::uint64_t since_ = 0, spent_ = 0;
  std::array<double, rounds> with_best_{}, with_candidate_{};  // nanoseconds a byte
};

}  // namespace peal::verbs
