// The suite that every transport passes, over RDMA devices: those of verbs_double_test, or real
// ones.
#include "unit/transport/contract.hpp"

namespace peal::test {
namespace {

struct verbs_ends final : two_ends {
  explicit verbs_ends(std::unique_ptr<verbs_pair> made) : pair{std::move(made)} {}
  std::unique_ptr<verbs_pair> pair;
  transport& sender() override { return *pair->ends[1]; }
  transport& receiver() override { return *pair->ends[0]; }
  recorder& arrivals() override { return pair->arrivals[0]; }
  peer_id sender_id() override { return 1; }
  peer_id receiver_id() override { return 0; }
};

/// Null: there is no device here.
std::unique_ptr<two_ends> over_verbs(const verbs_options& settings) {
  auto pair = make_verbs_pair(settings);
  return pair ? std::make_unique<verbs_ends>(std::move(pair)) : nullptr;
}

const candidate over_devices[] = {
    {"verbs", [] { return over_verbs({}); }},
    {"verbs_alone",
     [] { return over_verbs({.set = {.qps = 1, .coalesce = false, .srq = false}}); }},
    {"verbs_unpushed", [] { return over_verbs({.set = {.push = 0}}); }},
    {"verbs_datagrams", [] { return over_verbs({.set = {.promote = 1'000'000'000}}); }},
    {"verbs_promoted", [] { return over_verbs({.set = {.promote = 5}}); }},
    {"verbs_read", [] { return over_verbs({.set = {.rendezvous = rendezvous_mode::read}}); }},
    {"verbs_write", [] { return over_verbs({.set = {.rendezvous = rendezvous_mode::write}}); }},
    {"verbs_both",
     [] {
       return over_verbs({.set = {.qps = 3, .push = 20'000, .rendezvous = rendezvous_mode::both}});
     }},
    {"verbs_both_unpushed",
     [] {
       return over_verbs(
           {.set = {.registration_cache = false, .push = 0, .rendezvous = rendezvous_mode::both}});
     }},
    {"verbs_rails",
     [] {
       return over_verbs(
           {.set = {.device = "all", .qps = 2, .push = 0, .rendezvous = rendezvous_mode::both}});
     }},
    {"verbs_rails_read",
     [] { return over_verbs({.set = {.device = "all", .rendezvous = rendezvous_mode::read}}); }},
    {"verbs_narrow", [] { return over_verbs({.set = {.qps = 4}, .send_depth = 4, .window = 2}); }},
};

INSTANTIATE_TEST_SUITE_P(all, contract, testing::ValuesIn(over_devices),
                         [](const auto& each) { return std::string{each.param.name}; });

INSTANTIATE_TEST_SUITE_P(all, packing_contract, testing::ValuesIn(over_devices),
                         [](const auto& each) { return std::string{each.param.name}; });

}  // namespace
}  // namespace peal::test
