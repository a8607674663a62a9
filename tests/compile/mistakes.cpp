// Mistakes that everybody makes once: what the compiler says of each, in 12 lines at most, names
// what is wrong and what to do.
#include <array>
#include <cstddef>
#include <list>
#include <memory>
#include <peal/peal.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

extern const peal::communicator& world;
struct point {
  int index;
  double x;
};
struct node {
  int value;
  node* next;
};

// case: a number in the place of a tag
// error: a number is no tag by itself, lest it be taken for a rank: write peal::tag
void run(int x) { world.send(x, 1, 7); }

// case: a number in the place of a tag, of a call that returns a request
// error: a number is no tag by itself, lest it be taken for a rank: write peal::tag
void run(int x) { world.isend(x, 1, 7).wait(); }

// case: a number in the place of a receive's tag
// error: a number is no tag by itself, lest it be taken for a rank: write peal::tag
void run() { (void)world.recv<int>(0, 7); }

// case: a pointer that is sent
// error: a pointer cannot be sent, since what it points to would not be in the message: send what it points to
void run(int* numbers) { world.send(numbers, 1); }

// case: a struct with a pointer
// error: node::next|explain_member<node
// error: a pointer cannot be sent, since what it points to would not be in the message: send what it points to
void run(const node& first) { world.send(first, 1); }

// case: a smart pointer
// error: a pointer cannot be sent, since what it points to would not be in the message: send what it points to
void run(std::unique_ptr<int> number) { world.send(std::move(number), 1); }

// case: a receive without a type
// error: couldn't deduce template parameter .T
void run() { const int number = world.recv(0); }

// case: memory of another type than what is sent
// error: into.. is given memory of another element type than what is sent; nothing is converted on the way: make the types the same
void run(const std::vector<float>& v, std::vector<double>& sums) {
  world.allreduce(v, peal::into(sums));
}

// case: a temporary that is changed in place
// error: into.. and in_place.. need memory that lives on: pass an lvalue or a view of it, not a temporary
void run() { world.allreduce(peal::in_place(std::vector<int>{1})); }

// case: counts where all blocks are equally long
// error: all blocks of this collective are equally long, so into.. and in_place.. have no counts: see the one with v
void run(const std::vector<int>& v, std::vector<int>& all, const std::vector<std::size_t>& counts) {
  world.allgather(v, peal::into(all, counts));
}

// case: a sum of what has no plus
// error: this operation does not make one value of two of these: pass a function object that takes two const T& and returns a T
void run(const point& p) { (void)world.allreduce(p); }

// case: an operation of one argument
// error: this operation does not make one value of two of these: pass a function object that takes two const T& and returns a T
void run(int x) {
  (void)world.allreduce(x, [](int a) { return a; });
}

// case: a queue's handler of another type
// error: the handler of a queue takes the value of its request .nothing, where it has none., or the request itself
void run(peal::completion_queue& queue) {
  queue.add(world.irecv<int>(0), [](const std::string&) {});
}

// case: a bcast whose result is dropped, as if it changed its argument
// error: ignoring return value of .*bcast
void run(int x) { world.bcast(x, 0); }

// case: a received value that is dropped
// error: ignoring return value of .*recv
void run() { world.recv<int>(0); }

// case: a tag in the place of a root
// error: cannot convert .peal::tag.*to type .int
void run(int x) { x = world.bcast(x, peal::tag{1}); }

// case: an environment that ends with its statement
// error: ignoring return value of .*environment.*the job ends with
int main(int argc, char** argv) { peal::environment{argc, argv}; }

// case: a plan of a value that ends with the call
// error: a plan reads its arguments at every start: pass an lvalue or a view that lives as long as the plan
void run() { (void)world.send_plan(1.5, 1); }

// case: blocks of bool that are returned
// error: blocks of bool cannot be returned, since a vector of bool has no elements to point to: send std::uint8_t
void run() { (void)world.allgatherv(std::array<bool, 2>{}); }

// case: blocks of bool that are exchanged
// error: blocks of bool cannot be returned, since a vector of bool has no elements to point to: send std::uint8_t
void run(const std::vector<std::array<bool, 2>>& parts) { (void)world.alltoallv(parts); }

// case: blocks of bool that fill memory, and those that each rank has one of
// compiles
void run(bool* all, const std::vector<std::size_t>& counts) {
  world.allgatherv(std::array<bool, 2>{}, peal::into(std::span{all, 4}, counts));
  (void)world.scatterv(std::vector<std::array<bool, 2>>(2), 0);
}

// case: blocks whose fixed elements do not lie side by side
// error: this needs a block for every rank: a range of ranges
void run(const std::vector<std::list<int>>& parts) { (void)world.alltoallv(parts); }

// case: blocks that are vectors of bool
// error: this needs a block for every rank: a range of ranges
void run(const std::vector<std::vector<bool>>& parts) { (void)world.scatterv(parts, 0); }
