// tests/double/arbitrary_packets.hpp
// A job of three ranks on cards of the double, one of which lies: rank 1 sends rank 0 whatever it
// is told to, as handshakes, datagrams, messages and parts of payloads, and a stranger sends rank 0
// datagrams. Rank 2 is honest. What is sent, and when, is chosen by the caller: at random in
// arbitrary_packets_test.cpp, by libFuzzer in tests/fuzz/packets.cpp.
//
// Whatever comes, rank 0 goes on, and between it and rank 2 everything arrives as it was sent, in
// order and once. What rank 0 fetches from the liar ends, and touches nothing else.
//
// Threads  one drives all.
// Errors   failed expectations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "transport/verbs/authenticator.hpp"
#include "transport/verbs/connect/handshake_packing.hpp"
#include "unit/transport/ends.hpp"
#include "unit/transport/verbs/double/injection.hpp"

namespace peal::test {

class arbitrary_packets {
 public:
  /// `choose(low, high)`: a number of [low, high].
  using choice = std::function<std::uint64_t(std::uint64_t, std::uint64_t)>;
  explicit arbitrary_packets(choice);
  ~arbitrary_packets();
  arbitrary_packets(const arbitrary_packets&) = delete;
  arbitrary_packets& operator=(const arbitrary_packets&) = delete;

  void step();
  /// At the end.
  void check();

 private:
  static constexpr peer_id victim = 0, liar = 1, honest = 2;

  struct memory {
    std::vector<std::byte> data;
    remote_region where;
    std::unique_ptr<counting_packer> packer;  // null: it is not packed on its way
  };
  struct fetching {
    std::vector<std::byte> target, expected;  // nothing is expected of the liar
    std::unique_ptr<fetch> what;
    int calls = 0;
    std::error_code error;
  };

  void poll(int turns);
  std::uint64_t any(std::uint64_t low, std::uint64_t high) { return choose_(low, high); }
  /// One that means something more often than not.
  std::uint64_t any_number();
  std::vector<std::byte> any_bytes(std::size_t most);
  std::size_t any_length(std::size_t most);
  void honest_message();
  void honest_fetch();
  void message_to_liar();
  void expose(memory&, peer_id from, peer_id to);
  void expose_to_liar();
  void withdraw();
  void fetch_from_liar();
  void lie_in_a_message();
  void lie_about_a_payload();
  void lie_in_a_handshake();
  void lie_in_a_datagram();
  void repeat_a_packet();
  void begin_fetch(peer_id from, const remote_region&, std::size_t bytes,
                   std::vector<std::byte> expected);

  choice choose_;
  machine here_;
  std::vector<verbs_double::card*> cards_;
  std::vector<recorder> arrivals_;
  std::vector<std::unique_ptr<verbs_transport>> ranks_;
  std::vector<verbs::address> addresses_;
  std::unique_ptr<verbs::authenticator> true_proof_, false_proof_;
  std::unique_ptr<verbs::handshake_packing> packing_;
  std::unique_ptr<verbs_double::lying_host> lies_;
  std::vector<std::vector<std::byte>> seen_;  // datagrams that came to the victim
  std::deque<memory> exposed_;                // to the liar
  std::deque<memory> honest_memory_;          // of the honest rank, to the victim
  std::deque<memory> liar_memory_;            // of the liar, to the victim
  std::deque<fetching> fetches_;
  std::uint32_t sent_to_victim_ = 0, sent_to_honest_ = 0;
  std::uint32_t datagrams_sent_ = 0;
};

}  // namespace peal::test
