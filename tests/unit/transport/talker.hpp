// tests/unit/transport/talker.hpp
// Ends of a node that send one another messages of drawn lengths, each in a thread of its own.
//
// Threads  run_all starts one for each talker.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "unit/transport/ends.hpp"

namespace peal::test {

inline std::size_t drawn_size(std::mt19937& random) {
  switch (random() % 8) {
    case 0: return random() % 4097;
    case 1: return 0;
    default: return random() % 80;
  }
}

/// Sends what the seed says to one peer, and checks what it says of another; drives one end.
class talker {
 public:
  talker(shm_node::end& end, std::vector<int> targets, std::vector<int> sources,
         std::uint32_t count)
      : end_{end}, targets_{std::move(targets)}, sources_{std::move(sources)}, count_{count} {
    received_.resize(16);
    end_.arrivals.also = [this](const arrival& each) { check(each); };
  }

  void run(int self, unsigned burst) {
    std::mt19937 random{static_cast<unsigned>(self) + 1};
    std::array<std::uint32_t, 16> sent{};
    std::size_t turn = 0;
    ok_ = until(
        [&] {
          const int target = targets_.empty() ? -1 : targets_[turn++ / 3 % targets_.size()];
          for (unsigned each = target < 0 ? 0 : 1 + random() % burst;
               each > 0 && sent[static_cast<std::size_t>(target)] < count_; --each) {
            std::uint32_t& number = sent[static_cast<std::size_t>(target)];
            const std::size_t bytes = drawn_size(random);
            if (!end_.transport->send(shm_node::peer(target), message(bytes, number),
                                      pattern(bytes, number).data()))
              break;
            ++number;
          }
          end_.transport->poll();
          end_.arrivals.got.clear();
        },
        [&] {
          const bool all_sent = std::all_of(targets_.begin(), targets_.end(), [&](int each) {
            return sent[static_cast<std::size_t>(each)] == count_;
          });
          return all_sent && std::all_of(sources_.begin(), sources_.end(), [&](int each) {
                   return received_[static_cast<std::size_t>(each)] == count_;
                 });
        });
    finished_->fetch_add(1);
    // others may still want their parcels back
    until([&] { end_.transport->poll(); }, [&] { return finished_->load() >= talkers_; });
  }

  void meet(std::atomic<int>& finished, int talkers) { finished_ = &finished, talkers_ = talkers; }
  void expect_good(const char* who) const {
    EXPECT_TRUE(ok_) << who << ": messages are missing";
    EXPECT_EQ(wrong_, 0) << who;
  }

 private:
  void check(const arrival& each) {
    const auto from = static_cast<std::size_t>((each.from - 10) / 3);
    if (each.head.context() != received_[from]++ ||
        each.payload != pattern(each.head.bytes(), each.head.context()))
      ++wrong_;
  }

  shm_node::end& end_;
  std::vector<int> targets_, sources_;
  std::uint32_t count_;
  std::vector<std::uint32_t> received_;
  std::atomic<int>* finished_ = nullptr;
  int talkers_ = 0;
  int wrong_ = 0;
  bool ok_ = false;
};

inline void run_all(std::vector<std::unique_ptr<talker>>& talkers, unsigned burst) {
  std::atomic<int> finished{0};
  std::vector<std::thread> threads;
  for (auto& each : talkers) each->meet(finished, static_cast<int>(talkers.size()));
  for (std::size_t each = 0; each < talkers.size(); ++each)
    threads.emplace_back([&, each] { talkers[each]->run(static_cast<int>(each), burst); });
  for (std::thread& each : threads) each.join();
  for (std::size_t each = 0; each < talkers.size(); ++each)
    talkers[each]->expect_good(("end " + std::to_string(each)).c_str());
}

}  // namespace peal::test
