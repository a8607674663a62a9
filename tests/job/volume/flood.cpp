// flood COUNT BYTES MEGABYTES: every rank sends COUNT messages with one tag to its right neighbour,
// then one with another; the neighbour first asks for the other, then for all. Nothing may be lost
// or change its order, and resident memory may grow by MEGABYTES at most.
#include "../support.hpp"

namespace {
constexpr peal::tag flood{1}, last{2};
}

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  const auto count = static_cast<std::size_t>(argc > 1 ? std::atoll(argv[1]) : 100'000);
  const auto bytes = static_cast<std::size_t>(argc > 2 ? std::atoll(argv[2]) : 8);
  const auto limit = static_cast<std::size_t>(argc > 3 ? std::atoll(argv[3]) : 100) << 20;
  const int right = (world.rank() + 1) % world.size(),
            left = (world.rank() + world.size() - 1) % world.size();

  // The first eight bytes are the number; all messages lie in a few buffers, since they are only
  // lent.
  std::vector<std::uint64_t> numbers(count + bytes / 8 + 1);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  const auto data = std::as_bytes(std::span<const std::uint64_t>{numbers});

  const std::size_t before = job::resident();
  std::vector<peal::request<>> sends(count);
  for (std::size_t i = 0; i < count; ++i)
    sends[i] = world.isend(data.subspan(i * 8, bytes), right, flood);
  auto end = world.isend(std::span<const std::uint64_t>{numbers.data(), 1}, right, last);

  job::equal(world.recv<std::uint64_t>(left, last), std::uint64_t{0},
             "the message with the other tag");
  const std::size_t now = job::resident();
  if (!job::sanitized() && now > before + limit)
    job::fail("memory grew by " + std::to_string((now - before) >> 20) + " MiB, more than " +
              std::to_string(limit >> 20));

  std::vector<std::byte> message(bytes);
  for (std::size_t i = 0; i < count; ++i) {
    const auto got = world.recv_into(message, left, flood);
    std::uint64_t number = 0;
    if (bytes > 0) std::memcpy(&number, message.data(), std::min<std::size_t>(8, bytes));
    if (got.bytes != bytes || (bytes >= 8 && number != i))
      job::fail("message " + std::to_string(i) + " is number " + std::to_string(number) + " with " +
                std::to_string(got.bytes) + " bytes");
  }
  for (auto& request : sends) request.wait();
  end.wait();
  return 0;
}
