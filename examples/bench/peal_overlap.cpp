// peal_overlap: how much of a message is hidden by a computation, between ranks 0 and 1: each sends
// one and receives one, and computes meanwhile; or rank 0 sends one to rank 1, one of them
// computes, and the other waits.
#include "common/overlap.hpp"

namespace {

constexpr peal::tag data{1};

struct exchange {
  peal::request<peal::status> in;
  peal::request<void> out;
};

}  // namespace

int main(int argc, char** argv) {
  peal::environment env{argc, argv};
  const auto& world = env.world();
  int code = 0;
  using enum bench::has;
  const auto options =
      bench::parse(argc, argv, world, "Overlap Test", {.iterations = 1000, .large_iterations = 50},
                   {sizes, buffer, sides, times}, code);
  if (!options) return code;
  if (!bench::enough_ranks(world, 2, false)) return 2;

  const bool plays = world.rank() < 2, both = options->computes == "both";
  const bool sends = plays && (both || world.rank() == 0),
             receives = plays && (both || world.rank() == 1);
  const bool works = both || (options->computes == "sender" ? sends : receives);
  const int partner = 1 - world.rank();
  const bench::buffer out{*options, options->max_bytes}, in{*options, options->max_bytes};
  const bench::computation work;
  bench::table table{world, *options, "Overlap Test", true, bench::overlap_columns(), ""};
  for (const std::size_t bytes : bench::sizes(*options)) {
    const auto sent = out.first(bytes), received = in.first(bytes);
    const auto start = [&] {
      exchange made;
      if (receives) made.in = world.irecv_into(received, partner, data);
      if (sends) made.out = world.isend(std::span<const std::byte>{sent}, partner, data);
      return made;
    };
    const auto finish = [&](exchange& all) {
      if (sends) all.out.wait();
      if (receives) all.in.wait();
    };
    bool valid = true;
    if (options->validate) {
      for (int message = 0; message < 4; ++message) {
        bench::fill(sent, world.rank(), message);
        bench::fill(received, world.rank(), -1);
        auto all = start();
        if (works) work.run(1e-5);
        finish(all);
        valid = (!receives || bench::holds(received, partner, message)) && valid;
      }
      valid = bench::all(world, valid);
    }
    const int n = options->iterations_for(bytes);
    const auto found = bench::measure_overlap(world, work, options->warm_up_for(bytes), n, start,
                                              finish, options->times, works);
    bench::overlap_row(table, bytes, found, n, valid);
  }
  return table.end();
}
