// What the API takes, and what it refuses by the name of a concept.
#include <algorithm>
#include <array>
#include <cstdint>
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
enum class kind { first };
struct point {
  int index;
  double x;
};
struct holds_pointer {
  int* where;
};
struct holds_view {
  std::string_view text;
};
struct base {
  int a;
};
struct derived : base {
  int b;
};
struct holds_array {
  int values[3];
};
struct opted_in {
  int values[3];
};
template <>
inline constexpr bool peal::enable_fixed<opted_in> = true;
class no_aggregate {
 public:
  explicit no_aggregate(int value) : value_{value} {}
  int value() const { return value_; }

 private:
  int value_;
};
template <>
struct peal::type_traits<no_aggregate> {
  static void encode(peal::writer& out, const no_aggregate& it) { out.value(it.value()); }
  static no_aggregate decode(peal::reader& in) { return no_aggregate{in.value<int>()}; }
};

// case: fixed types are what is sent as bytes
// compiles
static_assert(peal::fixed<int> && peal::fixed<kind> && peal::fixed<std::complex<float>> &&
              peal::fixed<point> && peal::fixed<opted_in>);
static_assert(peal::fixed<std::array<point, 3>> && peal::fixed<std::pair<int, char>> &&
              peal::fixed<std::tuple<int, point>>);
static_assert(!peal::fixed<int*> && !peal::fixed<std::string_view> &&
              !peal::fixed<std::span<int>> && !peal::fixed<std::reference_wrapper<int>>);
static_assert(!peal::fixed<holds_pointer> && !peal::fixed<std::string>);

// case: serializable types are values that can be made anew
// compiles
static_assert(peal::serializable<std::vector<std::vector<std::string>>> &&
              peal::serializable<std::map<std::string, point>>);
static_assert(peal::serializable<std::optional<std::string>> &&
              peal::serializable<std::variant<int, std::string>> &&
              peal::serializable<no_aggregate>);
static_assert(peal::serializable<std::vector<no_aggregate>> &&
              !peal::serializable<std::string_view> && !peal::serializable<holds_view>);
static_assert(!peal::serializable<std::unique_ptr<int>> && !peal::serializable<std::vector<int*>>);

// case: messages in all their forms
// compiles
void run(std::vector<int>& v, const std::vector<int>& c, std::span<int> s) {
  world.send(v, 1, kind::first);
  world.send(std::string_view{"text"}, 1, peal::tag{7});
  peal::request<> lent = world.isend(v, 1);
  peal::request<> lent_const = world.isend(c, 1);
  peal::request<> view = world.isend(s, 1);
  peal::request<std::vector<int>> owned = world.isend(std::vector<int>{1}, 1);
  peal::request<int> number = world.isend(3, 1);
  peal::request<peal::status> into = world.irecv_into(s);
  peal::request<peal::status> into_view = world.irecv_into(std::span{v});
  peal::request<std::string> text = world.irecv<std::string>(peal::any_source, peal::any_tag);
}

// case: reductions know std::plus and the like, and lambdas
// compiles
void run(std::vector<float>& v) {
  const int sum = world.allreduce(1);
  const std::vector<float> sums = world.allreduce(v);
  const point all = world.allreduce(point{1, 2}, peal::op<peal::commute::yes>([](point a, point b) {
                                      return point{a.index + b.index, a.x};
                                    }));
  world.allreduce(peal::in_place(v), peal::max);
}

// case: reductions of which each rank has a part
// compiles
void run(std::vector<float>& v, const std::vector<std::vector<int>>& parts,
         const peal::blocks<int>& gathered) {
  std::vector<float> part = world.reduce_scatter_block(v);
  peal::request<std::vector<float>> owned =
      world.ireduce_scatter_block(std::vector<float>{1, 2}, peal::max);
  std::vector<int> block = world.reduce_scatter(parts, std::bit_xor<>{});
  peal::request<std::vector<int>> later = world.ireduce_scatter(gathered);
  world.reduce_scatter_block(v, peal::into(part));
  const int sum = world.scan(1);
  const std::optional<int> below = world.exscan(1, [](int a, int b) { return a + b; });
  const std::optional<std::vector<float>> sums = world.exscan(v);
  peal::request<std::vector<float>> scanned = world.iscan(v);
  peal::request<std::optional<double>> value = world.iexscan(1.5);
  world.scan(peal::in_place(v));
  world.exscan(peal::in_place(v), peal::min);
  peal::request<> in_place = world.iscan(peal::in_place(v));
  peal::request<> in_place_too = world.iexscan(peal::in_place(v));
}

// case: a string is one value, which plus puts together
// compiles
void run(const std::string& text) {
  std::string all = world.allreduce(text);
  std::optional<std::string> below = world.exscan(text);
}

// case: the characters of a string are reduced where they are asked for
// compiles
void run(const std::string& text) {
  std::vector<char> all = world.allreduce(std::span{text}, peal::max);
  std::optional<std::vector<std::string>> each = world.gather(text, 0);
}

// case: a pointer is not sent
// error: a pointer cannot be sent
void run(int* pointer) { world.send(pointer, 1); }

// case: an aggregate with a pointer is not sent
// error: a pointer cannot be sent
void run() { world.send(holds_pointer{}, 1); }

// case: an aggregate with a view is not sent
// error: what only refers to something elsewhere
void run() { world.send(holds_view{}, 1); }

// case: a string literal is not sent, since its zero would go with it
// error: a literal would be sent with its zero
void run() { world.send("literal", 1); }

// case: what is moved only is not sent
// error: a pointer cannot be sent
void run() { world.send(std::make_unique<int>(1), 1); }

// case: a view is not received, since it owns nothing
// error: what only refers to something elsewhere
void run() { (void)world.recv<std::string_view>(); }

// case: a const buffer is not filled
// error: satisfaction of 'recv_buffer
void run(const std::vector<int>& v) { world.recv_into(v); }

// case: irecv_into refuses a temporary
// error: satisfaction of 'lasting
void run() { auto r = world.irecv_into(std::vector<int>(3)); }

// case: a list is not filled in place
// error: satisfaction of 'recv_buffer
void run(std::list<int>& l) { world.recv_into(l); }

// case: swapped rank and tag
// error: could not convert|cannot convert|no matching function
void run() { world.send(5, peal::tag{7}, 1); }

// case: an enumerator of enum class is no rank
// error: could not convert|cannot convert|no matching function
void run() { world.send(5, kind::first); }

// case: an enumerator that is no tag is refused where it is a constant
// error: call to non-'constexpr' function
enum class below { zero = -1 };
constexpr peal::tag refused = below::zero;

// case: colours are whole numbers
// error: use of deleted function
void run() { (void)world.split(0.5); }

// case: colours of every width, or none
// compiles
void run(long l, unsigned u, std::size_t s, std::optional<int> o) {
  const auto all = {world.split(l).has_value(), world.split(u).has_value(),
                    world.split(s, l).has_value(), world.split(o).has_value()};
  (void)(world.split(std::nullopt).has_value() && all.size() != 0);
}

// case: vectors of strings are not added up
// error: this operation does not make one value of two of these: pass a function object
// at most 12 lines
void run(const std::vector<std::string>& v) { (void)world.allreduce(v); }

// case: an operation of other types
// error: this operation does not make one value of two of these: pass a function object
// at most 12 lines
void run() {
  (void)world.allreduce(1, [](const std::string& a, const std::string&) { return a; });
}

// case: an aggregate has no plus
// error: this operation does not make one value of two of these: pass a function object
// at most 12 lines
void run() { (void)world.allreduce(point{1, 2}); }

// case: vectors of strings are not scanned
// error: this operation does not make one value of two of these
// at most 12 lines
void run(const std::vector<std::string>& v) { (void)world.scan(v); }

// case: an aggregate has no plus to scan with
// error: this operation does not make one value of two of these
// at most 12 lines
void run() { (void)world.exscan(point{1, 2}); }

// case: a buffer that dies with the call is not scanned in place later
// error: into.. and in_place.. need memory that lives on: pass an lvalue or a view of it, not a temporary
// at most 12 lines
void run() { (void)world.iscan(peal::in_place(std::vector<int>{1})); }

// case: a single value does not divide into parts
// error: parts for every rank are made of a contiguous range of fixed values
// at most 12 lines
void run() { (void)world.reduce_scatter_block(1); }

// case: parts without the operation
// error: this operation does not make one element of two
// at most 12 lines
void run(const std::vector<point>& v) { (void)world.reduce_scatter_block(v); }

// case: reduce_scatter wants a block for every rank
// error: this needs a block for every rank: a range of ranges
// at most 12 lines
void run(const std::vector<int>& v) { (void)world.reduce_scatter(v); }

// case: blocks without the operation
// error: this operation does not make one element of two
// at most 12 lines
void run(const std::vector<std::vector<point>>& parts) { (void)world.reduce_scatter(parts); }

// case: plans take what lives on and stays as long as it is
// compiles
void run(double& x, std::vector<int>& v, const std::vector<std::vector<int>>& parts) {
  peal::plan<double> sum = world.allreduce_plan(x);
  peal::plan<std::span<const int>> all = world.allgather_plan(std::span<const int>{v});
  peal::plan<std::span<const std::span<const int>>> exchanged = world.alltoallv_plan(parts);
  peal::plan<> filled = world.bcast_plan(peal::in_place(v), 0);
  peal::plan<std::optional<std::span<const int>>> at_root = world.gather_plan(v, 0);
  peal::request<double> under_way = sum.start();
  filled.start().wait();
  for (const std::span<const int> block : exchanged.start().wait()) (void)block;
  (void)(under_way.wait() + all.start().wait()[0]);
}

// case: a plan of a value that dies with the call
// error: a plan reads its arguments at every start: pass an lvalue or a view
// at most 12 lines
void run() { (void)world.allreduce_plan(1.0); }

// case: a plan of a vector that dies with the call
// error: a plan reads its arguments at every start: pass an lvalue or a view
// at most 12 lines
void run() { (void)world.allgather_plan(std::vector<int>{1}); }

// case: a plan of strings, which may be of any length
// error: a plan moves fixed values and ranges of them, since it cannot know how long others will be
// at most 12 lines
void run(const std::string& text) { (void)world.gather_plan(text, 0); }

// case: a plan whose operation has other types
// error: this operation does not make one value of two of these
// at most 12 lines
void run(const point& p) { (void)world.allreduce_plan(p); }

// case: a plan that fills what is const
// error: into.. and in_place.. need memory that may be written to
// at most 12 lines
void run(const std::vector<int>& v) { (void)world.bcast_plan(peal::in_place(v), 0); }

// case: the start of a plan is not dropped by oversight
// error: unused-result|nodiscard
void run(double& x) { world.allreduce_plan(x).start(); }

// case: views are made of what lives on, of any type
// compiles
void run(const std::vector<double>& v, int& x, std::vector<point>& points) {
  const std::vector<peal::send_view> out{v, x, std::span{points}, {}};
  const std::vector<peal::recv_view> in{x, points, {}, {}};
  world.alltoallw(out, in);
}

// case: views are copied, and kept in vectors
// compiles
void several(std::vector<int> values) {
  std::vector<peal::send_view> out(2, peal::send_view{values});
  std::vector<peal::recv_view> in(2, peal::recv_view{values});
  out.push_back(out.front());
  in.push_back(in.front());
}

// case: a view to be filled is not made of what is const
// error: no match|could not convert|cannot convert
peal::recv_view run(const std::vector<double>& v) { return v; }

// case: a view of what dies with the call
// error: no match|could not convert|cannot convert
peal::send_view run() { return std::vector<int>{1}; }

// case: what is filled later in place does not die with the call
// error: into.. and in_place.. need memory that lives on
// at most 12 lines
void run() { (void)world.iallgather(peal::in_place(std::vector<int>{1})); }

// case: a request is not dropped by oversight
// error: unused-result|nodiscard
void run() { world.ibarrier(); }

// case: a request is not copied
// error: use of deleted function
void run(peal::request<int>& r) { auto copy = r; }

// case: a communicator is not copied
// error: use of deleted function
void run() { auto copy = world; }

// case: alltoallv wants a block for every rank
// error: this needs a block for every rank: a range of ranges
// at most 12 lines
void run(const std::vector<int>& v) { (void)world.alltoallv(v); }

// case: what grows is a container of fixed elements
// compiles
void run(std::vector<int>& v, std::string& text) {
  peal::status got = world.recv_into(peal::grow(v));
  peal::request<peal::status> later = world.irecv_into(peal::grow(text), 1);
  got = world.sendrecv_into(1, 1, peal::grow(v), 1);
  got = world.mprobe().recv_into(peal::grow(v));
}

// case: a span does not grow
// error: satisfaction of 'growable
void run(std::span<int> s) { world.recv_into(peal::grow(s)); }

// case: nor what dies with the call
// error: cannot bind non-const lvalue reference
void run() { auto r = world.irecv_into(peal::grow(std::vector<int>{})); }

// case: nor what is const
// error: satisfaction of 'growable
void run(const std::vector<int>& v) { world.recv_into(peal::grow(v)); }

// case: nor what is serialized
// error: satisfaction of 'growable
void run(std::vector<std::string>& v) { world.recv_into(peal::grow(v)); }

// case: plans of messages
// compiles
void run(double& x, std::vector<int>& v, std::span<const int> s) {
  peal::plan<> out = world.send_plan(v, 1);
  peal::plan<> number = world.send_plan(x, 1, kind::first);
  peal::plan<> view = world.send_plan(s, 1);
  peal::plan<peal::status> in = world.recv_plan(v);
  peal::plan<peal::status> part = world.recv_plan(std::span{v}.first(1), 1, kind::first);
  out.start().wait();
  std::array<peal::plan<>, 2> two;
  std::vector<peal::request<>> both = peal::start_all(two);
}

// case: a plan that sends what dies with the call
// error: a plan reads its arguments at every start: pass an lvalue or a view
// at most 12 lines
void run() { (void)world.send_plan(std::vector<int>{1}, 1); }

// case: a plan that sends strings, which may be of any length
// error: a plan moves fixed values and ranges of them, since it cannot know how long others will be
// at most 12 lines
void run(std::vector<std::string>& v) { (void)world.send_plan(v, 1); }

// case: a plan that receives into what is const
// error: a plan of a receive fills memory that lives as long as the plan and may be written to
// at most 12 lines
void run(const std::vector<int>& v) { (void)world.recv_plan(v); }

// case: a plan that receives into what dies with the call
// error: a plan of a receive fills memory that lives as long as the plan and may be written to
// at most 12 lines
void run() { (void)world.recv_plan(std::vector<int>(3)); }

// case: a plan that receives into a view that owns what it shows, and dies with the call
// error: a plan of a receive fills memory that lives as long as the plan and may be written to
// at most 12 lines
void run() { (void)world.recv_plan(std::views::all(std::vector<int>(3))); }

// case: a queue's handler gets the value where it takes anything
// compiles
void run(peal::completion_queue& queue) {
  queue.add(world.irecv<int>(),
            [](auto value) { static_assert(std::same_as<decltype(value), int>); });
  queue.add(world.ibarrier(), [](auto... none) { static_assert(sizeof...(none) == 0); });
  queue.add(world.irecv<int>(), [](peal::request<int> over) { (void)over.wait(); });
}

// case: what follows a request, where that is a request too
// compiles
void run() {
  peal::request<int> one = world.irecv<int>().then([](int) { return world.irecv<int>(); });
  peal::request<> two = world.ibarrier().then([] { return world.ibarrier(); });
  peal::request<peal::any_ended<std::vector<peal::request<int>>>> any =
      peal::when_any(std::vector<peal::request<int>>(2));
}
