// An exchange of random messages between all ranks of a communicator, themselves included, with
// exact and wildcard receives, posted before or after the message comes; what each receive gets is
// held against a model of MPI's matching order.
//
// The model: every rank knows what every other one sends. The receives of a rank, replayed in the
// order in which they were posted, must each have got the first message of its source, in the order
// sent, that fits the receive and that no earlier one got.
//
// No exchange can hang: exact receives are posted before those with one wildcard, which all leave
// open the same thing, and those before receives of anything. Two communicators take turns, so that
// a fast rank's next exchange cannot feed the wildcards of this one.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>

#include "support.hpp"

namespace traffic {

struct message {
  int tag;
  std::size_t bytes;
  std::uint64_t key;
};

struct pattern {
  int source = peal::any_source;
  int tag = peal::any_tag.value();
  bool fits(int from, const message& m) const {
    return (source == peal::any_source || source == from) &&
           (tag == peal::any_tag.value() || tag == m.tag);
  }
};

inline constexpr int tags = 5;

inline std::size_t random_size(job::random& r) {
  if (r.one_in(8)) return 0;
  if (r.one_in(400)) return 1'000'000 + r.below(2'000'000);
  if (r.one_in(60)) return 10'000 + r.below(300'000);
  if (r.one_in(10)) return 1 + r.below(20'000);
  return 1 + r.below(200);
}

// What `from` sends to `to` in a round, in order; one at least.
inline std::vector<message> sent(std::uint64_t seed, int round, int from, int to,
                                 std::size_t most) {
  job::random r{seed * 1'000'003 + static_cast<std::uint64_t>(round) * 10007 +
                static_cast<std::uint64_t>(from) * 101 + static_cast<std::uint64_t>(to)};
  std::vector<message> all(1 + r.below(most));
  for (auto& m : all) m = {static_cast<int>(r.below(tags)), random_size(r), r.next()};
  return all;
}

struct receive {
  pattern asks;
  std::unique_ptr<std::byte[]> memory;  // for irecv_into
  std::size_t room = 0;
  peal::request<peal::status> into;
  std::vector<std::byte> value;  // of the receives that know no size
  peal::status got;
};

class exchange {
 public:
  exchange(const peal::communicator& in, std::uint64_t seed, int number, std::size_t most)
      : in_{in},
        random_{seed + static_cast<std::uint64_t>(number) * 7919 +
                static_cast<std::uint64_t>(in.rank()) * 31} {
    for (int from = 0; from < in.size(); ++from)
      expected_.push_back(sent(seed, number, from, in.rank(), most));
    for (int to = 0; to < in.size(); ++to)
      outgoing_.push_back(sent(seed, number, in.rank(), to, most));
    job::random shared{seed ^ static_cast<std::uint64_t>(number)};
    plan(shared.one_in(2));
  }

  void run() {
    std::size_t next_receive = 0;
    std::vector<std::size_t> next_send(outgoing_.size(), 0);
    std::vector<int> order;  // of the sends: which rank is next
    for (std::size_t to = 0; to < outgoing_.size(); ++to)
      order.insert(order.end(), outgoing_[to].size(), static_cast<int>(to));
    shuffle(order);
    std::size_t at = 0;
    while (next_receive < posted_ || at < order.size()) {
      if (next_receive < posted_ && (at == order.size() || random_.one_in(2))) {
        post(receives_[next_receive++]);
      } else {
        const auto to = static_cast<std::size_t>(order[at++]);
        send(outgoing_[to][next_send[to]++], static_cast<int>(to));
      }
    }
    for (std::size_t i = posted_; i < receives_.size(); ++i) receive_now(receives_[i]);
    for (std::size_t i = 0; i < posted_; ++i) receives_[i].got = receives_[i].into.wait();
    for (auto& request : sends_) request.wait();
    for (auto& request : owned_sends_) request.wait();
    compare();
  }

 private:
  template <class T>
  void shuffle(std::vector<T>& all) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random_.below(i)]);
  }

  // Which receive is to be asked for: every message makes one of three kinds.
  void plan(bool any_source) {
    std::vector<pattern> exact, open, anything;
    for (int from = 0; from < in_.size(); ++from)
      for (const auto& m : expected_[static_cast<std::size_t>(from)]) {
        const auto kind = random_.below(4);
        if (kind == 0) anything.push_back({});
        else if (kind == 1)
          open.push_back(any_source ? pattern{peal::any_source, m.tag}
                                    : pattern{from, peal::any_tag.value()});
        else exact.push_back({from, m.tag});
      }
    shuffle(exact);
    shuffle(open);
    for (const auto& kind : {exact, open, anything})
      for (const auto& asks : kind) {
        receives_.emplace_back();
        receives_.back().asks = asks;
      }
    posted_ = exact.size() + open.size();
  }

  void post(receive& r) {
    for (int from = 0; from < in_.size(); ++from)
      for (const auto& m : expected_[static_cast<std::size_t>(from)])
        if (r.asks.fits(from, m)) r.room = std::max(r.room, m.bytes);
    r.memory = std::make_unique_for_overwrite<std::byte[]>(r.room);
    r.into =
        in_.irecv_into(std::span{r.memory.get(), r.room}, r.asks.source, peal::tag{r.asks.tag});
  }

  void send(const message& m, int to) {
    auto data = job::bytes_of(m.bytes, m.key);
    if (random_.one_in(2)) {
      owned_sends_.push_back(in_.isend(std::move(data), to, peal::tag{m.tag}));
    } else {
      lent_.push_back(std::move(data));
      sends_.push_back(in_.isend(lent_.back(), to, peal::tag{m.tag}));
    }
  }

  // Everything of ours is under way, so that blocking is safe.
  void receive_now(receive& r) {
    const peal::tag tag{r.asks.tag};
    switch (random_.below(4)) {
      case 0: r.value = in_.recv<std::vector<std::byte>>(r.asks.source, tag, &r.got); break;
      case 1: {
        auto m = in_.mprobe(r.asks.source, tag);
        r.got = m.status();
        r.value.resize(r.got.bytes);
        std::move(m).recv_into(r.value);
        break;
      }
      case 2: {
        std::optional<peal::message> m;
        while (!(m = in_.improbe(r.asks.source, tag))) {
        }
        r.got = m->status();
        r.value = std::move(*m).recv<std::vector<std::byte>>();
        break;
      }
      default:
        for (const auto& from : expected_)
          for (const auto& m : from) r.room = std::max(r.room, m.bytes);
        r.memory = std::make_unique_for_overwrite<std::byte[]>(r.room);
        r.got = in_.recv_into(std::span{r.memory.get(), r.room}, r.asks.source, tag);
    }
  }

  void compare() {
    std::vector<std::deque<message>> left;
    for (const auto& from : expected_) left.emplace_back(from.begin(), from.end());
    for (const auto& r : receives_) {
      job::check(r.got.source >= 0 && r.got.source < in_.size(),
                 "a message of a rank that does not exist");
      auto& of_source = left[static_cast<std::size_t>(r.got.source)];
      const auto found = std::find_if(of_source.begin(), of_source.end(), [&](const message& m) {
        return r.asks.fits(r.got.source, m);
      });
      job::check(found != of_source.end(), "a receive got a message that it did not ask for");
      job::equal(r.got.tag.value(), found->tag, "the tag of the first message that fits");
      job::equal(r.got.bytes, found->bytes, "its length");
      const auto data = r.memory ? std::span<const std::byte>{r.memory.get(), r.got.bytes}
                                 : std::span<const std::byte>{r.value};
      job::equal(data.size(), found->bytes, "its data's length");
      job::check(job::holds(data, found->key), "its data are those of another message, or damaged");
      of_source.erase(found);
    }
    for (const auto& from : left) job::check(from.empty(), "a message was lost");
  }

  const peal::communicator& in_;
  job::random random_;
  std::vector<std::vector<message>> expected_, outgoing_;  // by rank
  std::vector<receive> receives_;                          // in the order of posting
  std::size_t posted_ = 0;                                 // of them nonblocking
  std::deque<std::vector<std::byte>> lent_;
  std::vector<peal::request<>> sends_;
  std::vector<peal::request<std::vector<std::byte>>> owned_sends_;
};

}  // namespace traffic
