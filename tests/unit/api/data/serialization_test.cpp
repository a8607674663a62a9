// Values become bytes and come back; bytes that are no value are refused.
#include "peal/data/serialization.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <limits>
#include <list>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "peal/data/buffer.hpp"

namespace {

struct point {
  int index;
  double x;
  bool operator==(const point&) const = default;
};

struct record {
  std::string name;
  std::vector<std::vector<point>> rows;
  std::map<std::string, std::set<int>> groups;
  std::optional<std::string> note;
  std::variant<std::monostate, int, std::string> either;
  std::tuple<int, std::string> both;
  bool operator==(const record&) const = default;
};

/// No aggregate, without a default constructor, and empty on the wire when its value is 0.
class own {
 public:
  explicit own(int value) : value_{value} {}
  int value() const { return value_; }
  bool operator==(const own&) const = default;

 private:
  int value_;
};

struct nothing {
  bool operator==(const nothing&) const = default;
};

record example() {
  return {"name", {{{1, 2}, {3, 4}}, {}}, {{"a", {1, 2}}, {"b", {}}},
          "note", std::string{"text"},    {5, "five"}};
}

}  // namespace

template <>
struct peal::type_traits<own> {
  static void encode(writer& out, const own& it) { out.value(it.value()); }
  static own decode(reader& in) {
    const int value = in.value<int>();
    if (value < 0) in.fail("an own is not negative");
    return own{value};
  }
};
/// Leaves no byte behind.
struct silent {};
template <>
struct peal::type_traits<silent> {
  static void encode(writer&, const silent&) {}
  static silent decode(reader&) { return {}; }
};

namespace {

template <class T>
T there_and_back(const T& value) {
  peal::writer out;
  out.value(value);
  peal::reader in{out.written()};
  T back = in.value<T>();
  EXPECT_EQ(in.left(), 0U);
  return back;
}

TEST(serialization, values_come_back) {
  EXPECT_EQ(there_and_back(42), 42);
  EXPECT_EQ(there_and_back(std::string{"text"}), "text");
  EXPECT_EQ(there_and_back(example()), example());
  EXPECT_EQ(there_and_back(std::vector<bool>{true, false}), (std::vector<bool>{true, false}));
  EXPECT_EQ(there_and_back(std::list<own>{own{1}, own{2}}), (std::list<own>{own{1}, own{2}}));
  EXPECT_EQ(there_and_back(std::deque<std::string>{"a", ""}), (std::deque<std::string>{"a", ""}));
  EXPECT_EQ(there_and_back(std::unordered_map<std::string, std::vector<int>>{{"k", {1, 2}}}),
            (std::unordered_map<std::string, std::vector<int>>{{"k", {1, 2}}}));
  EXPECT_EQ(there_and_back(std::optional<std::string>{}), std::nullopt);
  EXPECT_EQ(there_and_back(std::optional<std::optional<int>>{std::optional<int>{}}).has_value(),
            true);
  EXPECT_EQ(there_and_back(nothing{}), nothing{});
}

TEST(serialization, elements_without_bytes_are_still_counted) {
  EXPECT_EQ(there_and_back(std::vector<silent>(5)).size(), 5U);
  EXPECT_EQ(there_and_back(std::vector<std::monostate>(7)).size(), 7U);
}

TEST(serialization, a_message_of_a_range_is_its_elements) {
  const std::list<int> from{1, 2, 3};
  const auto bytes = peal::detail::pack(from);
  EXPECT_EQ(bytes.size(), 3 * sizeof(int));
  EXPECT_EQ(peal::detail::incoming<std::set<int>>::decode<std::set<int>>(bytes),
            (std::set<int>{1, 2, 3}));
}

template <class T>
testing::AssertionResult refused(std::span<const std::byte> bytes) {
  peal::reader in{bytes};
  try {
    (void)in.value<T>();
  } catch (const peal::error& e) {
    if (e.code() == peal::errc::decode_failed) return testing::AssertionSuccess();
    return testing::AssertionFailure() << e.what();
  }
  return testing::AssertionFailure() << "taken for a value";
}

TEST(serialization, every_cut_is_noticed) {
  peal::writer out;
  out.value(example());
  for (std::size_t length = 0; length < out.written().size(); ++length)
    EXPECT_TRUE(refused<record>(out.written().first(length))) << length;
}

TEST(serialization, lengths_are_not_believed) {
  for (const std::uint64_t length :
       {std::uint64_t{5}, std::uint64_t{1} << 40, std::numeric_limits<std::uint64_t>::max()}) {
    peal::writer out;
    out.value(length);
    out.value(std::uint32_t{1});
    EXPECT_TRUE(refused<std::vector<int>>(out.written()));
    EXPECT_TRUE(refused<std::string>(out.written()));
    EXPECT_TRUE(refused<std::vector<std::string>>(out.written()));
    EXPECT_TRUE(refused<std::vector<silent>>(out.written()));
    EXPECT_TRUE((refused<std::map<std::string, int>>(out.written())));
  }
}

TEST(serialization, wrong_marks_are_noticed) {
  peal::writer out;
  out.value(std::uint8_t{2});
  EXPECT_TRUE(refused<bool>(out.written()));
  EXPECT_TRUE(refused<std::optional<nothing>>(out.written()));
  peal::writer index;
  index.value(std::uint32_t{9});
  EXPECT_TRUE((refused<std::variant<int, std::string>>(index.written())));
  peal::writer negative;
  negative.value(-1);
  EXPECT_TRUE(refused<own>(negative.written()));
}

// Whatever the bytes, a value comes out or an error, and nothing else happens (a sanitizer would
// tell).
TEST(serialization, noise_never_does_harm) {
  peal::writer out;
  out.value(example());
  std::mt19937 random{1};
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::byte> bytes{out.written().begin(), out.written().end()};
    for (int change = 0; change < 3; ++change)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    peal::reader in{bytes};
    try {
      (void)in.value<record>();
    } catch (const peal::error& e) {
      EXPECT_EQ(e.code(), peal::errc::decode_failed);
    }
  }
}

}  // namespace
