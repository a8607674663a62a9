// huge [BYTES]: one message longer than 4 GiB (or so long), from the heap and from memory that the
// node shares as far as that goes, and one collective.
#include "../support.hpp"

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  const std::size_t size =
      argc > 1 ? static_cast<std::size_t>(std::atoll(argv[1])) : (std::size_t{4} << 30) + 4097;
  std::vector<std::byte> data(size);
  if (world.rank() == 0) {
    job::fill(data, 77);
    world.send(data, 1, peal::tag{1});
    world.send(1, 1, peal::tag{1});
  } else {
    job::equal(world.recv_into(data, 0, peal::tag{1}).bytes, size, "length of a huge message");
    job::equal(world.recv<int>(0, peal::tag{1}), 1, "the message after it");
    job::check(job::holds(data, 77), "a huge message is damaged");
    std::fill(data.begin(), data.end(), std::byte{0});
  }
  world.bcast(peal::in_place(data), 0);
  job::check(job::holds(data, 77), "a huge broadcast is damaged");
  return 0;
}
