// What the programs of the job tests share: checks that end the job with a line that says what is
// wrong, data that tells where it is from, and random numbers that are the same on every rank.
//
// Errors   a failed check writes one line and ends the process with exit code 1; pealrun then ends
//          the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <peal/peal.hpp>
#include <source_location>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace job {

using place = std::source_location;

/// The neighbours in a ring of all ranks.
inline int right_of(const peal::communicator& in) { return (in.rank() + 1) % in.size(); }
inline int left_of(const peal::communicator& in) { return (in.rank() + in.size() - 1) % in.size(); }

/// A column of a matrix of `width` columns, as a strided view.
struct column {
  using element_type = int;
  int* first;
  std::size_t count;  // of its elements
  std::size_t width;
  [[nodiscard]] int* data_handle() const { return first; }
  [[nodiscard]] static constexpr std::size_t rank() { return 1; }
  [[nodiscard]] std::size_t extent(std::size_t) const { return count; }
  [[nodiscard]] std::size_t stride(std::size_t) const { return width; }
};

inline int& my_rank() {
  static int rank = -1;
  return rank;
}

[[noreturn]] inline void fail(const std::string& what, const place& where = place::current()) {
  std::fprintf(stderr, "rank %d: %s:%u: %s\n", my_rank(), where.file_name(),
               static_cast<unsigned>(where.line()), what.c_str());
  std::_Exit(1);
}

/// This cannot be tested here; the runner counts it as skipped.
[[noreturn]] inline void skip(const std::string& reason) {
  std::printf("SKIP %s\n", reason.c_str());
  std::fflush(stdout);
  std::_Exit(77);
}

inline void check(bool good, const std::string& what, const place& where = place::current()) {
  if (!good) fail(what, where);
}

template <class T>
std::string shown(const T& value) {
  std::ostringstream out;
  if constexpr (requires { out << value; }) out << value;
  else out << "something else";
  return out.str();
}

template <class A, class B>
void equal(const A& found, const B& expected, const std::string& what,
           const place& where = place::current()) {
  if (!(found == expected))
    fail(what + ": " + shown(found) + ", expected " + shown(expected), where);
}

/// `call` must throw a peal::error with that code; returns it.
template <class F>
peal::error throws(peal::errc code, F&& call, const place& where = place::current()) {
  try {
    call();
  } catch (const peal::error& e) {
    if (e.code() != code) fail(std::string{"another error than expected: "} + e.what(), where);
    return e;
  }
  fail("no error; expected " + peal::make_error_code(code).message(), where);
}

/// splitmix64: the same numbers everywhere for the same seed.
class random {
 public:
  explicit random(std::uint64_t seed) : state_{seed * 0x9e3779b97f4a7c15U + 1} {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// 0 ... limit - 1.
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(next() % limit); }
  bool one_in(std::size_t n) { return below(n) == 0; }

 private:
  std::uint64_t state_;
};

/// Bytes that no other key gives.
inline void fill(std::span<std::byte> bytes, std::uint64_t key) {
  random stream{key};
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    const std::uint64_t word = stream.next();
    std::memcpy(bytes.data() + at, &word, 8);
  }
  if (at == bytes.size()) return;  // nothing left; empty bytes may lie nowhere
  const std::uint64_t word = stream.next();
  std::memcpy(bytes.data() + at, &word, bytes.size() - at);
}

inline std::vector<std::byte> bytes_of(std::size_t count, std::uint64_t key) {
  std::vector<std::byte> made(count);
  fill(made, key);
  return made;
}

inline bool holds(std::span<const std::byte> bytes, std::uint64_t key) {
  random stream{key};
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    const std::uint64_t word = stream.next();
    if (std::memcmp(bytes.data() + at, &word, 8) != 0) return false;
  }
  if (at == bytes.size()) return true;
  const std::uint64_t word = stream.next();
  return std::memcmp(bytes.data() + at, &word, bytes.size() - at) == 0;
}

/// Resident memory in bytes, all kinds.
inline std::size_t resident() {
  std::size_t pages = 0, total = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%zu %zu", &total, &pages) != 2) pages = 0;
    std::fclose(file);
  }
  return pages * 4096;
}

inline bool sanitized() {
  const char* name = std::getenv("TEST_SANITIZER");
  return name != nullptr && *name != '\0' && std::strcmp(name, "none") != 0;
}

struct part {
  const char* name;
  std::function<void(const peal::communicator&)> run;
};

/// main of a program with several parts: the arguments name those to run, default all. An exception
/// is a failure, with what it says.
inline int run_parts(int argc, char** argv, const std::vector<part>& parts,
                     peal::options options = {}) {
  peal::environment env{argc, argv, options};
  const auto& world = env.world();
  my_rank() = world.rank();
  for (const auto& each : parts) {
    bool asked = argc < 2;
    for (int i = 1; i < argc; ++i) asked = asked || std::strcmp(argv[i], each.name) == 0;
    if (!asked) continue;
    try {
      each.run(world);
      world.barrier();
    } catch (const std::exception& e) {
      fail(std::string{each.name} + ": " + e.what());
    }
  }
  return 0;
}

}  // namespace job
