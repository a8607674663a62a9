// What the compiler says of types that cannot be sent: the member, the reason, and what to do about
// it.
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <peal/peal.hpp>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

extern const peal::communicator& world;

struct particle {
  double mass;
  int* next;
  std::string name;
};

// case: a pointer in a struct is named
// error: particle::next|explain_member<particle, int \*, 1
// error: a pointer cannot be sent, since what it points to would not be in the message: send what it points to
// at most 16 lines
void run(const particle& p) { world.send(p, 1); }

// case: in a struct in a container in a struct, too
// error: cell::inside|explain_member<cell, .*, 1
// error: particle::next|explain_member<particle, int \*, 1
// error: a pointer cannot be sent
// at most 40 lines
struct cell {
  int number;
  std::map<std::string, std::vector<particle>> inside;
};
void run(const cell& c) { world.isend(c, 1).wait(); }

// case: a smart pointer
// error: shared::what|explain_member<shared, std::shared_ptr
// error: a pointer cannot be sent
// at most 16 lines
struct shared {
  std::shared_ptr<int> what;
};
void run(const shared& s) { world.send(s, 1); }

// case: what cannot be copied
// error: a struct that cannot be copied .because of a std::unique_ptr, say. cannot be sent by itself
// at most 16 lines
struct held {
  std::unique_ptr<int> what;
};
void run(const held& h) { world.ssend(h, 1); }

// case: a view
// error: named::name|explain_member<named, .*, 0
// error: what only refers to something elsewhere cannot be sent: send a value or a container
// at most 16 lines
struct named {
  std::string_view name;
};
void run() { (void)world.recv<named>(0); }

// case: a type that contains itself
// error: tree::kids|explain_member<tree, .*, 1
// error: a type that contains itself cannot be sent by itself: give it a peal::type_traits
// at most 24 lines
struct tree {
  int value;
  std::vector<tree> kids;
};
void run(const tree& t) { world.send(t, 1); }

// case: a type that contains itself by a detour
// error: a type that contains itself cannot be sent by itself
// at most 45 lines
struct branch;
struct leaf {
  std::list<branch> above;
};
struct branch {
  std::optional<int> value;
  std::vector<leaf> leaves;
};
void run(const branch& b) { world.send(b, 1); }

// case: a union
// error: either::which|explain_member<either, .*, 1
// error: nobody can tell which member of a union there is: use std::variant
// at most 16 lines
union number {
  int whole;
  float real;
};
struct either {
  bool is_real;
  number which;
};
void run(const either& e) { world.send(e, 1); }

// case: a class with private members
// error: T = closed|explain<closed>
// error: the members of a class with constructors, private members or virtual functions cannot be told: give it a peal::type_traits
// at most 16 lines
class closed {
 public:
  explicit closed(int number) : number_{number} {}

 private:
  int number_;
  std::string text_;
};
void run(const std::vector<closed>& all) { world.issend(all, 1).wait(); }

// case: an array of C beside a string
// error: since it has arrays of C, bases or references beside what is more than plain bytes: use std::array
// at most 16 lines
struct mixed {
  std::string name;
  double values[3];
};
void run(mixed& m) { (void)world.bcast(m, 0); }

// case: enable_fixed of what owns memory
// error: enable_fixed is for types that are trivially copyable
// at most 16 lines
class owner {
 public:
  owner();
  std::string text;
};
template <>
inline constexpr bool peal::enable_fixed<owner> = true;
void run(const owner& o) { world.send(o, 1); }

// case: a literal
// error: a literal would be sent with its zero at the end: send std::string_view
// at most 16 lines
void run() { world.send("text", 1); }

// case: a range that only reads on while it is not const
// error: a range that cannot be read while it is const cannot be sent: copy it into a std::vector
// at most 16 lines
void run(std::vector<int>& all) {
  world.send(all | std::views::filter([](int each) { return each > 0; }), 1);
}

// case: nothing that refers is received
// error: what is received is a value: neither const nor a reference
// at most 16 lines
void run() { (void)world.irecv<const int>(0).wait(); }

// case: views that can be read while they are const
// compiles
void run(std::vector<int>& all, const std::list<int>& several) {
  world.send(all | std::views::transform([](int each) { return each + 1; }), 1);
  world.send(std::views::iota(0, 5), 1);
  world.send(several, 1);
}

// case: types that cannot be sent are none of the concept
// compiles
struct again {
  std::vector<again> more;
};
static_assert(!peal::sendable<particle> && !peal::sendable<again> && !peal::receivable<again> &&
              !peal::sendable<const char (&)[5]>);
static_assert(peal::sendable<std::string_view> && peal::sendable<std::span<int>> &&
              !peal::receivable<std::span<int>>);
