#include "comm/checks/call_record.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <tuple>
#include <typeinfo>

#include "collective/call_subject.hpp"

namespace peal {

namespace {

using detail::collective;

constexpr std::string_view gap = "...";

/// FNV-1a, 64 bits (http://www.isthe.com/chongo/tech/comp/fnv). Never 0.
std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char each : text) hash = (hash ^ static_cast<unsigned char>(each)) * 0x100000001b3U;
  return hash | 1;
}

std::string readable(const char* mangled) {
  constexpr std::string_view in_full =
      "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> made{
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free};
  std::string text{status == 0 ? made.get() : mangled};
  for (std::size_t at = 0; (at = text.find(in_full, at)) != std::string::npos;)
    text.replace(at, in_full.size(), "std::string");
  return text;
}

/// With a zero at the end. Of what is too long the beginning stays.
template <std::size_t N>
void put(std::array<char, N>& into, std::string_view text) noexcept {
  const std::size_t room = N - 1;
  if (text.size() <= room) {
    std::ranges::copy(text, into.begin());
    return;
  }
  std::ranges::copy(text.substr(0, room - gap.size()), into.begin());
  std::ranges::copy(gap, into.end() - 1 - gap.size());
}

/// The end stays.
template <std::size_t N>
void put_end(std::array<char, N>& into, std::string_view text) noexcept {
  const std::size_t room = N - 1;
  if (text.size() <= room) return put(into, text);
  std::ranges::copy(gap, into.begin());
  std::ranges::copy(text.substr(text.size() - (room - gap.size())), into.begin() + gap.size());
}

/// Puts the name there, and returns what stands for it in comparisons.
template <std::size_t N>
std::uint64_t put_name(const std::type_info* type, std::array<char, N>& into) {
  if (type == nullptr) return 0;
  put(into, readable(type->name()));
  return hash_of(type->name());
}

const char* name_of(detail::builtin operation) noexcept {
  switch (operation) {
    case detail::builtin::none: return "";
    case detail::builtin::sum: return "sum";
    case detail::builtin::prod: return "prod";
    case detail::builtin::min: return "min";
    case detail::builtin::max: return "max";
    case detail::builtin::land: return "land";
    case detail::builtin::lor: return "lor";
    case detail::builtin::lxor: return "lxor";
    case detail::builtin::band: return "band";
    case detail::builtin::bor: return "bor";
    case detail::builtin::bxor: return "bxor";
  }
  return "";
}

}  // namespace

call_record call_record::of(int rank, int size, const detail::collective_call& call, bool stepped,
                            const detail::location& where) {
  call_record made;
  made.kind = call.kind;
  made.root = call.root;
  made.stepped = stepped;
  made.rank = rank;
  // A rank without destinations does not say how long a part is.
  if (!stepped && !call.varying && call.kind != collective::neighbor_alltoall)
    made.bytes = call.bytes;
  if (call.varying && call.kind == collective::reduce_scatter && call.send_bytes != nullptr) {
    const auto count = static_cast<std::size_t>(size);
    made.bytes = std::accumulate(call.send_bytes, call.send_bytes + count, std::size_t{0});
    made.lengths =
        hash_of({reinterpret_cast<const char*>(call.send_bytes), count * sizeof(std::size_t)});
  }
  // Among neighbours nothing is done in place, and a rank without destinations gives nothing.
  const bool among_neighbors =
      call.kind == collective::neighbor_allgather || call.kind == collective::neighbor_alltoall;
  // Without a byte to be moved it cannot be told: the data of an empty range are a null pointer
  // too.
  made.in_place = !has_root(call.kind) && !among_neighbors && made.bytes != 0 &&
                  (call.in_place || call.send == nullptr);
  made.scalar = call.type;
  made.operation = call.op.kind;
  made.type = put_name(call.element_type, made.type_name);
  if (call.op.kind == detail::builtin::none)
    made.function = put_name(call.op.function, made.function_name);
  made.line = where.line();
  put_end(made.file, where.file_name());
  return made;
}

bool call_record::matches(const call_record& other) const noexcept {
  const auto compared = [](const call_record& it) {
    return std::tie(it.kind, it.stepped, it.root, it.bytes, it.lengths, it.type, it.scalar,
                    it.operation, it.function, it.in_place, it.blocks);
  };
  return compared(*this) == compared(other);
}

std::string call_record::difference(const call_record& other) const {
  if (kind != other.kind) return "the collective";
  std::string made;
  const auto add = [&made](bool differs, const char* what) {
    if (differs) made += fmt::format("{}{}", made.empty() ? "" : ", ", what);
  };
  add(root != other.root, "the root");
  add(stepped != other.stepped, "whether all ranks know the length");
  add(type != other.type || scalar != other.scalar, "the type");
  add(stepped == other.stepped && (bytes != other.bytes || lengths != other.lengths), "the bytes");
  add(operation != other.operation || function != other.function, "the operation");
  add(blocks != other.blocks && stepped == other.stepped, "whether it blocks");
  add(in_place != other.in_place && bytes != 0 && other.bytes != 0, "whether in place");
  return made;
}

std::string call_record::text() const {
  std::string arguments;
  const auto add = [&arguments](std::string_view each) {
    if (!each.empty()) arguments += fmt::format("{}{}", arguments.empty() ? "" : ", ", each);
  };
  add(type_name.data());
  add(function_name.data());
  add(name_of(operation));
  if (stepped) add("any length");
  else if (kind != collective::barrier && kind != collective::neighbor_alltoall)
    add(fmt::format("{} bytes", bytes));
  if (has_root(kind)) add(fmt::format("root {}", root));
  if (in_place) add("in place");
  return fmt::format("{}({})", peal::name_of(kind), arguments);
}

std::string call_record::place() const { return fmt::format("{}:{}", file.data(), line); }

void comparison::join(void*, const void* lower, void* higher, std::size_t count) {
  const auto* left = static_cast<const comparison*>(lower);
  auto* right = static_cast<comparison*>(higher);
  for (std::size_t i = 0; i < count; ++i) {
    comparison& made = right[i];
    if (left[i].differs) {
      made = left[i];
      continue;
    }
    // The rank that first differs from the higher part's lowest differs from ours as well, when the
    // two match.
    if (!left[i].lowest.matches(made.lowest)) {
      made.odd = made.lowest;
      made.differs = true;
    }
    made.lowest = left[i].lowest;
  }
}

std::string mismatch_text(const call_record& mine, const call_record& other) {
  return fmt::format("this rank, {}, called {}, but rank {} called {} at {}; what differs: {}",
                     mine.rank, mine.text(), other.rank, other.text(), other.place(),
                     mine.difference(other));
}

}  // namespace peal
