// same_bits [longest]: sums of floating-point numbers, whose bits depend on the order of the
// operands: the same bits on all ranks, and the same again, on the first 2, 3, ... ranks of the
// job. The blocking and the nonblocking form may differ, as they may go different ways. Prints what
// came, for a comparison with another run.
#include <functional>
#include <optional>
#include <string_view>

#include "../support.hpp"

namespace {

// Large and small ones of both signs: no two orders give the same sum.
template <class T>
std::vector<T> uneven(int rank, std::size_t count) {
  job::random r{static_cast<std::uint64_t>(rank) * 7919 + count};
  std::vector<T> made(count);
  for (auto& value : made) {
    const auto drawn = static_cast<T>(static_cast<double>(r.next() >> 11) / 3);
    value = r.one_in(2)   ? drawn
            : r.one_in(2) ? -drawn * static_cast<T>(1e-5)
                          : drawn * static_cast<T>(1e-9);
  }
  return made;
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

class digest {
 public:
  template <class T>
  void add(const std::vector<T>& values) {
    for (const std::byte each : std::as_bytes(std::span{values}))
      state_ = (state_ ^ static_cast<std::uint64_t>(each)) * 0x100000001b3U;
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325U;  // FNV-1a
};

template <class T>
void sums(const peal::communicator& in, std::size_t count, digest& all) {
  const std::string what = " of " + std::to_string(count) + " among " + std::to_string(in.size());
  const auto mine = uneven<T>(in.rank(), count);
  const auto both = [&](const char* name, const auto& blocking, const auto& nonblocking) {
    for (const auto& form : {std::function<std::vector<T>()>{blocking},
                             std::function<std::vector<T>()>{nonblocking}}) {
      const auto first = form();
      job::check(same(first, form()), name + what + ": other bits the second time");
      if (std::string_view{name} == "allreduce")
        job::check(same(first, in.bcast(first, 0)), name + what + ": other bits than on rank 0");
      all.add(first);
    }
  };
  both("allreduce", [&] { return in.allreduce(mine); }, [&] { return in.iallreduce(mine).wait(); });
  const int root = in.size() - 1;
  both(
      "reduce", [&] { return in.reduce(mine, root).value_or(std::vector<T>{}); },
      [&] { return in.ireduce(mine, root).wait().value_or(std::vector<T>{}); });
  both("scan", [&] { return in.scan(mine); }, [&] { return in.iscan(mine).wait(); });
  const auto whole = uneven<T>(
      in.rank(), count / static_cast<std::size_t>(in.size()) * static_cast<std::size_t>(in.size()));
  both(
      "reduce_scatter", [&] { return in.reduce_scatter_block(whole); },
      [&] { return in.ireduce_scatter_block(whole).wait(); });
}

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  job::my_rank() = world.rank();
  const auto longest = static_cast<std::size_t>(argc > 1 ? std::atoll(argv[1]) : 20'000);
  for (int size = 2; size <= world.size(); ++size) {
    const auto part = world.split(world.rank() < size ? std::optional{0} : std::nullopt);
    if (!part) continue;
    digest mine;
    for (const std::size_t count : {std::size_t{1}, std::size_t{9}, std::size_t{1000}, longest}) {
      sums<double>(*part, count, mine);
      sums<float>(*part, count + 1, mine);
    }
    const auto all = part->gather(mine.value(), 0);
    if (!all) continue;
    std::uint64_t together = 0;
    for (const auto each : *all) together = together * 31 + each;
    std::printf("%d ranks: %016llx\n", size, static_cast<unsigned long long>(together));
  }
  return 0;
}
