// alltoallw: pieces that differ in type, length and layout, among all ranks and among neighbours,
// in every form.
#include <algorithm>
#include <string>
#include <vector>

#include "../support.hpp"

namespace {

using peal::communicator;

/// A column of a matrix, or any other elements at regular distances, in two dimensions.
template <class T>
struct lattice {
  using element_type = T;
  T* first;
  std::size_t rows, columns;
  std::ptrdiff_t row_stride, column_stride;
  T* data_handle() const { return first; }
  static constexpr std::size_t rank() { return 2; }
  std::size_t extent(std::size_t i) const { return i == 0 ? rows : columns; }
  std::ptrdiff_t stride(std::size_t i) const { return i == 0 ? row_stride : column_stride; }
};

// A piece of what goes from one rank to another: doubles in a row, ints in a column, chars two by
// two, a single value, or nothing. Both ends lay it out differently.
class piece {
 public:
  piece(int from, int to, int size) : from_{from}, to_{to} {
    const bool nobody = from < 0 || from >= size || to < 0 || to >= size;
    if (!nobody) {
      kind_ = (from * 3 + to) % 5;
      count_ = static_cast<std::size_t>(from + 2 * to);
    }
    memory_.assign(bytes() * 4 + 64, fresh);
  }
  [[nodiscard]] std::size_t bytes() const {
    switch (kind_) {
      case 0: return count_ * sizeof(double);
      case 1: return count_ * sizeof(int);
      case 2: return count_ * 2;
      case 3: return sizeof(long);
      default: return 0;
    }
  }
  [[nodiscard]] peal::send_view outgoing() { return view<peal::send_view>(true); }
  [[nodiscard]] peal::recv_view incoming() { return view<peal::recv_view>(false); }
  void fill(int turn) {
    peal::recv_view{view<peal::recv_view>(true)}.memory().copy_from(
        job::bytes_of(bytes(), key(turn)).data());
  }
  void forget() { std::fill(memory_.begin(), memory_.end(), fresh); }
  // What has come is there, and nothing else was touched.
  void check(int turn, const std::string& what) {
    std::vector<std::byte> found(bytes());
    incoming().memory().copy_to(found.data());
    job::check(job::holds(found, key(turn)),
               what + ": from " + std::to_string(from_) + " to " + std::to_string(to_));
    piece other = *this;
    other.forget();
    other.incoming().memory().copy_from(found.data());
    job::check(other.memory_ == memory_, what + ": beside the piece");
  }

 private:
  static constexpr std::byte fresh{0x5a};
  [[nodiscard]] std::uint64_t key(int turn) const {
    return static_cast<std::uint64_t>(from_ * 10'000 + to_ * 100 + turn);
  }
  template <class View>
  View view(bool here) {
    std::byte* const at = memory_.data();
    const auto n = static_cast<std::ptrdiff_t>(count_);
    switch (kind_) {
      case 0:
        if (here) return std::span{reinterpret_cast<double*>(at), count_};
        return lattice<double>{reinterpret_cast<double*>(at), count_, 1, 3, 1};
      case 1:
        if (here) return lattice<int>{reinterpret_cast<int*>(at) + 2, count_, 1, 2, 1};
        return lattice<int>{reinterpret_cast<int*>(at) + 3 * n, 1, count_, 1, -3};
      case 2:
        if (here) return lattice<char>{reinterpret_cast<char*>(at), 2, count_, n + 1, 1};
        return lattice<char>{reinterpret_cast<char*>(at), 2, count_, 1, 2};
      case 3: return View{*reinterpret_cast<long*>(at)};
      default: return {};
    }
  }

  int from_, to_, kind_ = 4;
  std::size_t count_ = 0;
  std::vector<std::byte> memory_;
};

struct exchange {
  exchange(int me, int size, const std::vector<int>& to, const std::vector<int>& from) {
    for (const int each : to) out.emplace_back(me, each, size);
    for (const int each : from) in.emplace_back(each, me, size);
    for (auto& each : out) sent.push_back(each.outgoing());
    for (auto& each : in) taken.push_back(each.incoming());
  }
  void begin(int turn) {
    for (auto& each : out) each.fill(turn);
    for (auto& each : in) each.forget();
  }
  void check(int turn, const std::string& what) {
    for (auto& each : in) each.check(turn, what);
  }
  std::vector<piece> out, in;
  std::vector<peal::send_view> sent;
  std::vector<peal::recv_view> taken;
};

void among_all(const communicator& world) {
  std::vector<int> everybody(static_cast<std::size_t>(world.size()));
  for (std::size_t i = 0; i < everybody.size(); ++i) everybody[i] = static_cast<int>(i);
  exchange one{world.rank(), world.size(), everybody, everybody},
      other = {world.rank(), world.size(), everybody, everybody};
  auto plan = world.alltoallw_plan(one.sent, one.taken);
  for (int turn = 0; turn < 4; ++turn) {
    one.begin(turn);
    world.alltoallw(one.sent, one.taken);
    one.check(turn, "alltoallw");
    one.begin(turn + 10);
    other.begin(turn + 20);
    auto started = plan.start();
    auto second = world.ialltoallw(other.sent, other.taken);
    second.wait();
    started.wait();
    other.check(turn + 20, "ialltoallw");
    one.check(turn + 10, "alltoallw_plan");
  }
}

void among_neighbors(const communicator& world) {
  const int me = world.rank(), size = world.size();
  for (const bool periodic : {true, false}) {
    const peal::grid line{world, {size}, {periodic}};
    exchange one{me, size, line.destinations(), line.sources()},
        other{me, size, line.destinations(), line.sources()};
    auto plan = line.neighbor_alltoallw_plan(one.sent, one.taken);
    for (int turn = 0; turn < 4; ++turn) {
      one.begin(turn);
      line.neighbor_alltoallw(one.sent, one.taken);
      one.check(turn, "neighbor_alltoallw");
      one.begin(turn + 10);
      other.begin(turn + 20);
      auto started = plan.start();
      auto second = line.ineighbor_alltoallw(other.sent, other.taken);
      second.wait();
      started.wait();
      other.check(turn + 20, "ineighbor_alltoallw");
      one.check(turn + 10, "neighbor_alltoallw_plan");
    }
    // What is there for nobody stays as it is, also where it is no run of bytes.
    if (periodic) continue;
    std::vector<int> room(8, 7), values(4, me);
    std::vector<peal::send_view> out(2, peal::send_view{values});
    std::vector<peal::recv_view> in{peal::recv_view{lattice<int>{room.data(), 4, 1, 2, 1}}, {}};
    in[1] = lattice<int>{room.data() + 1, 4, 1, 2, 1};
    line.neighbor_alltoallw(out, in);
    for (std::size_t i = 0; i < room.size(); ++i) {
      const int from = i % 2 == 0 ? me - 1 : me + 1;
      job::equal(room[i], from < 0 || from >= size ? 7 : from, "from the neighbours");
    }
  }
}

// A matrix whose rows are spread over the ranks, transposed: columns go out, and come in as rows.
void transposed(const communicator& world) {
  const auto ranks = static_cast<std::size_t>(world.size()),
             me = static_cast<std::size_t>(world.rank());
  constexpr std::size_t block = 3;
  const std::size_t n = ranks * block;
  std::vector<double> rows(block * n), columns(block * n);
  for (std::size_t r = 0; r < block; ++r)
    for (std::size_t c = 0; c < n; ++c)
      rows[r * n + c] = static_cast<double>((me * block + r) * 1000 + c);
  std::vector<peal::send_view> out;
  std::vector<peal::recv_view> in;
  const auto stride = static_cast<std::ptrdiff_t>(n);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    // column by column
    out.emplace_back(lattice<double>{rows.data() + rank * block, block, block, 1, stride});
    in.emplace_back(lattice<double>{columns.data() + rank * block, block, block, stride, 1});
  }
  world.alltoallw(out, in);
  for (std::size_t r = 0; r < block; ++r)
    for (std::size_t c = 0; c < n; ++c)
      job::equal(columns[r * n + c], static_cast<double>(c * 1000 + me * block + r),
                 "an element of the transposed matrix");
}

void misuse(const communicator& world) {
  const auto ranks = static_cast<std::size_t>(world.size()),
             me = static_cast<std::size_t>(world.rank());
  std::vector<int> values(4), room(8);
  std::vector<peal::send_view> out(ranks);
  std::vector<peal::recv_view> in(ranks);
  const std::vector<peal::send_view> fewer(ranks - 1);
  job::throws(peal::errc::invalid_argument, [&] { world.alltoallw(fewer, in); });
  out[me] = values;
  job::throws(peal::errc::invalid_argument, [&] { world.alltoallw(out, in); });
  out[me] = {};
  world.alltoallw(out, in);
  if (ranks == 1) return;
  // Rank 0 sends more, then less, than rank 1 takes: rank 1 is told, nobody hangs, and the next one
  // is sound.
  for (const std::size_t taken : {std::size_t{2}, std::size_t{8}}) {
    if (me == 0) out[1] = values;
    if (me == 1) in[0] = std::span{room}.first(taken);
    if (me == 1)
      job::throws(taken < 4 ? peal::errc::truncated : peal::errc::invalid_argument,
                  [&] { world.alltoallw(out, in); });
    else world.alltoallw(out, in);
  }
  if (me == 1) in[0] = std::span{room}.first(4);
  world.alltoallw(out, in);
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(argc, argv,
                        {job::part{"all", among_all}, job::part{"neighbors", among_neighbors},
                         job::part{"transposed", transposed}, job::part{"misuse", misuse}});
}
