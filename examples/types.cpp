// types: what can be sent, and combined, as it is: structs of numbers, structs that hold strings
// and containers, and classes of one's own.
//
//     pealrun -n 4 ./types
#include <cmath>
#include <iostream>
#include <map>
#include <optional>
#include <peal/peal.hpp>
#include <string>
#include <vector>

namespace {

// Plain bytes: sent as it lies, alone or by the thousand.
struct particle {
  double position[3];
  float mass;
  int kind;
};

// Holds more than plain bytes: its members are written one after the other.
struct report {
  std::string host;
  std::vector<particle> heaviest;
  std::map<std::string, int> counts;
  std::optional<double> energy;
};

// A class with an invariant of its own: peal::type_traits says how it is sent, and made again.
class fraction {
 public:
  fraction(long over, long under) : over_{over}, under_{under} {}
  [[nodiscard]] long over() const { return over_; }
  [[nodiscard]] long under() const { return under_; }
  friend fraction operator+(const fraction& a, const fraction& b) {
    return {a.over_ * b.under_ + b.over_ * a.under_, a.under_ * b.under_};
  }

 private:
  long over_, under_;
};

report of_rank(int rank) {
  const particle one{{1.0 * rank, 0, 0}, 1.5F * static_cast<float>(rank + 1), rank % 2};
  return {"host " + std::to_string(rank),
          {one},
          {{rank % 2 == 0 ? "even" : "odd", 1}, {"all", 1}},
          rank == 0 ? std::nullopt : std::optional{std::sqrt(rank)}};
}

// Of two reports one: those of the lower ranks come first.
report joined(report a, const report& b) {
  a.host += ", " + b.host;
  if (b.heaviest.front().mass > a.heaviest.front().mass) a.heaviest = b.heaviest;
  for (const auto& [name, count] : b.counts) a.counts[name] += count;
  if (b.energy) a.energy = a.energy.value_or(0) + *b.energy;
  return a;
}

}  // namespace

template <>
struct peal::type_traits<fraction> {
  static void encode(peal::writer& out, const fraction& it) {
    out.value(it.over());
    out.value(it.under());
  }
  static fraction decode(peal::reader& in) {
    const long over = in.value<long>();
    return {over, in.value<long>()};
  }
};

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  // Only the root gets a result, so it is an optional.
  const std::optional<report> all = world.reduce(of_rank(world.rank()), 0, joined);
  // 1/2 + 1/4 + 1/8 + ..., in rank order.
  const fraction sum = world.allreduce(fraction{1, 2L << world.rank()});
  if (all) {
    std::cout << all->counts.at("all") << " reports from " << all->host
              << "; the heaviest particle weighs " << all->heaviest.front().mass << '\n'
              << "what is missing to one: "
              << 1 - static_cast<double>(sum.over()) / static_cast<double>(sum.under()) << '\n';
  }
  return 0;
}
