// halo: the heat equation on a square plate by Jacobi's method. The plate is cut into a grid of tiles, a rank each; after every step a
// tile swaps its edges (the halo) with its four neighbours.
//
//     pealrun -n 4 ./halo [cells a side] [steps]
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <peal/peal.hpp>
#include <span>
#include <vector>

namespace {

enum class edge { left, right, up, down };  // enumerators are tags: the direction in which a halo travels

// Cuts `cells` into `parts` as evenly as they go: where part `index` begins.
int begin_of(int cells, int parts, int index) { return static_cast<int>(static_cast<long>(cells) * index / parts); }

// A column of a tile: every stride-th element. Strided views are sent and filled like any other buffer.
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
  tile(int rows, int columns) : rows_{rows}, width_{columns + 2}, cells_(static_cast<std::size_t>((rows + 2) * width_)), next_{cells_} {}

  double& at(int row, int col) { return cells_[static_cast<std::size_t>((row + 1) * width_ + col + 1)]; }
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
      for (int c = 0; c < columns(); ++c) at(r, c) = next_[static_cast<std::size_t>((r + 1) * width_ + c + 1)];
    return change;
  }

 private:
  int rows_, width_;
  std::vector<double> cells_, next_;
};

struct neighbours {
  int left, right, up, down;  // proc_null at the rim: messages to and from nobody cost nothing
};

void swap_edges(const peal::communicator& world, tile& mine, const neighbours& next) {
  auto from_right = world.irecv_into(mine.col(mine.columns()), next.right, edge::left);
  auto from_left = world.irecv_into(mine.col(-1), next.left, edge::right);
  auto from_below = world.irecv_into(mine.row(mine.rows()), next.down, edge::up);
  auto from_above = world.irecv_into(mine.row(-1), next.up, edge::down);
  world.send(mine.col(0), next.left, edge::left);
  world.send(mine.col(mine.columns() - 1), next.right, edge::right);
  world.send(mine.row(0), next.up, edge::up);
  world.send(mine.row(mine.rows() - 1), next.down, edge::down);
  peal::wait_all(from_right, from_left, from_below, from_above);
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  const int side = argc > 1 ? std::atoi(argv[1]) : 96;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 500;

  // As square a grid of ranks as their number allows.
  int down = static_cast<int>(std::sqrt(world.size()));
  while (world.size() % down != 0) --down;
  const int across = world.size() / down;
  if (side < std::max(down, across) || steps < 1) {
    if (world.rank() == 0) std::cerr << "usage: halo [cells a side, at least one for each rank of a side] [steps]\n";
    return 2;
  }
  const int y = world.rank() / across, x = world.rank() % across;
  const neighbours next{x > 0 ? world.rank() - 1 : peal::proc_null, x + 1 < across ? world.rank() + 1 : peal::proc_null,
                        y > 0 ? world.rank() - across : peal::proc_null, y + 1 < down ? world.rank() + across : peal::proc_null};

  // The upper rim of the plate is kept at 100 degrees, the rest of the rim at 0.
  tile mine{begin_of(side, down, y + 1) - begin_of(side, down, y), begin_of(side, across, x + 1) - begin_of(side, across, x)};
  if (y == 0)
    for (int c = -1; c <= mine.columns(); ++c) mine.at(-1, c) = 100;

  double change = 0;
  for (int step = 0; step < steps; ++step) {
    swap_edges(world, mine, next);
    change = mine.step();
  }

  double heat = 0;
  for (int r = 0; r < mine.rows(); ++r)
    for (const double cell : mine.row(r)) heat += cell;
  heat = world.allreduce(heat);
  change = std::sqrt(world.allreduce(change));
  if (world.rank() == 0)
    std::cout << std::setprecision(9) << "mean temperature " << heat / side / side << " after " << steps << " steps on " << down << " x "
              << across << " ranks, last change " << std::setprecision(3) << change << '\n';
  return 0;
}
