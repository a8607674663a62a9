#include "double/arbitrary_packets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "base/page.hpp"
#include "transport/verbs/bulk/fetcher.hpp"
#include "transport/verbs/bulk/payload_header.hpp"
#include "transport/verbs/connect/pairs/pairing.hpp"
#include "transport/verbs/datagram/datagram.hpp"

namespace peal::test {

using namespace verbs;

namespace {

constexpr std::size_t message_bytes = 24;

template <class Thing>
std::span<const std::byte> bytes_of(const Thing& what) {
  return std::as_bytes(std::span{&what, 1});
}

std::vector<std::byte> joined(std::span<const std::byte> head, std::span<const std::byte> behind) {
  std::vector<std::byte> made(head.begin(), head.end());
  made.insert(made.end(), behind.begin(), behind.end());
  return made;
}

}  // namespace

arbitrary_packets::arbitrary_packets(choice by) : choose_{std::move(by)}, arrivals_(3) {
  verbs_double::remove_cards();
  verbs_options settings;
  settings.set.max_rc = static_cast<std::uint32_t>(any(1, 2));
  settings.set.rendezvous = any(0, 1) ? rendezvous_mode::both : rendezvous_mode::read;
  if (any(0, 3) == 0) settings.set.push = 0;
  for (unsigned each = 0; each < 3; ++each) cards_.push_back(&verbs_double::add_card(1, each + 1));
  std::vector<std::string> told;
  for (peer_id each = 0; each < 3; ++each) {
    settings.set.device = cards_[each]->device.name;
    ranks_.push_back(std::make_unique<verbs_transport>(arrivals_[each], here_, each, 3, settings));
    told.push_back(ranks_[each]->address());
    addresses_.push_back(*address_from(told.back()));
  }
  for (const auto& each : ranks_) each->meet(told);
  true_proof_ = std::make_unique<authenticator>(addresses_[0].job);
  false_proof_ = std::make_unique<authenticator>(secret{1, 1});
  packing_ = std::make_unique<handshake_packing>(3);
  lies_ = std::make_unique<verbs_double::lying_host>(*cards_[liar], *cards_[victim]);
  cards_[victim]->listens = [this](const std::byte* packet, std::size_t bytes) {
    if (seen_.size() < 64) seen_.emplace_back(packet, packet + bytes);
  };
}

arbitrary_packets::~arbitrary_packets() {
  cards_[victim]->listens = {};
  lies_.reset();
  ranks_.clear();
  verbs_double::remove_cards();
}

void arbitrary_packets::poll(int turns) {
  for (; turns > 0; --turns)
    for (const auto& each : ranks_) each->poll();
}

std::uint64_t arbitrary_packets::any_number() {
  switch (any(0, 5)) {
    case 0: return any(0, 3);
    case 1: return any(0, 1 << 20);
    case 2: return std::uint64_t{1} << any(0, 63);
    case 3: return ~any(0, 3);
    case 4: return std::uint64_t{any(0, 0xffff)} << 32 | any(0, 0xffff);
    default: return any(0, ~std::uint64_t{0});
  }
}

std::vector<std::byte> arbitrary_packets::any_bytes(std::size_t most) {
  std::vector<std::byte> made(any(0, most));
  const std::uint64_t changes = any(0, 12);
  for (std::uint64_t each = 0; each < changes && !made.empty(); ++each)
    made[any(0, made.size() - 1)] = static_cast<std::byte>(any(0, 255));
  return made;
}

/// So long now and then that it is registered, or packed, in pieces.
std::size_t arbitrary_packets::any_length(std::size_t most) {
  switch (any(0, 15)) {
    case 0: return pieces::length + any(1, pieces::length);
    case 1: return pieces::packed + any(1, pieces::length);
    default: return any(1, most);
  }
}

// ---- what honest ranks do

void arbitrary_packets::honest_message() {
  const bool to_victim = any(0, 1) == 0;
  std::uint32_t& number = to_victim ? sent_to_victim_ : sent_to_honest_;
  const auto data = pattern(message_bytes, number);
  const envelope head = envelope::make(number, 1, 2, envelope_kind::eager, message_bytes);
  const peer_id from = to_victim ? honest : victim, to = to_victim ? victim : honest;
  EXPECT_TRUE(until([&] { poll(1); }, [&] { return ranks_[from]->send(to, head, data.data()); }))
      << "no message from " << from << " to " << to << " leaves";
  ++number;
}

void arbitrary_packets::begin_fetch(peer_id from, const remote_region& where, std::size_t bytes,
                                    std::vector<std::byte> expected) {
  fetching& made = fetches_.emplace_back();
  made.target.resize(bytes);
  made.expected = std::move(expected);
  made.what = std::make_unique<fetch>();
  made.what->from = from;
  made.what->where = where;
  made.what->into = made.target.data();
  made.what->bytes = bytes;
  made.what->context = &made;
  made.what->done = [](fetch& over, std::error_code why) noexcept {
    auto& mine = *static_cast<fetching*>(over.context);
    ++mine.calls;
    mine.error = why;
  };
  ranks_[victim]->start_fetch(*made.what);
}

void arbitrary_packets::expose(memory& which, peer_id from, peer_id to) {
  if (any(0, 1) == 0) {
    which.packer = std::make_unique<counting_packer>(which.data);
    which.where = ranks_[from]->expose_packed(to, *which.packer, which.data.size());
  } else {
    which.where = ranks_[from]->expose(to, which.data.data(), which.data.size());
  }
}

void arbitrary_packets::honest_fetch() {
  if (honest_memory_.size() >= 4) return;
  memory& made = honest_memory_.emplace_back();
  made.data = pattern(any_length(40'000), honest_memory_.size());
  expose(made, honest, victim);
  begin_fetch(honest, made.where, made.data.size(), made.data);
}

void arbitrary_packets::message_to_liar() {
  const auto data = pattern(message_bytes, 1);
  const bool by_liar = any(0, 1) == 0;
  (void)ranks_[by_liar ? liar : victim]->send(
      by_liar ? victim : liar, envelope::make(0, 1, 2, envelope_kind::eager, message_bytes),
      data.data());
}

void arbitrary_packets::expose_to_liar() {
  if (exposed_.size() >= 4) return;
  memory& made = exposed_.emplace_back();
  made.data = pattern(any_length(70'000), exposed_.size());
  expose(made, victim, liar);
}

void arbitrary_packets::withdraw() {
  if (exposed_.empty()) return;
  ranks_[victim]->withdraw(liar, exposed_.front().where);
  exposed_.pop_front();
}

/// An announcement of the liar's says where, and how much it is.
void arbitrary_packets::fetch_from_liar() {
  if (fetches_.size() >= 8) return;
  remote_region where;
  std::size_t bytes = any_length(100'000);
  if (any(0, 1) == 0) {  // what is there, though perhaps not all of it
    memory& made = liar_memory_.emplace_back();
    // Whole pages are registered, so what is beyond its ends may be read as well.
    made.data = pattern(bytes + 2 * page, liar_memory_.size());
    made.where = where = ranks_[liar]->expose(victim, made.data.data() + page, bytes);
    if (any(0, 7) == 0) bytes += any(1, 5000);
    if (any(0, 7) == 0) where.words[any(0, where.words.size() - 1)] = any_number();
  } else {
    for (std::uint64_t& each : where.words) each = any_number();
  }
  if (any(0, 1) == 0)  // pushed
    where.words[3] = any(0, 4) << 32 | (any(0, 2) == 0 ? any(0, 2) : any(0, 70'000));
  begin_fetch(liar, where, bytes, {});
}

// ---- what the liar does

void arbitrary_packets::lie_in_a_message() {
  std::vector<std::byte> packet = any_bytes(200);
  if (any(0, 1) == 0) {
    const envelope head{any_number(), any_number() << 32 | any(0, 3) << 24 | any(0, 300)};
    packet = joined(bytes_of(head), packet);
  }
  // What it says of staged payloads, of leaving, of credits and of the last message is in here too.
  // Many credits end the connection.
  std::uint64_t said = 0;
  if (any(0, 2) == 0) said = any(0, 3) ? any(0, 2) | std::uint64_t{1} << any(16, 23) : any_number();
  lies_->send(packet, static_cast<std::uint32_t>(said));
}

void arbitrary_packets::lie_about_a_payload() {
  payload_header header;
  header.kind = static_cast<payload_kind>(any(0, 14));
  header.detail = static_cast<std::uint32_t>(any(0, 1) ? any(0, 4) : any_number());
  header.number = any_number();
  header.position = any_number();
  std::vector<std::byte> behind = any_bytes(300);
  header.bytes = any(0, 2) ? behind.size() : any_number();
  if (header.kind == payload_kind::push && any(0, 3)) {
    header.position = any(0, 3) ? std::uint64_t{any(0, 70'000)} << 32 : header.position;
    header.number = any(0, 4);
  }
  if (header.kind == payload_kind::ask || header.kind == payload_kind::write) {
    // Of what was exposed to it, or nearly so.
    std::uint64_t number = any_number();
    if (!exposed_.empty() && any(0, 3))
      number = exposed::number(exposed_[any(0, exposed_.size() - 1)].where);
    const auto question = bytes_of(number);
    behind.assign(question.begin(), question.end());
    if (header.kind == payload_kind::write) {
      write_source source;
      source.number = number;
      source.at = any(0, 1) ? 0 : any_number();
      const auto all = bytes_of(source);
      behind.assign(all.begin(), all.end());
    }
    header.bytes = any(0, 1) ? any(1, 70'000) : any_number();
    if (any(0, 1)) header.position = header.kind == payload_kind::ask ? 0 : 1 << 20;
  }
  if (header.kind == payload_kind::keys && any(0, 3)) {
    // To what it exposed itself, or to nothing.
    if (!liar_memory_.empty() && any(0, 3))
      header.number = exposed::number(liar_memory_[any(0, liar_memory_.size() - 1)].where);
    if (any(0, 1)) header.detail = 1;
    behind.resize(any(0, 3) * sizeof(rail_keys));
    header.bytes = behind.size();
  }
  if (header.kind >= payload_kind::pairs_asked && header.kind <= payload_kind::link_ready &&
      any(0, 3)) {
    pair_numbers numbers;
    numbers.what.first = static_cast<std::uint8_t>(any(0, 3) ? 0 : any(0, 255));
    numbers.what.last = static_cast<std::uint8_t>(any(0, 3) ? any(0, most_readers) : any(0, 255));
    numbers.first_psn = static_cast<std::uint32_t>(any_number());
    for (std::uint32_t& each : numbers.numbers)
      each = any(0, 3) ? 0 : static_cast<std::uint32_t>(any_number());
    const auto all = bytes_of(numbers);
    behind.assign(all.begin(), all.end());
    behind[offsetof(pair_numbers, what) + offsetof(pairing::range, writes)] =
        static_cast<std::byte>(any(0, 3) ? any(0, 1) : any(0, 255));
    header.bytes = behind.size();
  }
  lies_->send(joined(bytes_of(header), behind), immediate::staged);
}

void arbitrary_packets::lie_in_a_handshake() {
  handshake_packet said;
  said.from = any(0, 7) ? liar : static_cast<peer_id>(any(0, 4));
  said.to = any(0, 7) ? victim : static_cast<peer_id>(any(0, 4));
  said.from_incarnation = addresses_[liar].incarnation ^ (any(0, 7) ? 0 : any_number());
  said.to_incarnation = addresses_[victim].incarnation ^ (any(0, 7) ? 0 : any_number());
  said.control_qp = static_cast<std::uint32_t>(any_number());
  said.attempt = static_cast<std::uint32_t>(any(0, 1) ? any(0, 3) : any_number());
  said.your_attempt = static_cast<std::uint32_t>(any(0, 1) ? any(0, 3) : any_number());
  said.credits = static_cast<std::uint16_t>(any_number());
  said.most_credits = static_cast<std::uint16_t>(any(0, 3) ? 0xffff : any_number());
  said.kind = static_cast<handshake_kind>(any(0, 9));
  said.needed = static_cast<std::uint8_t>(any(0, 1));
  said.goes_on = static_cast<std::uint8_t>(any(0, 1));
  said.link = static_cast<std::uint8_t>(any(0, 3) ? 0 : any(0, 255));
  said.taken = static_cast<std::uint32_t>(any(0, 1) ? any(0, 70) : any_number());
  said.refuses_eager = static_cast<std::uint8_t>(any(0, 1));
  for (std::size_t each = 0; each < most_rails; ++each)
    said.places[each] = {addresses_[liar].rails[each].gid, addresses_[liar].rails[each].lid, 0};
  if (any(0, 7) == 0) said.places[0].lid = static_cast<std::uint16_t>(any_number());
  if (any(0, 15) == 0) said.magic ^= any_number();
  // Only a process of the job can prove anything, and only of itself is this rank thought to lie.
  const bool can = said.from == liar && any(0, 3);
  const packed_handshake made = packing_->pack(said, can ? *true_proof_ : *false_proof_);
  std::vector<std::byte> packet = joined(bytes_of(made), any_bytes(100));
  if (any(0, 15) == 0) packet.resize(any(0, packet.size()));
  verbs_double::inject_datagram(*cards_[victim], packet);
}

void arbitrary_packets::lie_in_a_datagram() {
  std::vector<std::byte> data = any_bytes(300);
  if (any(0, 3)) data.resize((data.size() + 15) / 16 * 16);
  if (data.size() >= sizeof(envelope) && any(0, 3)) {
    const envelope head{any_number(), any_number() << 32 | any(0, 3) << 24 | any(0, 400)};
    std::memcpy(data.data(), &head, sizeof head);
  }
  datagram_header head;
  head.from = any(0, 7) ? liar : static_cast<peer_id>(any(0, 4));
  head.to = any(0, 7) ? victim : static_cast<peer_id>(any(0, 4));
  head.from_incarnation = addresses_[liar].incarnation ^ (any(0, 7) ? 0 : any_number());
  head.to_incarnation = addresses_[victim].incarnation ^ (any(0, 7) ? 0 : any_number());
  head.sequence = any(0, 3) ? ++datagrams_sent_
                            : static_cast<std::uint32_t>(any(0, 1) ? any(0, 200) : any_number());
  head.acknowledged = static_cast<std::uint32_t>(any(0, 3) ? any(0, 4) : any_number());
  head.flags = static_cast<std::uint16_t>(any(0, 3) ? datagram_flags::sequenced : any_number());
  head.bytes = any(0, 7) ? static_cast<std::uint16_t>(data.size())
                         : static_cast<std::uint16_t>(any_number());
  const bool can = head.from == liar && any(0, 3);
  head.proof = head.proof_by(can ? *true_proof_ : *false_proof_);
  verbs_double::inject_datagram(*cards_[victim], joined(bytes_of(head), data));
}

/// As it came, or with bits changed.
void arbitrary_packets::repeat_a_packet() {
  if (seen_.empty()) return;
  std::vector<std::byte> packet = seen_[any(0, seen_.size() - 1)];
  for (std::uint64_t flips = any(0, 2); flips > 0 && !packet.empty(); --flips)
    // The tag is of the header. What a datagram carries behind it is not proven, so it stays.
    packet[any(0, std::min(packet.size(), sizeof(datagram_header)) - 1)] ^=
        static_cast<std::byte>(any(0, 255));
  verbs_double::inject_datagram(*cards_[victim], packet);
}

void arbitrary_packets::step() {
  switch (any(0, 15)) {
    case 0: honest_message(); break;
    case 1: honest_fetch(); break;
    case 2:
    case 3: message_to_liar(); break;
    case 4: expose_to_liar(); break;
    case 5: withdraw(); break;
    case 6: fetch_from_liar(); break;
    case 7:
    case 8: lie_in_a_message(); break;
    case 9:
    case 10: lie_about_a_payload(); break;
    case 11:
    case 12: lie_in_a_handshake(); break;
    case 13: lie_in_a_datagram(); break;
    case 14: repeat_a_packet(); break;
    default: poll(static_cast<int>(any(1, 40))); break;
  }
  poll(static_cast<int>(any(0, 3)));
}

void arbitrary_packets::check() {
  const auto came = [&](peer_id to, peer_id from) {
    std::uint32_t count = 0;
    for (const arrival& each : arrivals_[to].got) {
      if (each.from != from) continue;
      EXPECT_EQ(each.head.context(), count) << "the messages from " << from << " have their order";
      EXPECT_EQ(each.payload, pattern(message_bytes, count)) << "message " << count;
      ++count;
    }
    return count;
  };
  const auto over = [&](peer_id of) {
    return std::ranges::all_of(
        fetches_, [&](const fetching& each) { return each.what->from != of || each.calls == 1; });
  };
  const auto count_of = [&](peer_id to, peer_id from) {
    return static_cast<std::uint32_t>(std::ranges::count(arrivals_[to].got, from, &arrival::from));
  };
  const auto all_came = [&] {
    return count_of(victim, honest) >= sent_to_victim_ &&
           count_of(honest, victim) >= sent_to_honest_;
  };
  EXPECT_TRUE(until([&] { poll(1); }, all_came));
  EXPECT_EQ(came(victim, honest), sent_to_victim_);
  EXPECT_EQ(came(honest, victim), sent_to_honest_);
  for (const peer_id each : ranks_[victim]->lost())
    EXPECT_EQ(each, liar) << "only the liar is lost";
  // A liar that never sends what it announced holds its connection, be it the only one that this
  // rank may have, until it is given up.
  ranks_[victim]->peer_failed(liar);
  EXPECT_TRUE(over(liar)) << "what the liar announced ends with it";
  EXPECT_TRUE(until([&] { poll(1); }, [&] { return over(honest); }));
  for (const fetching& each : fetches_) {
    if (each.what->from != honest) continue;
    EXPECT_EQ(each.calls, 1);
    EXPECT_FALSE(each.error);
    EXPECT_TRUE(each.target == each.expected);
  }
}

}  // namespace peal::test
