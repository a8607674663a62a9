// The transports within a process and within a node, and the suite that every transport passes.
#include "unit/transport/contract.hpp"

#include <span>

namespace peal::test {
namespace {

struct self_ends final : two_ends {
  recorder got;
  self_transport only{got, 5};
  transport& sender() override { return only; }
  transport& receiver() override { return only; }
  recorder& arrivals() override { return got; }
  peer_id sender_id() override { return 5; }
  peer_id receiver_id() override { return 5; }
};

struct shm_ends final : two_ends {
  explicit shm_ends(const node_options& options) : node{options} {}
  shm_node node;
  transport& sender() override { return *node[1].transport; }
  transport& receiver() override { return *node[0].transport; }
  recorder& arrivals() override { return node[0].arrivals; }
  peer_id sender_id() override { return shm_node::peer(1); }
  peer_id receiver_id() override { return shm_node::peer(0); }
};

std::unique_ptr<two_ends> shm(shm_copy copy, std::uint32_t box_after, std::uint32_t most_boxes) {
  node_options options;
  options.settings = {copy, box_after, most_boxes};
  return std::make_unique<shm_ends>(options);
}

const candidate candidates[] = {
    {"self", [] { return std::make_unique<self_ends>(); }},
    {"shm", [] { return shm(shm_copy::automatic, 8, 64); }},
    {"shm_box_at_once", [] { return shm(shm_copy::direct, 1, 64); }},
    {"shm_without_boxes", [] { return shm(shm_copy::automatic, 8, 0); }},
    {"shm_pipeline", [] { return shm(shm_copy::pipeline, 8, 64); }},
};

INSTANTIATE_TEST_SUITE_P(all, contract, testing::ValuesIn(candidates),
                         [](const auto& each) { return std::string{each.param.name}; });

INSTANTIATE_TEST_SUITE_P(all, packing_contract, testing::ValuesIn(std::span{candidates}.subspan(1)),
                         [](const auto& each) { return std::string{each.param.name}; });

}  // namespace
}  // namespace peal::test
