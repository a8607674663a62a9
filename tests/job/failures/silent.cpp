// silent: what rank 0 has sent arrives although it then makes no call of peal's: it waits until the
// others have told it through a FIFO.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>

#include "../support.hpp"

namespace {

constexpr peal::tag data{1}, name{2};
constexpr int count = 4;
int fifo = -1;

/// Rank 0 makes it, all open it, and then it has no name any more.
void open_fifo(const peal::communicator& world) {
  std::string folder = (std::filesystem::temp_directory_path() / "silent-XXXXXX").string();
  if (world.rank() == 0) {
    job::check(mkdtemp(folder.data()) != nullptr, "mkdtemp");
    const std::string path = folder + "/fifo";
    job::equal(mkfifo(path.c_str(), 0600), 0, "mkfifo");
    fifo = open(path.c_str(), O_RDWR | O_CLOEXEC);
    for (int to = 1; to < world.size(); ++to) world.send(path, to, name);
  } else {
    fifo = open(world.recv<std::string>(0, name).c_str(), O_RDWR | O_CLOEXEC);
  }
  const bool all = world.allreduce(fifo >= 0 ? 1 : 0, peal::min) == 1;
  if (world.rank() == 0) std::filesystem::remove_all(folder);
  if (!all) job::skip("all ranks must run on one node");
}

void tell() { job::equal(write(fifo, "x", 1), 1, "write to the FIFO"); }

/// Without a call of peal's. The limit ends a test that has failed.
void hear_from(int others, const std::string& what) {
  for (int heard = 0; heard < others; ++heard) {
    pollfd one{fifo, POLLIN, 0};
    job::equal(poll(&one, 1, 60'000), 1, what + " arrive only when the sender polls");
    char byte = 0;
    job::equal(read(fifo, &byte, 1), 1, "read from the FIFO");
  }
}

/// Rank 0 does `mine` and is silent; the others do `theirs`.
template <class Mine, class Theirs>
void part(const peal::communicator& world, const char* what, Mine&& mine, Theirs&& theirs) {
  world.barrier();
  if (world.rank() == 0) {
    mine();
    hear_from(world.size() - 1, what);
  } else {
    theirs();
    tell();
  }
}

void receive(const peal::communicator& world, int messages) {
  for (int each = 0; each < messages; ++each)
    job::equal(world.recv<int>(0, data), each, "a message of a silent rank");
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  open_fifo(world);
  const auto everyone = [&](int messages, const auto& send) {
    for (int each = 0; each < messages; ++each)
      for (int to = 1; to < world.size(); ++to) send(each, to);
  };
  part(
      world, "blocking sends",
      [&] { everyone(count, [&](int each, int to) { world.send(each, to, data); }); },
      [&] { receive(world, count); });
  part(
      world, "nonblocking sends",
      [&] { everyone(count, [&](int each, int to) { world.isend(each, to, data).wait(); }); },
      [&] { receive(world, count); });
  constexpr int many = 3000;
  std::vector<int> numbers(many);
  std::iota(numbers.begin(), numbers.end(), 0);
  part(
      world, "many sends",
      [&] {
        std::vector<peal::request<void>> all;
        everyone(many, [&](int each, int to) {
          all.push_back(world.isend(numbers[static_cast<std::size_t>(each)], to, data));
        });
        for (auto& each : all) each.wait();
      },
      [&] { receive(world, many); });
  const auto broadcast = [&] {
    for (int each = 0; each < count; ++each) {
      const int value = world.bcast(world.rank() == 0 ? each : -1, 0);
      job::equal(value, each, "a broadcast of a silent rank");
    }
  };
  part(world, "broadcasts", broadcast, broadcast);
  const auto sum = [&] {
    for (int each = 0; each < count; ++each) {
      if (const auto all = world.reduce(each, world.size() - 1))
        job::equal(*all, each * world.size(), "a sum with a silent rank");
    }
  };
  part(world, "parts of sums", sum, sum);
  return 0;
}
