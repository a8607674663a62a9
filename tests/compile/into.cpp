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

/// Another type for each call, since the compiler tells once what is wrong with two types.
template <int Call>
const std::vector<std::array<float, Call + 1>>& given();
template <int Call>
std::vector<std::array<int, Call + 1>>& other();
template <int Call>
const std::vector<std::vector<std::array<float, Call + 1>>>& blocks();
constexpr auto first = [](const auto& a, const auto&) { return a; };
extern const std::vector<std::size_t>& counts;

// case: what is filled has the type of what is given, or holds such
// compiles
void run(double& x, std::vector<double>& v, const std::vector<double>& c, std::array<double, 4>& a,
         std::vector<std::array<double, 4>>& rows, point& p, std::vector<point>& points,
         column<double> strided, column<const double> read) {
  world.allreduce(x, peal::into(x));
  world.allreduce(c, peal::into(v));
  world.allreduce(a, peal::into(v));
  world.allreduce(x, peal::into(std::span{v}.first(1)));
  world.allreduce(strided, peal::into(v));
  world.allreduce(read, peal::into(strided));
  world.gather(a, peal::into(rows), 0);
  world.gather(p, peal::into(points), 0);
  world.gather(strided, peal::into(v), 0);
  world.scatter(points, peal::into(p), 0);
  world.scatter(rows, peal::into(a), 0);
  world.alltoall(c, peal::into(strided));
  ring.neighbor_allgather(p, peal::into(points));
}

// case: an integer is not filled with the bits of a double
// error: into.. is given memory of another element type than what is sent; nothing is converted on the way
// at most 12 lines
void run(double& x, std::int64_t& y) { world.allreduce(x, peal::into(y)); }

// case: doubles are not filled with floats
// error: into.. is given memory of another element type than what is sent; nothing is converted on the way
// at most 12 lines
void run(const std::vector<float>& v, std::vector<double>& into) {
  world.allgather(v, peal::into(into));
}

// case: nor are the elements of a strided view
// error: into.. is given memory of another element type than what is sent; nothing is converted on the way
// at most 12 lines
void run(column<float> v, std::vector<double>& into) { world.allgather(v, peal::into(into)); }

// case: nor is a strided view
// error: into.. is given memory of another element type than what is sent; nothing is converted on the way
// at most 12 lines
void run(const std::vector<float>& v, column<double> into) { world.allreduce(v, peal::into(into)); }

// case: unlike elements in every blocking form
// error: Communicator>::reduce\(
// error: Communicator>::allreduce\(
// error: Communicator>::scan\(
// error: Communicator>::exscan\(
// error: Communicator>::reduce_scatter_block\(
// error: Communicator>::reduce_scatter\(
// error: Communicator>::gather\(
// error: Communicator>::gatherv\(
// error: Communicator>::allgather\(
// error: Communicator>::allgatherv\(
// error: Communicator>::scatter\(
// error: Communicator>::scatterv\(
// error: Communicator>::alltoall\(
// error: Communicator>::alltoallv\(
// error: Communicator>::neighbor_allgather\(
// error: Communicator>::neighbor_allgatherv\(
// error: Communicator>::neighbor_alltoall\(
// error: Communicator>::neighbor_alltoallv\(
// error: into.. is given memory of another element type
void run() {
  world.reduce(given<0>(), peal::into(other<0>()), 0, first);
  world.allreduce(given<1>(), peal::into(other<1>()), first);
  world.scan(given<2>(), peal::into(other<2>()), first);
  world.exscan(given<3>(), peal::into(other<3>()), first);
  world.reduce_scatter_block(given<4>(), peal::into(other<4>()), first);
  world.reduce_scatter(blocks<5>(), peal::into(other<5>()), first);
  world.gather(given<6>(), peal::into(other<6>()), 0);
  world.gatherv(given<7>(), peal::into(other<7>(), counts), 0);
  world.allgather(given<8>(), peal::into(other<8>()));
  world.allgatherv(given<9>(), peal::into(other<9>(), counts));
  world.scatter(given<10>(), peal::into(other<10>()), 0);
  world.scatterv(blocks<11>(), peal::into(other<11>()), 0);
  world.alltoall(given<12>(), peal::into(other<12>()));
  world.alltoallv(blocks<13>(), peal::into(other<13>(), counts));
  ring.neighbor_allgather(given<14>(), peal::into(other<14>()));
  ring.neighbor_allgatherv(given<15>(), peal::into(other<15>(), counts));
  ring.neighbor_alltoall(given<16>(), peal::into(other<16>()));
  ring.neighbor_alltoallv(blocks<17>(), peal::into(other<17>(), counts));
}

// case: unlike elements in every nonblocking form
// error: Communicator>::ireduce\(
// error: Communicator>::iallreduce\(
// error: Communicator>::iscan\(
// error: Communicator>::iexscan\(
// error: Communicator>::ireduce_scatter_block\(
// error: Communicator>::ireduce_scatter\(
// error: Communicator>::igather\(
// error: Communicator>::igatherv\(
// error: Communicator>::iallgather\(
// error: Communicator>::iallgatherv\(
// error: Communicator>::iscatter\(
// error: Communicator>::iscatterv\(
// error: Communicator>::ialltoall\(
// error: Communicator>::ialltoallv\(
// error: Communicator>::ineighbor_allgather\(
// error: Communicator>::ineighbor_allgatherv\(
// error: Communicator>::ineighbor_alltoall\(
// error: Communicator>::ineighbor_alltoallv\(
// error: into.. is given memory of another element type
void run() {
  (void)world.ireduce(given<0>(), peal::into(other<0>()), 0, first);
  (void)world.iallreduce(given<1>(), peal::into(other<1>()), first);
  (void)world.iscan(given<2>(), peal::into(other<2>()), first);
  (void)world.iexscan(given<3>(), peal::into(other<3>()), first);
  (void)world.ireduce_scatter_block(given<4>(), peal::into(other<4>()), first);
  (void)world.ireduce_scatter(blocks<5>(), peal::into(other<5>()), first);
  (void)world.igather(given<6>(), peal::into(other<6>()), 0);
  (void)world.igatherv(given<7>(), peal::into(other<7>(), counts), 0);
  (void)world.iallgather(given<8>(), peal::into(other<8>()));
  (void)world.iallgatherv(given<9>(), peal::into(other<9>(), counts));
  (void)world.iscatter(given<10>(), peal::into(other<10>()), 0);
  (void)world.iscatterv(blocks<11>(), peal::into(other<11>()), 0);
  (void)world.ialltoall(given<12>(), peal::into(other<12>()));
  (void)world.ialltoallv(blocks<13>(), peal::into(other<13>(), counts));
  (void)ring.ineighbor_allgather(given<14>(), peal::into(other<14>()));
  (void)ring.ineighbor_allgatherv(given<15>(), peal::into(other<15>(), counts));
  (void)ring.ineighbor_alltoall(given<16>(), peal::into(other<16>()));
  (void)ring.ineighbor_alltoallv(blocks<17>(), peal::into(other<17>(), counts));
}

// case: unlike elements in every planned form
// error: Communicator>::reduce_plan\(
// error: Communicator>::allreduce_plan\(
// error: Communicator>::scan_plan\(
// error: Communicator>::exscan_plan\(
// error: Communicator>::reduce_scatter_block_plan\(
// error: Communicator>::reduce_scatter_plan\(
// error: Communicator>::gather_plan\(
// error: Communicator>::gatherv_plan\(
// error: Communicator>::allgather_plan\(
// error: Communicator>::allgatherv_plan\(
// error: Communicator>::scatter_plan\(
// error: Communicator>::scatterv_plan\(
// error: Communicator>::alltoall_plan\(
// error: Communicator>::alltoallv_plan\(
// error: Communicator>::neighbor_allgather_plan\(
// error: Communicator>::neighbor_allgatherv_plan\(
// error: Communicator>::neighbor_alltoall_plan\(
// error: Communicator>::neighbor_alltoallv_plan\(
// error: into.. is given memory of another element type
void run() {
  (void)world.reduce_plan(given<0>(), peal::into(other<0>()), 0, first);
  (void)world.allreduce_plan(given<1>(), peal::into(other<1>()), first);
  (void)world.scan_plan(given<2>(), peal::into(other<2>()), first);
  (void)world.exscan_plan(given<3>(), peal::into(other<3>()), first);
  (void)world.reduce_scatter_block_plan(given<4>(), peal::into(other<4>()), first);
  (void)world.reduce_scatter_plan(blocks<5>(), peal::into(other<5>()), first);
  (void)world.gather_plan(given<6>(), peal::into(other<6>()), 0);
  (void)world.gatherv_plan(given<7>(), peal::into(other<7>(), counts), 0);
  (void)world.allgather_plan(given<8>(), peal::into(other<8>()));
  (void)world.allgatherv_plan(given<9>(), peal::into(other<9>(), counts));
  (void)world.scatter_plan(given<10>(), peal::into(other<10>()), 0);
  (void)world.scatterv_plan(blocks<11>(), peal::into(other<11>()), 0);
  (void)world.alltoall_plan(given<12>(), peal::into(other<12>()));
  (void)world.alltoallv_plan(blocks<13>(), peal::into(other<13>(), counts));
  (void)ring.neighbor_allgather_plan(given<14>(), peal::into(other<14>()));
  (void)ring.neighbor_allgatherv_plan(given<15>(), peal::into(other<15>(), counts));
  (void)ring.neighbor_alltoall_plan(given<16>(), peal::into(other<16>()));
  (void)ring.neighbor_alltoallv_plan(blocks<17>(), peal::into(other<17>(), counts));
}

// case: blocks that differ in length need counts
// error: blocks that differ in length go into.buffer, counts. or into.buffer, counts, displacements.
// at most 12 lines
void run(const std::vector<int>& v, std::vector<int>& all) { world.allgatherv(v, peal::into(all)); }

// case: blocks of one length have none
// error: all blocks of this collective are equally long, so into.. and in_place.. have no counts: see the one with v
// at most 12 lines
void run(const std::vector<int>& v, std::vector<int>& all) {
  world.allgather(v, peal::into(all, counts));
}

// case: strings are not put into memory of a fixed length
// error: into.. needs fixed values, or a range of them, whose length the receiver can know
// at most 12 lines
void run(const std::string& text, std::vector<char>& all) {
  world.allgather(text, peal::into(all));
}

// case: what is filled is not const
// error: into.. and in_place.. need memory that may be written to
// at most 12 lines
void run(const std::vector<int>& v) { world.allreduce(v, peal::into(v)); }

// case: nor does it end with the call
// error: into.. and in_place.. need memory that lives on
// at most 12 lines
void run(const std::vector<int>& v) { world.allreduce(v, peal::into(std::vector<int>(3))); }
