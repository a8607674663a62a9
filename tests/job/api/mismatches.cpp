// Ranks that disagree about a collective, in every way: with PEAL_CHECK=1 each of them is told,
// with both places, and goes on.
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../support.hpp"

namespace {

using job::place;
using peal::communicator;
using call = std::function<void(const communicator&, const place&)>;

const place usual_place = place::current();
const place other_place = place::current();

std::string text_of(const place& at) {
  return std::string{at.file_name()} + ":" + std::to_string(at.line());
}

void check_text(const communicator& on, const peal::error& e, int odd, const std::string& differs) {
  const std::string text = e.what();
  const auto check = [&](bool good, const std::string& what) {
    job::check(good, text + "\n  " + what);
  };
  const bool mine = on.rank() == odd;
  check(text.starts_with(text_of(mine ? other_place : usual_place)),
        "begins with this rank's place");
  // A place that is long is told by its end.
  const std::string theirs = text_of(mine ? usual_place : other_place);
  check(text.find(theirs.substr(theirs.size() > 90 ? theirs.size() - 90 : 0)) != std::string::npos,
        "names " + theirs);
  check(text.find("what differs: " + differs + ": ") != std::string::npos,
        "says that it is " + differs);
  job::equal(e.where().line(), (mine ? other_place : usual_place).line(), "the line of the call");
  job::equal(e.peer(), !mine ? odd : odd == 0 ? 1 : 0, "the rank that is named");
}

/// One rank, each in turn, calls `other` and everybody else `usual`.
void disagree(const communicator& on, const std::string& differs, const call& usual,
              const call& other) {
  if (on.size() == 1) return;
  for (int odd = 0; odd < on.size(); ++odd) {
    const auto e = job::throws(peal::errc::mismatch, [&] {
      if (on.rank() == odd) other(on, other_place);
      else usual(on, usual_place);
    });
    check_text(on, e, odd, differs);
    job::equal(on.allreduce(1), on.size(), "the next collective");
  }
}

void collectives(const communicator& on) {
  const call barrier = [](const communicator& in, const place& at) { in.barrier(at); };
  const call bcast = [](const communicator& in, const place& at) { (void)in.bcast(1, 0, at); };
  const call text = [](const communicator& in, const place& at) {
    (void)in.bcast(std::string(1000, 'x'), 0, at);
  };
  const call reduce = [](const communicator& in, const place& at) {
    (void)in.reduce(1, 0, std::plus<>{}, at);
  };
  const call allreduce = [](const communicator& in, const place& at) {
    (void)in.allreduce(std::vector<int>(50'000), std::plus<>{}, at);
  };
  const call gather = [](const communicator& in, const place& at) {
    (void)in.gather(std::string{"x"}, 0, at);
  };
  const call allgather = [](const communicator& in, const place& at) { (void)in.allgather(1, at); };
  const call alltoall = [](const communicator& in, const place& at) {
    (void)in.alltoallv(std::vector<std::vector<int>>(static_cast<std::size_t>(in.size())), at);
  };
  const call scan = [](const communicator& in, const place& at) {
    (void)in.scan(1, std::plus<>{}, at);
  };
  const call exscan = [](const communicator& in, const place& at) {
    (void)in.iexscan(1, std::plus<>{}, at).wait();
  };
  const call reduce_scatter = [](const communicator& in, const place& at) {
    (void)in.reduce_scatter_block(std::vector<int>(static_cast<std::size_t>(in.size())),
                                  std::plus<>{}, at);
  };
  const call dup = [](const communicator& in, const place& at) { (void)in.dup(at); };
  const std::vector<call> all{barrier,   bcast,    reduce, allreduce, gather,
                              allgather, alltoall, scan,   exscan,    reduce_scatter};
  for (std::size_t i = 0; i < all.size(); ++i) {
    disagree(on, "the collective", all[i], all[(i + 1) % all.size()]);
    disagree(on, "the collective", all[(i + 1) % all.size()], all[i]);
  }
  disagree(on, "whether it blocks", barrier,
           [](const communicator& in, const place& at) { in.ibarrier(at).wait(); });
  disagree(on, "the collective", text, barrier);
  disagree(on, "the collective", barrier, text);
  disagree(on, "the collective", dup, barrier);
  disagree(on, "the type, the bytes", dup, bcast);
  // Plans are compared with those that the others made in the same place; those with other things
  // to do meet nothing of theirs.
  int one = 1;
  double real = 1;
  std::vector<int> many(100);
  const call sum = [&](const communicator& in, const place& at) {
    auto plan = in.allreduce_plan(one);
    (void)plan.start(at).wait();
  };
  disagree(on, "the collective", sum, [&](const communicator& in, const place& at) {
    auto plan = in.allgather_plan(many);
    (void)plan.start(at).wait();
  });
  disagree(on, "the type, the bytes, the operation", sum,
           [&](const communicator& in, const place& at) {
             auto plan = in.allreduce_plan(real, peal::max);
             (void)plan.start(at).wait();
           });
  disagree(
      on, "the collective", [](const communicator& in, const place& at) { in.ibarrier(at).wait(); },
      [](const communicator& in, const place& at) {
        (void)in.ibcast(std::string{"x"}, 0, at).wait();
      });
}

void roots(const communicator& on) {
  const auto with = [&](auto what) {
    disagree(
        on, "the root", [=](const communicator& in, const place& at) { what(in, 0, at); },
        [=](const communicator& in, const place& at) { what(in, 1, at); });
  };
  with([](const communicator& in, int root, const place& at) { (void)in.bcast(1, root, at); });
  with([](const communicator& in, int root, const place& at) {
    (void)in.ibcast(1, root, at).wait();
  });
  with([](const communicator& in, int root, const place& at) {
    (void)in.bcast(std::vector<int>(9, root), root, at);
  });
  with([](const communicator& in, int root, const place& at) {
    (void)in.ibcast(std::vector<int>(9, root), root, at).wait();
  });
  with([](const communicator& in, int root, const place& at) {
    (void)in.reduce(1, root, std::plus<>{}, at);
  });
  with([](const communicator& in, int root, const place& at) {
    (void)in.ireduce(1, root, std::plus<>{}, at).wait();
  });
  with([](const communicator& in, int root, const place& at) { (void)in.gather(1, root, at); });
  with([](const communicator& in, int root, const place& at) {
    (void)in.igatherv(std::vector<int>(3), root, at).wait();
  });
  with([](const communicator& in, int root, const place& at) {
    (void)in.scatter(std::vector<int>(static_cast<std::size_t>(in.size())), root, at);
  });
  with([](const communicator& in, int root, const place& at) {
    (void)in.iscatterv(std::vector<std::vector<int>>(static_cast<std::size_t>(in.size())), root, at)
        .wait();
  });
}

void types(const communicator& on) {
  const auto with = [&](auto what) {
    disagree(
        on, "the type", [=](const communicator& in, const place& at) { what(in, 1, at); },
        [=](const communicator& in, const place& at) { what(in, 1.0F, at); });
  };
  with([](const communicator& in, auto one, const place& at) { (void)in.bcast(one, 0, at); });
  with([](const communicator& in, auto one, const place& at) {
    (void)in.bcast(std::vector(3, one), 0, at);
  });
  with([](const communicator& in, auto one, const place& at) {
    in.bcast(peal::in_place(one), 0, at);
  });
  with([](const communicator& in, auto one, const place& at) {
    (void)in.allreduce(one, std::plus<>{}, at);
  });
  with([](const communicator& in, auto one, const place& at) {
    (void)in.iallreduce(std::vector(3, one), std::plus<>{}, at).wait();
  });
  with([](const communicator& in, auto one, const place& at) {
    (void)in.allgather(std::vector(3, one), at);
  });
  with([](const communicator& in, auto one, const place& at) {
    (void)in.allgatherv(std::vector(3, one), at);
  });
  with([](const communicator& in, auto one, const place& at) {
    (void)in.alltoall(std::vector(static_cast<std::size_t>(in.size()), one), at);
  });
  with([](const communicator& in, auto one, const place& at) {
    (void)in.scatterv(std::vector(static_cast<std::size_t>(in.size()), std::vector(2, one)), 0, at);
  });
}

void lengths(const communicator& on) {
  const auto with = [&](auto what) {
    for (const std::size_t length : {std::size_t{0}, std::size_t{3}, std::size_t{30'000}})
      disagree(
          on, "the bytes",
          [=](const communicator& in, const place& at) { what(in, std::vector<int>(length), at); },
          [=](const communicator& in, const place& at) {
            what(in, std::vector<int>(length + 1), at);
          });
  };
  with([](const communicator& in, std::vector<int> values, const place& at) {
    in.bcast(peal::in_place(values), 0, at);
  });
  with([](const communicator& in, std::vector<int> values, const place& at) {
    in.ibcast(peal::in_place(values), 0, at).wait();
  });
  with([](const communicator& in, std::vector<int> values, const place& at) {
    (void)in.reduce(values, 0, std::plus<>{}, at);
  });
  with([](const communicator& in, std::vector<int> values, const place& at) {
    (void)in.allreduce(values, std::plus<>{}, at);
  });
  with([](const communicator& in, std::vector<int> values, const place& at) {
    in.iallreduce(peal::in_place(values), std::plus<>{}, at).wait();
  });
  with([](const communicator& in, std::vector<int> values, const place& at) {
    (void)in.allgather(values, at);
  });
  with([](const communicator& in, std::vector<int> values, const place& at) {
    (void)in.igather(values, 0, at).wait();
  });
  with([](const communicator& in, std::vector<int> values, const place& at) {
    (void)in.iscan(values, std::plus<>{}, at).wait();
  });
  const auto parts = [](const communicator& in, std::size_t first, std::size_t last,
                        const place& at) {
    std::vector<std::vector<int>> each(static_cast<std::size_t>(in.size()), std::vector<int>(3));
    each.front().resize(first);
    each.back().resize(last);
    (void)in.reduce_scatter(each, std::plus<>{}, at);
  };
  disagree(
      on, "the bytes", [=](const communicator& in, const place& at) { parts(in, 1, 2, at); },
      [=](const communicator& in, const place& at) { parts(in, 2, 1, at); });
  // A length of its own is what these are for.
  (void)on.allgatherv(std::vector<int>(static_cast<std::size_t>(on.rank())));
  (void)on.bcast(std::vector<int>(static_cast<std::size_t>(on.rank())), 0);
  disagree(
      on, "whether all ranks know the length, the type",
      [](const communicator& in, const place& at) {
        std::array<int, 16> room{};
        in.bcast(peal::in_place(room), 0, at);
      },
      [](const communicator& in, const place& at) { (void)in.bcast(std::vector<int>(16), 0, at); });
}

void operations(const communicator& on) {
  disagree(
      on, "the operation",
      [](const communicator& in, const place& at) { (void)in.allreduce(1, std::plus<>{}, at); },
      [](const communicator& in, const place& at) { (void)in.allreduce(1, peal::max, at); });
  disagree(
      on, "the operation",
      [](const communicator& in, const place& at) {
        (void)in.ireduce(std::vector<int>(9), 0, [](int a, int) { return a; }, at).wait();
      },
      [](const communicator& in, const place& at) {
        (void)in.ireduce(std::vector<int>(9), 0, [](int, int b) { return b; }, at).wait();
      });
}

void in_place(const communicator& on) {
  disagree(
      on, "whether in place",
      [](const communicator& in, const place& at) {
        std::vector<int> values(5), sums(5);
        in.allreduce(values, peal::into(sums), std::plus<>{}, at);
      },
      [](const communicator& in, const place& at) {
        std::vector<int> values(5);
        in.allreduce(peal::in_place(values), std::plus<>{}, at);
      });
  disagree(
      on, "whether in place",
      [](const communicator& in, const place& at) {
        (void)in.scan(std::vector<int>(5), std::plus<>{}, at);
      },
      [](const communicator& in, const place& at) {
        std::vector<int> values(5);
        in.scan(peal::in_place(values), std::plus<>{}, at);
      });
}

// Each rank has a root of its own.
void all_different(const communicator& on) {
  if (on.size() == 1) return;
  const auto e = job::throws(peal::errc::mismatch, [&] { (void)on.bcast(1, on.rank()); });
  const std::string text = e.what(), mine = "root " + std::to_string(on.rank()) + ")";
  const std::string other =
      "rank " + std::to_string(on.rank() == 0 ? 1 : 0) + " called bcast(int, 4 bytes, root ";
  job::check(text.find(mine) != std::string::npos && text.find(other) != std::string::npos, text);
}

// Many under way, every third of them not the same on one rank, waited for in another order than
// they were started in.
void overlapping(const communicator& on) {
  constexpr std::size_t rounds = 21;
  const int odd = on.size() - 1;
  std::vector<std::optional<peal::request<int>>> sums(rounds);
  std::vector<std::optional<peal::request<>>> barriers(rounds);
  for (std::size_t i = 0; i < rounds; ++i) {
    if (i % 3 == 1 && on.rank() == odd) barriers[i].emplace(on.ibarrier(other_place));
    else sums[i].emplace(on.iallreduce(static_cast<int>(i), std::plus<>{}, usual_place));
  }
  for (std::size_t i = rounds; i-- > 0;) {
    if (i % 3 != 1 || on.size() == 1) {
      if (sums[i])
        job::equal(sums[i]->wait(), static_cast<int>(i) * on.size(),
                   "a sum between calls that differ");
    } else if (i == 4) {  // as a code
      std::error_code became;
      if (sums[i]) (void)sums[i]->wait(became);
      else barriers[i]->wait(became);
      job::check(became == peal::errc::mismatch, became.message());
    } else if (i == 7) {  // dropped
      sums[i].reset();
      barriers[i].reset();
    } else {
      const auto e = job::throws(peal::errc::mismatch, [&] {
        if (sums[i]) (void)sums[i]->wait();
        else barriers[i]->wait();
      });
      check_text(on, e, odd, "the collective");
    }
  }
}

// What differs in one communicator is nothing to the others.
void parts(const communicator& world) {
  const auto half = world.split(world.rank() % 2, -world.rank());
  const auto copy = world.dup();
  auto barrier = copy.ibarrier();
  if (world.rank() % 2 == 0) {
    roots(*half);
    overlapping(*half);
  } else {
    for (int i = 0; i < 20; ++i)
      job::equal(half->allreduce(1), half->size(), "a sum beside calls that differ");
  }
  barrier.wait();
  in_place(copy);
  operations(copy);
}

}  // namespace

int main(int argc, char** argv) {
  return job::run_parts(
      argc, argv,
      {job::part{"collectives", collectives}, job::part{"roots", roots}, job::part{"types", types},
       job::part{"lengths", lengths}, job::part{"operations", operations},
       job::part{"in_place", in_place}, job::part{"all_different", all_different},
       job::part{"overlapping", overlapping}, job::part{"parts", parts}});
}
