// Views of memory without its type hold the bytes that a message of the same memory would.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <numeric>
#include <peal/peal.hpp>
#include <random>
#include <vector>

namespace {

/// As std::mdspan with a strided layout.
template <class T, std::size_t Rank>
struct strided {
  using element_type = T;
  T* first;
  std::array<std::size_t, Rank> extents;
  std::array<std::ptrdiff_t, Rank> strides;
  T* data_handle() const { return first; }
  static constexpr std::size_t rank() { return Rank; }
  std::size_t extent(std::size_t i) const { return extents[i]; }
  std::ptrdiff_t stride(std::size_t i) const { return strides[i]; }
};

std::vector<std::byte> copied(const peal::send_view& view) {
  std::vector<std::byte> made(view.bytes());
  view.memory().copy_to(made.data());
  return made;
}

TEST(views, of_strided_memory_copy_what_a_message_would_hold) {
  std::mt19937 random{3};
  std::vector<short> memory(4000);
  for (int i = 0; i != 500; ++i) {
    std::iota(memory.begin(), memory.end(), static_cast<short>(i));
    strided<short, 3> it{
        memory.data() + 2000, {random() % 5, random() % 4 + (i % 7 != 0), random() % 6}, {}};
    // Elements apart from each other: each stride beyond all that the axes within it reach; some
    // side by side, some backwards.
    std::ptrdiff_t reach = 1;
    for (std::size_t axis = 3; axis-- > 0;) {
      it.strides[axis] =
          reach + (random() % 2 == 0 ? 0 : static_cast<std::ptrdiff_t>(random() % 3));
      reach = it.strides[axis] *
              static_cast<std::ptrdiff_t>(std::max<std::size_t>(it.extents[axis], 1));
      if (random() % 4 == 0) it.strides[axis] = -it.strides[axis];
    }
    const peal::send_view view{it};
    const auto expected = peal::detail::pack(it);
    ASSERT_EQ(copied(view), expected);
    if (view.memory().packed() && view.bytes() != 0) {
      ASSERT_EQ(std::memcmp(view.memory().data(), expected.data(), expected.size()), 0);
    }
    // And back: only those elements change.
    std::vector<std::byte> other(view.bytes());
    for (std::byte& each : other) each = static_cast<std::byte>(random());
    auto wanted = memory;
    {
      strided<short, 3> there = it;
      there.first = wanted.data() + 2000;
      peal::detail::unpack(there, other);
    }
    peal::recv_view{it}.memory().copy_from(other.data());
    ASSERT_EQ(memory, wanted);
  }
}

TEST(views, of_what_lies_side_by_side_are_not_copied) {
  std::vector<int> matrix(12);
  const int one = 5;
  EXPECT_TRUE(peal::send_view{matrix}.memory().packed());
  EXPECT_EQ(peal::send_view{matrix}.bytes(), 48u);
  EXPECT_TRUE(peal::send_view{one}.memory().packed());
  EXPECT_EQ(peal::send_view{one}.bytes(), 4u);
  EXPECT_TRUE((peal::send_view{strided<int, 2>{matrix.data(), {3, 4}, {4, 1}}}.memory().packed()));
  EXPECT_TRUE((peal::send_view{strided<int, 2>{matrix.data(), {1, 4}, {9, 1}}}.memory().packed()));
  EXPECT_FALSE((peal::send_view{strided<int, 2>{matrix.data(), {3, 2}, {4, 1}}}.memory().packed()));
  EXPECT_EQ((peal::send_view{strided<int, 2>{matrix.data(), {3, 0}, {4, 1}}}.bytes()), 0u);
  EXPECT_EQ(peal::send_view{}.bytes(), 0u);
  EXPECT_EQ(peal::recv_view{}.bytes(), 0u);
}

}  // namespace
