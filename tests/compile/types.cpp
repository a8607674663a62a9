// Which types are sent as bytes, whatever their parts are.
#include <array>
#include <bitset>
#include <chrono>
#include <peal/peal.hpp>
#include <string>
#include <string_view>

extern const peal::communicator& world;

struct base {
  int a;
  double b;
};
struct holds_pointer {
  int* where;
};
struct holds_text {
  std::string text;
};
struct own_traits {
  int a;
};
template <>
struct peal::type_traits<own_traits> {
  static void encode(peal::writer& out, const own_traits& it) { out.value(it.a); }
  static own_traits decode(peal::reader& in) { return {in.value<int>()}; }
};
union either {
  int number;
  int* pointer;
};

// case: arrays of C in an aggregate
// compiles
struct row {
  int count;
  double values[3];
};
struct matrix {
  float cells[4][4];
  row rows[2];
  std::array<base, 2> more;
};
struct name {
  char text[256];
  short length;
};
static_assert(peal::fixed<row> && peal::fixed<matrix> && peal::fixed<name>);
void run(const row& r) {
  world.send(r, 1);
  (void)world.recv<matrix>();
}

// case: bases of an aggregate
// compiles
struct derived : base {
  int c;
};
struct only_a_base : base {};
struct far : derived {
  int more[2];
};
struct none {};
struct from_none : none {
  int a;
};
static_assert(peal::fixed<derived> && peal::fixed<only_a_base> && peal::fixed<far> &&
              peal::fixed<from_none>);
void run(const derived& d) { world.send(d, 1); }

// case: bits and times
// compiles
struct event {
  std::chrono::nanoseconds length;
  std::chrono::system_clock::time_point begin;
  std::bitset<70> flags;
};
static_assert(peal::fixed<std::bitset<3>> && peal::fixed<std::chrono::duration<double>> &&
              peal::fixed<event>);
static_assert(!peal::fixed<std::chrono::steady_clock::time_point>);

// case: what points elsewhere is none of their parts
// compiles
struct pointers {
  int count;
  double* values[3];
};
struct array_of_pointers {
  int first[2];
  holds_pointer second;
};
struct from_pointer : holds_pointer {
  int a;
};
struct from_two : base, holds_pointer {};
struct views {
  std::string_view text[2];
};
struct reference {
  int& to;
  int array[2];
};
struct with_union {
  int array[2];
  either which;
};
struct from_text : holds_text {};
static_assert(!peal::fixed<pointers> && !peal::fixed<array_of_pointers> &&
              !peal::fixed<from_pointer> && !peal::fixed<from_two>);
static_assert(!peal::fixed<views> && !peal::fixed<reference> && !peal::fixed<with_union> &&
              !peal::fixed<from_text>);

// case: nor what says itself how it is sent
// compiles
struct with_traits {
  int array[2];
  own_traits own;
};
struct from_traits : own_traits {
  int b;
};
static_assert(!peal::fixed<with_traits> && !peal::fixed<from_traits>);
