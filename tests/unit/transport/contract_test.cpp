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

/// Packs what it has, and writes down how often each byte was wanted.
struct counting_packer : detail::packer {
  const std::vector<std::byte>& data;
  mutable std::vector<int> times;

  explicit counting_packer(const std::vector<std::byte>& all) : data{all}, times(all.size()) {
    pack = [](const packer& self, std::size_t at, void* to, std::size_t bytes) noexcept {
      const auto& from = static_cast<const counting_packer&>(self);
      if (at + bytes > from.data.size()) std::abort();
      std::memcpy(to, from.data.data() + at, bytes);
      for (std::size_t each = at; each != at + bytes; ++each) ++from.times[each];
    };
  }
};

/// Of transports whose sender takes part in a fetch.
class packing_contract : public contract {};

TEST_P(packing_contract, a_payload_is_packed_while_it_is_fetched) {
  for (const std::size_t bytes : {1, 4096, 4097, 16'385, 131'072, 1'000'000, 5'000'001})
    for (const bool absorbs : {false, true}) {
      const auto ends = GetParam().make();
      meet(*ends);
      const auto source = pattern(bytes, 23);
      const counting_packer from{source};
      const remote_region region = ends->sender().expose_packed(ends->receiver_id(), from, bytes);
      std::vector<std::byte> target(bytes);
      absorbing_fetch absorbing{ends->sender_id(), region, bytes};
      tracked_fetch copying{ends->sender_id(), region, target.data(), bytes};
      tracked_fetch& fetching = absorbs ? absorbing : copying;
      ends->receiver().start_fetch(fetching);
      ASSERT_TRUE(until([&] { ends->poll(); }, [&] { return fetching.calls > 0; })) << bytes;
      EXPECT_FALSE(fetching.error) << fetching.error.message();
      EXPECT_TRUE((absorbs ? absorbing.data : target) == source) << bytes;
      EXPECT_EQ(std::count(from.times.begin(), from.times.end(), 1),
                static_cast<std::ptrdiff_t>(bytes))
          << "each byte is packed once";
      ends->sender().withdraw(ends->receiver_id(), region);
    }
}

TEST_P(packing_contract, less_of_a_packed_payload_may_be_fetched) {
  meet();
  const auto source = pattern(300'000, 5);
  const counting_packer from{source};
  std::vector<std::byte> target(100'001, std::byte{0x5a});
  const remote_region region =
      ends->sender().expose_packed(ends->receiver_id(), from, source.size());
  tracked_fetch fetching{ends->sender_id(), region, target.data(), 100'000};
  ends->receiver().start_fetch(fetching);
  ASSERT_TRUE(until([&] { ends->poll(); }, [&] { return fetching.calls > 0; }));
  EXPECT_TRUE(std::equal(target.begin(), target.end() - 1, source.begin()));
  EXPECT_EQ(target.back(), std::byte{0x5a});
}

INSTANTIATE_TEST_SUITE_P(all, contract, testing::ValuesIn(candidates),
                         [](const auto& each) { return std::string{each.param.name}; });

INSTANTIATE_TEST_SUITE_P(all, packing_contract, testing::ValuesIn(std::span{candidates}.subspan(1)),
                         [](const auto& each) { return std::string{each.param.name}; });

}  // namespace
}  // namespace peal::test
