// A reliable queue pair between ranks 0 and 1 as a program without any messaging library would use
// it: inline sends, and a receiver that sleeps on the completion channel. The limit for what wakes
// up over verbs.
//
// Errors   a call that fails ends the program, but for `open`.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cstddef>
#include <peal/peal.hpp>
#include <string>

namespace bench {

class bare_verbs {
 public:
  /// What is sent at once.
  static constexpr std::size_t bytes = 16;
  using message = std::array<std::byte, bytes>;

  bare_verbs() = default;
  ~bare_verbs();
  bare_verbs(const bare_verbs&) = delete;
  bare_verbs& operator=(const bare_verbs&) = delete;

  /// On port 1 of that device; collective. Empty where it could, else what was wrong with this
  /// rank's.
  std::string open(const peal::communicator& world, const std::string& device);

  void send(const message&);
  /// Looks once, and sleeps until something comes.
  message receive();

 private:
  struct address {
    std::uint32_t queue_pair;
    std::uint16_t lid;
    std::array<std::uint8_t, 16> gid;
  };

  std::string prepare(const std::string& device, address& own);
  bool connect(const address& own, const address& peer);
  void post_receive(std::size_t slot);

  static constexpr std::size_t slots = 8;
  std::array<message, slots> slots_{};
  ibv_context* device_ = nullptr;
  ibv_pd* domain_ = nullptr;
  ibv_mr* region_ = nullptr;
  ibv_comp_channel* channel_ = nullptr;
  ibv_cq* sent_ = nullptr;
  ibv_cq* received_ = nullptr;
  ibv_qp* queue_pair_ = nullptr;
  ibv_port_attr port_{};
  std::uint8_t gid_index_ = 0;
  bool under_way_ = false;  // a send whose completion was not seen
};

}  // namespace bench
