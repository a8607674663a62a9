// Calls into buffers of the caller's: what is given and what is filled have the same element type.
#include <array>
#include <cstdint>
#include <peal/peal.hpp>
#include <string>
#include <vector>

extern const peal::communicator& world;
extern const peal::graph& ring;

struct point {
  double x, y;
};

/// As std::mdspan with a strided layout.
template <class T>
struct column {
  using element_type = T;
  T* first;
  std::size_t rows;
  T* data_handle() const { return first; }
  static constexpr std::size_t rank() { return 1; }
  std::size_t extent(std::size_t) const { return rows; }
  std::ptrdiff_t stride(std::size_t) const { return 3; }
};

// case: what is filled has the type of what is given, or holds such
// compiles
void run(double& x, std::vector<double>& v, const std::vector<double>& c, std::array<double, 4>& a,
         std::vector<std::array<double, 4>>& rows, point& p, std::vector<point>& points, column<double> strided,
         column<const double> read) {
  world.allreduce_into(x, x);
  world.allreduce_into(c, v);
  world.allreduce_into(a, v);
  world.allreduce_into(x, std::span{v}.first(1));
  world.allreduce_into(strided, v);
  world.allreduce_into(read, strided);
  world.gather_into(a, rows, 0);
  world.gather_into(p, points, 0);
  world.gather_into(strided, v, 0);
  world.scatter_into(points, p, 0);
  world.scatter_into(rows, a, 0);
  world.alltoall_into(c, strided);
  ring.neighbor_allgather_into(p, points);
}

// case: an integer is not filled with the bits of a double
// error: satisfaction of 'same_elements
void run(double& x, std::int64_t& y) { world.allreduce_into(x, y); }

// case: doubles are not filled with floats
// error: satisfaction of 'same_elements
void run(const std::vector<float>& v, std::vector<double>& into) { world.allgather_into(v, into); }

// case: nor are the elements of a strided view
// error: satisfaction of 'same_elements
void run(column<float> v, std::vector<double>& into) { world.allgather_into(v, into); }

// case: nor is a strided view
// error: satisfaction of 'same_elements
void run(const std::vector<float>& v, column<double> into) { world.allreduce_into(v, into); }

// case: unlike elements in every blocking form
// error: no matching function for call to .*::reduce_into\(
// error: no matching function for call to .*::allreduce_into\(
// error: no matching function for call to .*::scan_into\(
// error: no matching function for call to .*::exscan_into\(
// error: no matching function for call to .*::reduce_scatter_block_into\(
// error: no matching function for call to .*::gather_into\(
// error: no matching function for call to .*::allgather_into\(
// error: no matching function for call to .*::scatter_into\(
// error: no matching function for call to .*::alltoall_into\(
// error: no matching function for call to .*::reduce_scatter_into\(
// error: no matching function for call to .*::neighbor_allgather_into\(
// error: no matching function for call to .*::neighbor_alltoall_into\(
// error: satisfaction of 'same_elements
void run(const std::vector<float>& v, std::vector<int>& into, const std::vector<std::size_t>& lengths) {
  world.reduce_into(v, into, 0);
  world.allreduce_into(v, into);
  world.scan_into(v, into);
  world.exscan_into(v, into);
  world.reduce_scatter_block_into(v, into);
  world.gather_into(v, into, 0);
  world.allgather_into(v, into);
  world.scatter_into(v, into, 0);
  world.alltoall_into(v, into);
  world.reduce_scatter_into(v, lengths, into);
  ring.neighbor_allgather_into(v, into);
  ring.neighbor_alltoall_into(v, into);
}

// case: unlike elements in every nonblocking form
// error: no matching function for call to .*::ireduce_into\(
// error: no matching function for call to .*::iallreduce_into\(
// error: no matching function for call to .*::iscan_into\(
// error: no matching function for call to .*::iexscan_into\(
// error: no matching function for call to .*::ireduce_scatter_block_into\(
// error: no matching function for call to .*::igather_into\(
// error: no matching function for call to .*::iallgather_into\(
// error: no matching function for call to .*::iscatter_into\(
// error: no matching function for call to .*::ialltoall_into\(
// error: no matching function for call to .*::ireduce_scatter_into\(
// error: no matching function for call to .*::ineighbor_allgather_into\(
// error: no matching function for call to .*::ineighbor_alltoall_into\(
// error: satisfaction of 'same_elements
void run(const std::vector<float>& v, std::vector<int>& into, const std::vector<std::size_t>& lengths) {
  (void)world.ireduce_into(v, into, 0);
  (void)world.iallreduce_into(v, into);
  (void)world.iscan_into(v, into);
  (void)world.iexscan_into(v, into);
  (void)world.ireduce_scatter_block_into(v, into);
  (void)world.igather_into(v, into, 0);
  (void)world.iallgather_into(v, into);
  (void)world.iscatter_into(v, into, 0);
  (void)world.ialltoall_into(v, into);
  (void)world.ireduce_scatter_into(v, lengths, into);
  (void)ring.ineighbor_allgather_into(v, into);
  (void)ring.ineighbor_alltoall_into(v, into);
}

// case: unlike elements in every planned form
// error: no matching function for call to .*::reduce_into_plan\(
// error: no matching function for call to .*::allreduce_into_plan\(
// error: no matching function for call to .*::scan_into_plan\(
// error: no matching function for call to .*::exscan_into_plan\(
// error: no matching function for call to .*::reduce_scatter_block_into_plan\(
// error: no matching function for call to .*::gather_into_plan\(
// error: no matching function for call to .*::allgather_into_plan\(
// error: no matching function for call to .*::scatter_into_plan\(
// error: no matching function for call to .*::alltoall_into_plan\(
// error: no matching function for call to .*::reduce_scatter_into_plan\(
// error: no matching function for call to .*::neighbor_allgather_into_plan\(
// error: no matching function for call to .*::neighbor_alltoall_into_plan\(
// error: satisfaction of 'same_elements
void run(const std::vector<float>& v, std::vector<int>& into, const std::vector<std::size_t>& lengths) {
  (void)world.reduce_into_plan(v, into, 0);
  (void)world.allreduce_into_plan(v, into);
  (void)world.scan_into_plan(v, into);
  (void)world.exscan_into_plan(v, into);
  (void)world.reduce_scatter_block_into_plan(v, into);
  (void)world.gather_into_plan(v, into, 0);
  (void)world.allgather_into_plan(v, into);
  (void)world.scatter_into_plan(v, into, 0);
  (void)world.alltoall_into_plan(v, into);
  (void)world.reduce_scatter_into_plan(v, lengths, into);
  (void)ring.neighbor_allgather_into_plan(v, into);
  (void)ring.neighbor_alltoall_into_plan(v, into);
}

// case: unlike elements of strided views in every blocking form
// error: no matching function for call to .*::reduce_into\(
// error: no matching function for call to .*::allreduce_into\(
// error: no matching function for call to .*::gather_into\(
// error: no matching function for call to .*::allgather_into\(
// error: no matching function for call to .*::scatter_into\(
// error: no matching function for call to .*::alltoall_into\(
// error: satisfaction of 'same_elements
void run(const std::vector<float>& v, column<int> into) {
  world.reduce_into(v, into, 0);
  world.allreduce_into(v, into);
  world.gather_into(v, into, 0);
  world.allgather_into(v, into);
  world.scatter_into(v, into, 0);
  world.alltoall_into(v, into);
}

// case: unlike elements of strided views in every nonblocking form
// error: no matching function for call to .*::ireduce_into\(
// error: no matching function for call to .*::iallreduce_into\(
// error: no matching function for call to .*::igather_into\(
// error: no matching function for call to .*::iallgather_into\(
// error: no matching function for call to .*::iscatter_into\(
// error: no matching function for call to .*::ialltoall_into\(
// error: satisfaction of 'same_elements
void run(const std::vector<float>& v, column<int> into) {
  (void)world.ireduce_into(v, into, 0);
  (void)world.iallreduce_into(v, into);
  (void)world.igather_into(v, into, 0);
  (void)world.iallgather_into(v, into);
  (void)world.iscatter_into(v, into, 0);
  (void)world.ialltoall_into(v, into);
}

// case: unlike elements of strided views in every planned form
// error: no matching function for call to .*::reduce_into_plan\(
// error: no matching function for call to .*::allreduce_into_plan\(
// error: no matching function for call to .*::gather_into_plan\(
// error: no matching function for call to .*::allgather_into_plan\(
// error: no matching function for call to .*::scatter_into_plan\(
// error: no matching function for call to .*::alltoall_into_plan\(
// error: satisfaction of 'same_elements
void run(const std::vector<float>& v, column<int> into) {
  (void)world.reduce_into_plan(v, into, 0);
  (void)world.allreduce_into_plan(v, into);
  (void)world.gather_into_plan(v, into, 0);
  (void)world.allgather_into_plan(v, into);
  (void)world.scatter_into_plan(v, into, 0);
  (void)world.alltoall_into_plan(v, into);
}
