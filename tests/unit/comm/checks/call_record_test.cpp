#include "comm/checks/call_record.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "peal/data/op.hpp"

namespace {

using namespace peal;
using detail::collective;
using detail::collective_call;

const detail::location here = detail::location::current();

template <class T>
collective_call call_of(collective kind, std::size_t bytes, int root = 0) {
  static int somewhere = 0;
  collective_call made;
  made.kind = kind;
  made.root = root;
  made.send = made.receive = &somewhere;
  made.bytes = bytes;
  made.element_type = detail::type_of<T>();
  return made;
}

template <class T, class Op>
collective_call reduction_of(Op op, std::size_t bytes) {
  collective_call made = call_of<T>(collective::allreduce, bytes);
  made.type = detail::scalar_of<T>();
  made.element_size = sizeof(T);
  made.op = detail::reduction_of<T>(op);
  return made;
}

call_record record(const collective_call& call, bool stepped = false, int rank = 0) {
  return call_record::of(rank, 3, call, stepped, here);
}

/// Both ways; empty: the two match.
std::string difference(const call_record& a, const call_record& b) {
  EXPECT_EQ(a.matches(b), b.matches(a));
  EXPECT_EQ(a.difference(b), b.difference(a));
  EXPECT_EQ(a.matches(b), a.difference(b).empty());
  return a.difference(b);
}

TEST(call_record, who_calls_and_where_does_not_matter) {
  const collective_call call = call_of<int>(collective::bcast, 8, 2);
  const call_record a = record(call),
                    b = call_record::of(2, 3, call, false, detail::location::current());
  EXPECT_EQ(difference(a, b), "");
  EXPECT_EQ(b.place(), here.file_name() + std::string{":"} + std::to_string(b.line));
}

TEST(call_record, each_argument_counts) {
  const call_record usual = record(call_of<int>(collective::bcast, 8, 2));
  EXPECT_EQ(difference(usual, record(call_of<int>(collective::gather, 4, 1))), "the collective")
      << "and nothing more, the rest follows";
  EXPECT_EQ(difference(usual, record(call_of<int>(collective::bcast, 8, 1))), "the root");
  EXPECT_EQ(difference(usual, record(call_of<int>(collective::bcast, 12, 2))), "the bytes");
  EXPECT_EQ(difference(usual, record(call_of<float>(collective::bcast, 8, 2))), "the type");
  EXPECT_EQ(difference(usual, record(call_of<float>(collective::bcast, 12, 0))),
            "the root, the type, the bytes");
  EXPECT_EQ(difference(usual, record(call_of<int>(collective::bcast, 64, 2), true)),
            "whether all ranks know the length");
}

TEST(call_record, operations_are_told_apart_by_kernel_or_type) {
  const auto first = [](int a, int b) { return a + b; };
  const auto second = [](int a, int b) { return a + b; };
  EXPECT_EQ(difference(record(reduction_of<int>(std::plus<>{}, 4)),
                       record(reduction_of<int>(std::plus<int>{}, 4))),
            "");
  EXPECT_EQ(difference(record(reduction_of<int>(std::plus<>{}, 4)),
                       record(reduction_of<int>(peal::max, 4))),
            "the operation");
  EXPECT_EQ(
      difference(record(reduction_of<int>(std::plus<>{}, 4)), record(reduction_of<int>(first, 4))),
      "the operation");
  EXPECT_EQ(difference(record(reduction_of<int>(first, 4)), record(reduction_of<int>(first, 4))),
            "");
  EXPECT_EQ(difference(record(reduction_of<int>(first, 4)), record(reduction_of<int>(second, 4))),
            "the operation");
}

TEST(call_record, in_place_counts_where_every_rank_has_to_be) {
  collective_call in_place = reduction_of<int>(std::plus<>{}, 4);
  in_place.send = nullptr;
  EXPECT_EQ(difference(record(in_place), record(reduction_of<int>(std::plus<>{}, 4))),
            "whether in place");
  EXPECT_EQ(difference(record(in_place), record(reduction_of<int>(std::plus<>{}, 8))),
            "the bytes, whether in place");
  in_place.bytes = 0;
  EXPECT_EQ(difference(record(in_place), record(reduction_of<int>(std::plus<>{}, 8))), "the bytes");
  EXPECT_EQ(difference(record(in_place), record(reduction_of<int>(std::plus<>{}, 0))), "")
      << "an empty range may lie nowhere";
  collective_call gathers = call_of<int>(collective::gather, 4);
  gathers.send = nullptr;
  EXPECT_EQ(difference(record(gathers), record(call_of<int>(collective::gather, 4))), "")
      << "only the root gathers in place";
}

TEST(call_record, lengths_that_may_differ_are_not_compared) {
  collective_call varies = call_of<int>(collective::allgather, 4),
                  longer = call_of<int>(collective::allgather, 40);
  varies.varying = longer.varying = true;
  EXPECT_EQ(difference(record(varies), record(longer)), "");
}

TEST(call_record, lengths_that_every_rank_gives_are_compared) {
  const std::size_t one[] = {4, 8, 4}, other[] = {8, 4, 4};
  collective_call a = reduction_of<int>(std::plus<>{}, 4);
  a.kind = collective::reduce_scatter;
  collective_call b = a, c = a;
  b.varying = c.varying = true;
  b.send_bytes = one;
  c.send_bytes = other;
  EXPECT_EQ(difference(record(b), record(b)), "");
  EXPECT_EQ(difference(record(b), record(c)), "the bytes");
  EXPECT_EQ(difference(record(a), record(b)), "the bytes");
  b.bytes = 8;  // this rank's own
  EXPECT_EQ(record(b).text(), "reduce_scatter(int, sum, 16 bytes)");
}

TEST(call_record, says_what_was_called) {
  EXPECT_EQ(record(call_of<int>(collective::bcast, 8, 2)).text(), "bcast(int, 8 bytes, root 2)");
  EXPECT_EQ(record(call_of<std::string>(collective::bcast, 64, 0), true).text(),
            "bcast(std::string, any length, root 0)");
  EXPECT_EQ(record(reduction_of<double>(std::plus<>{}, 16)).text(),
            "allreduce(double, sum, 16 bytes)");
  EXPECT_EQ(record({}).text(), "barrier()");
  collective_call in_place = reduction_of<long>(peal::min, 8);
  in_place.send = nullptr;
  EXPECT_EQ(record(in_place).text(), "allreduce(long, min, 8 bytes, in place)");
  // A lambda is named by the function that it stands in: GCC writes "TestBody()::{lambda(int,
  // int)#1}", Clang "TestBody()::$_0".
  EXPECT_NE(record(reduction_of<int>([](int a, int) { return a; }, 4)).text().find("TestBody()::"),
            std::string::npos);
}

TEST(call_record, names_that_are_too_long_are_shortened_and_still_compared) {
  using one = std::vector<std::vector<std::vector<std::vector<std::vector<std::vector<int>>>>>>;
  using other = std::vector<std::vector<std::vector<std::vector<std::vector<std::vector<float>>>>>>;
  const call_record a = record(call_of<one>(collective::bcast, 8)),
                    b = record(call_of<other>(collective::bcast, 8));
  EXPECT_EQ(difference(a, b), "the type");
  const std::string name = a.type_name.data();
  EXPECT_EQ(name.size(), a.type_name.size() - 1);
  EXPECT_TRUE(name.ends_with("..."));
}

/// Joins the calls of so many ranks, those from `cut` on first, and says which two were found.
std::pair<int, int> found(const std::vector<call_record>& calls, std::size_t cut) {
  const auto joined = [&](std::size_t begin, std::size_t end) {
    comparison all{calls[end - 1], {}, false};
    for (std::size_t i = end - 1; i-- > begin;) {
      const comparison one{calls[i], {}, false};
      comparison::join(nullptr, &one, &all, 1);
    }
    return all;
  };
  comparison all = joined(cut, calls.size());
  if (cut != 0) {
    const comparison lower = joined(0, cut);
    comparison::join(nullptr, &lower, &all, 1);
  }
  EXPECT_EQ(all.lowest.rank, 0);
  return {0, all.differs ? all.odd.rank : 0};
}

TEST(comparison, finds_the_first_that_differs_whatever_is_joined_first) {
  for (const std::vector<int>& roots : std::vector<std::vector<int>>{{0, 0, 0, 0, 0},
                                                                     {0, 0, 0, 1, 0},
                                                                     {1, 0, 0, 0, 0},
                                                                     {0, 1, 2, 3, 4},
                                                                     {0, 0, 1, 1, 2},
                                                                     {0, 0, 0, 0, 1},
                                                                     {3}}) {
    std::vector<call_record> calls;
    for (const int root : roots)
      calls.push_back(
          record(call_of<int>(collective::bcast, 4, root), false, static_cast<int>(calls.size())));
    int expected = 0;
    for (std::size_t i = roots.size(); i-- > 0;)
      if (roots[i] != roots[0]) expected = static_cast<int>(i);
    for (std::size_t cut = 0; cut < roots.size(); ++cut)
      EXPECT_EQ(found(calls, cut).second, expected) << "cut at " << cut;
  }
}

TEST(comparison, each_rank_is_shown_a_call_other_than_its_own) {
  const call_record zero = record(call_of<int>(collective::bcast, 4, 0), false, 0),
                    one = record(call_of<int>(collective::bcast, 4, 1), false, 1),
                    two = record(call_of<int>(collective::bcast, 4, 2), false, 2);
  const comparison all{zero, one, true};
  EXPECT_EQ(all.other_than(zero).rank, 1);
  EXPECT_EQ(all.other_than(one).rank, 0);
  EXPECT_EQ(all.other_than(two).rank, 0);
}

TEST(comparison, both_calls_are_named) {
  const call_record mine = record(call_of<int>(collective::bcast, 4, 0), false, 2),
                    other = record(call_of<int>(collective::bcast, 4, 1), false, 5);
  EXPECT_EQ(mismatch_text(mine, other),
            "this rank, 2, called bcast(int, 4 bytes, root 0), but rank 5 called bcast(int, 4 "
            "bytes, root 1) at " +
                other.place() + "; what differs: the root");
}

}  // namespace
