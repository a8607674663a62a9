// A call whose result is its point is not made in vain: the compiler warns where nobody takes it.
#include <peal/peal.hpp>
#include <vector>

extern const peal::communicator& world;
extern const peal::graph& ring;

// case: what arrives is taken by somebody
// error: ignoring return value of .*communicator::recv\(
// error: ignoring return value of .*communicator::sendrecv\(
// error: ignoring return value of .*message::recv\(
void run(peal::message& m) {
  world.recv<int>();
  world.sendrecv<int>(1, 0, 0);
  std::move(m).recv<int>();
}

// case: bcast into nothing, as who comes from MPI writes it, is told of in_place
// error: ignoring return value of .*::bcast\(.*bcast.peal::in_place.x., root. fills x
void run(int& x) { world.bcast(x, 0); }

// case: what is reduced is taken by somebody
// error: ignoring return value of .*::reduce\(
// error: ignoring return value of .*::allreduce\(
// error: ignoring return value of .*::reduce_scatter_block\(
// error: ignoring return value of .*::reduce_scatter\(
// error: ignoring return value of .*::scan\(
// error: ignoring return value of .*::exscan\(
void run(const std::vector<int>& v, const std::vector<std::vector<int>>& parts) {
  world.reduce(1, 0);
  world.allreduce(v);
  world.reduce_scatter_block(v);
  world.reduce_scatter(parts);
  world.scan(1);
  world.exscan(v);
}

// case: what is gathered or dealt out is taken by somebody
// error: ignoring return value of .*::gather\(
// error: ignoring return value of .*::allgather\(
// error: ignoring return value of .*::gatherv\(
// error: ignoring return value of .*::allgatherv\(
// error: ignoring return value of .*::scatter\(
// error: ignoring return value of .*::scatterv\(
// error: ignoring return value of .*::alltoall\(
// error: ignoring return value of .*::alltoallv\(
void run(const std::vector<int>& v, const std::vector<std::vector<int>>& parts) {
  world.gather(1, 0);
  world.allgather(v);
  world.gatherv(v, 0);
  world.allgatherv(v);
  world.scatter(v, 0);
  world.scatterv(parts, 0);
  world.alltoall(v);
  world.alltoallv(parts);
}

// case: what comes from neighbours is taken by somebody
// error: ignoring return value of .*neighbor_allgather\(
// error: ignoring return value of .*neighbor_allgatherv\(
// error: ignoring return value of .*neighbor_alltoall\(
// error: ignoring return value of .*neighbor_alltoallv\(
void run(const std::vector<int>& v, const std::vector<std::vector<int>>& parts) {
  ring.neighbor_allgather(1);
  ring.neighbor_allgatherv(v);
  ring.neighbor_alltoall(v);
  ring.neighbor_alltoallv(parts);
}

// case: what may be left alone is not warned of
// compiles
void run(int& x, std::vector<int>& v) {
  world.recv_into(x);
  world.bcast(peal::in_place(x), 0);
  world.allreduce(x, peal::into(v.front()));
  world.isend(3, 0).wait();
}

// case: an environment without a name would end the job at once
// error: give it a name
int main(int argc, char** argv) { peal::environment{argc, argv}; }

// case: nor may one of options alone go without a name
// error: give it a name
int main() { peal::environment{peal::options{}}; }

// case: a value without a default has nothing to be after an error
// error: (no matching function|constraints not satisfied|associated constraints)
struct named {
  explicit named(int n) : number{n} {}
  int number;
};
void run(peal::request<named>& coming, std::error_code& error) { coming.wait(error); }
