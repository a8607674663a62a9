// halo: the heat equation on a square plate by Jacobi's method. The plate is cut into a grid of
// tiles, a rank each; after every step a tile swaps its edges (the halo) with its four neighbours,
// by a plan that is made once.
//
//     pealrun -n 4 ./halo [cells a side] [steps]
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <peal/peal.hpp>
#include <span>
#include <vector>

namespace {

// Cuts `cells` into `parts` as evenly as they go: where part `index` begins.
int begin_of(int cells, int parts, int index) {
  return static_cast<int>(static_cast<long>(cells) * index / parts);
}

// A column of a tile: every stride-th element. Strided views are sent and filled like any other
// buffer.
struct column {
  using element_type = double;
  double* first;
  int count, distance;
  double* data_handle() const { return first; }
  static constexpr std::size_t rank() { return 1; }
  int extent(std::size_t) const { return count; }
  int stride(std::size_t) const { return distance; }
};

// A rank's part of the plate, with a frame of one cell for the neighbours' edges.
class tile {
 public:
  tile(int rows, int columns)
      : rows_{rows},
        width_{columns + 2},
        cells_(static_cast<std::size_t>((rows + 2) * width_)),
        next_{cells_} {}

  double& at(int row, int col) {
    return cells_[static_cast<std::size_t>((row + 1) * width_ + col + 1)];
  }
  std::span<double> row(int index) { return {&at(index, 0), static_cast<std::size_t>(columns())}; }
  column col(int index) { return {&at(0, index), rows_, width_}; }
  int rows() const { return rows_; }
  int columns() const { return width_ - 2; }

  // One step of Jacobi; returns the sum of the squared changes.
  double step() {
    double change = 0;
    for (int r = 0; r < rows_; ++r)
      for (int c = 0; c < columns(); ++c) {
        const double mean = (at(r - 1, c) + at(r + 1, c) + at(r, c - 1) + at(r, c + 1)) / 4;
        change += (mean - at(r, c)) * (mean - at(r, c));
        next_[static_cast<std::size_t>((r + 1) * width_ + c + 1)] = mean;
      }
    for (int r = 0; r < rows_; ++r)
      for (int c = 0; c < columns(); ++c)
        at(r, c) = next_[static_cast<std::size_t>((r + 1) * width_ + c + 1)];
    return change;
  }

 private:
  int rows_, width_;
  std::vector<double> cells_, next_;
};

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  const int side = argc > 1 ? std::atoi(argv[1]) : 96;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 500;

  // As square a grid of ranks as their number allows, which ends at the rim of the plate.
  const peal::grid plate{world, peal::balanced_extents(world.size(), 2), {false, false}};
  const int down = plate.extents()[0], across = plate.extents()[1];
  if (side < std::max(down, across) || steps < 1) {
    if (world.rank() == 0)
      std::cerr << "usage: halo [cells a side, at least one for each rank of a side] [steps]\n";
    return 2;
  }
  const int y = plate.coordinates()[0], x = plate.coordinates()[1];

  // The upper rim of the plate is kept at 100 degrees, the rest of the rim at 0.
  tile mine{begin_of(side, down, y + 1) - begin_of(side, down, y),
            begin_of(side, across, x + 1) - begin_of(side, across, x)};
  if (y == 0)
    for (int c = -1; c <= mine.columns(); ++c) mine.at(-1, c) = 100;

  // The neighbours of a rank are those above, below, left and right; beyond the rim there is
  // nobody, and the frame stays as it is.
  const std::array<peal::send_view, 4> edges{mine.row(0), mine.row(mine.rows() - 1), mine.col(0),
                                             mine.col(mine.columns() - 1)};
  const std::array<peal::recv_view, 4> frame{mine.row(-1), mine.row(mine.rows()), mine.col(-1),
                                             mine.col(mine.columns())};
  auto swap_edges = plate.neighbor_alltoallw_plan(edges, frame);
  double change = 0;
  for (int step = 0; step < steps; ++step) {
    swap_edges.start().wait();
    change = mine.step();
  }

  double heat = 0;
  for (int r = 0; r < mine.rows(); ++r)
    for (const double cell : mine.row(r)) heat += cell;
  heat = world.allreduce(heat);
  change = std::sqrt(world.allreduce(change));
  if (world.rank() == 0)
    std::cout << std::setprecision(9) << "mean temperature " << heat / side / side << " after "
              << steps << " steps on " << down << " x " << across << " ranks, last change "
              << std::setprecision(3) << change << '\n';
  return 0;
}
