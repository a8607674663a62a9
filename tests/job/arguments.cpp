// arguments PART: what wrong arguments and wrong moments give: a clear error that names the peer,
// the value and the caller's place.
#include <cstdlib>
#include <optional>
#include <string>

#include "support.hpp"

namespace {

using peal::communicator;
using peal::errc;

void names_place(const peal::error& e) {
  job::check(std::string{e.where().file_name()}.ends_with("arguments.cpp"),
             std::string{"the place of the call: "} + e.where().file_name());
  job::check(std::string{e.what()}.find("arguments.cpp") != std::string::npos,
             std::string{"what() names no place: "} + e.what());
}

void ranks_and_tags(const communicator& world) {
  int value = 0;
  for (const int rank : {world.size(), -1, -2, 1'000'000}) {
    if (rank == peal::any_source) continue;
    names_place(job::throws(errc::invalid_rank, [&] { world.send(1, rank); }));
    names_place(job::throws(errc::invalid_rank, [&] { (void)world.recv<int>(rank); }));
    names_place(job::throws(errc::invalid_rank, [&] { (void)world.isend(std::vector{1}, rank); }));
    names_place(job::throws(errc::invalid_rank, [&] { (void)world.irecv_into(value, rank); }));
    names_place(job::throws(errc::invalid_rank, [&] { (void)world.improbe(rank); }));
    job::throws(errc::invalid_rank, [&] { (void)world.same_node(rank); });
  }
  names_place(job::throws(errc::invalid_rank, [&] { world.send(1, peal::any_source); }));
  for (const int tag : {-1, -3, -100}) {
    names_place(job::throws(errc::invalid_tag, [&] { world.send(1, 0, peal::tag{tag}); }));
    names_place(job::throws(errc::invalid_tag, [&] { (void)world.recv<int>(0, peal::tag{tag}); }));
  }
  names_place(job::throws(errc::invalid_tag, [&] { world.send(1, 0, peal::any_tag); }));
  const std::string text = job::throws(errc::invalid_rank, [&] { world.send(1, 12345); }).what();
  job::check(text.find("12345") != std::string::npos, "the error does not name the rank: " + text);

  // The largest tag is a tag like any other.
  auto sent = world.isend(std::vector{3}, world.rank(), peal::tag{2147483647});
  peal::status got;
  job::equal(world.recv<std::vector<int>>(world.rank(), peal::any_tag, &got).at(0), 3,
             "a message with the largest tag");
  job::equal(got.tag.value(), 2147483647, "the largest tag");
  sent.wait();
}

void roots(const communicator& world) {
  for (const int root : {world.size(), -1, peal::proc_null}) {
    names_place(job::throws(errc::invalid_root, [&] { (void)world.bcast(1, root); }));
    names_place(job::throws(errc::invalid_root, [&] { (void)world.reduce(1, root); }));
    names_place(job::throws(errc::invalid_root, [&] { (void)world.gather(1, root); }));
    names_place(job::throws(errc::invalid_root, [&] {
      (void)world.scatter(std::vector<int>(static_cast<std::size_t>(world.size())), root);
    }));
  }
  job::equal(world.allreduce(1), world.size(), "a collective after wrong ones");
}

// What one rank alone is refused all ranks learn of, and the collectives behind it meet as they
// should.
void refused_by_one(const communicator& world) {
  const auto ranks = static_cast<std::size_t>(world.size());
  const int last = world.size() - 1;
  const std::vector<int> odd(ranks + 1);
  const std::vector<std::vector<int>> blocks(ranks, {world.rank()}), too_many(ranks + 1, {7});
  const auto& given = world.rank() == last ? too_many : blocks;
  const auto next = [&](int value) {
    job::equal(world.iallreduce(value).wait(), value * world.size(),
               "a collective behind a refused one");
  };
  // The rank that is refused is told why, and the others that it could not take its part.
  const auto refuses = [&](int rank, const auto& call) {
    if (world.rank() == rank) names_place(job::throws(errc::invalid_argument, call));
    else names_place(job::throws(errc::operation_failed, call));
  };
  if (world.size() > 1) {
    refuses(0, [&] { (void)world.scatter(odd, 0); });
    next(1);
    refuses(last, [&] { (void)world.iscatter(odd, last).wait(); });
    next(2);
  }
  refuses(last, [&] { (void)world.scatterv(given, last); });
  next(3);
  refuses(last, [&] { (void)world.alltoallv(given); });
  next(4);
  refuses(last, [&] { (void)world.ialltoallv(given).wait(); });
  next(5);
  job::equal(world.scatterv(blocks, last).front(), last, "blocks after refused ones");
}

// A rank whose room is too short gives what it has to give all the same: the others have their
// results, and it is refused.
void short_of_room(const communicator& world) {
  const auto ranks = static_cast<std::size_t>(world.size());
  for (const std::size_t count : {std::size_t{1}, std::size_t{3000}}) {
    for (const int bad : {0, world.size() - 1}) {
      const bool lacks = world.rank() == bad;
      const std::vector<int> mine(count, world.rank() + 1), parts(count * ranks, 1);
      const int sum = world.size() * (world.size() + 1) / 2;
      // `call` fills the room given to it, whose last element is then `expected` where the room is
      // long enough.
      const auto meets = [&](const char* what, std::size_t needed, int expected, auto call) {
        std::vector<int> room(lacks ? needed - 1 : needed, -1);
        if (lacks) names_place(job::throws(errc::invalid_argument, [&] { call(room); }));
        else call(room);
        for (std::size_t i = 0; lacks && i < room.size(); ++i)
          job::equal(room[i], -1, std::string{"room that was refused: "} + what);
        if (!lacks)
          job::equal(room.back(), expected,
                     std::string{"beside a rank that is short of room: "} + what);
        job::equal(world.iallreduce(2).wait(), 2 * world.size(),
                   std::string{"a collective behind "} + what);
      };
      meets("allreduce into", count, sum,
            [&](auto& room) { world.allreduce(mine, peal::into(room)); });
      meets("allgather into", count * ranks, world.size(),
            [&](auto& room) { world.allgather(mine, peal::into(room)); });
      meets("iallgather into", count * ranks, world.size(),
            [&](auto& room) { world.iallgather(mine, peal::into(room)).wait(); });
      meets("alltoall into", count * ranks, 1,
            [&](auto& room) { world.alltoall(parts, peal::into(room)); });
      meets("reduce_scatter_block into", count, world.size(),
            [&](auto& room) { world.reduce_scatter_block(parts, peal::into(room)); });

      // Only the root needs room.
      std::vector<int> all(lacks ? count - 1 : 0, -1);
      const auto at_root = [&](const char* what, auto call) {
        if (lacks) names_place(job::throws(errc::invalid_argument, call));
        else call();
        job::equal(world.iallreduce(3).wait(), 3 * world.size(),
                   std::string{"a collective behind "} + what);
      };
      at_root("reduce into", [&] { world.reduce(mine, peal::into(all), bad); });
      at_root("gather into", [&] { world.gather(mine, peal::into(all), bad); });
    }
  }
}

int after_the_end(int argc, char** argv) {
  std::optional<peal::environment> env{std::in_place, argc, argv};
  const auto& world = env->world();
  job::my_rank() = world.rank();
  job::throws(errc::already_started, [&] { peal::environment second{argc, argv}; });
  std::optional copy{world.dup()};
  auto unmatched = world.irecv<int>(0, peal::tag{77});
  env.reset();
  job::throws(errc::not_started, [&] { world.send(1, 0); });
  job::throws(errc::not_started, [&] { world.barrier(); });
  job::throws(errc::not_started, [&] { (void)copy->allreduce(1); });
  copy.reset();  // handles may go after the environment
  unmatched = {};
  job::throws(errc::already_started, [&] { peal::environment another{argc, argv}; });
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string{argv[1]} == "after_the_end") return after_the_end(argc, argv);
  return job::run_parts(
      argc, argv,
      {job::part{"ranks_and_tags", ranks_and_tags}, job::part{"roots", roots},
       job::part{"refused_by_one", refused_by_one}, job::part{"short_of_room", short_of_room}});
}
