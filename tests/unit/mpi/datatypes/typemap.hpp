// A simple model of datatypes: the list of elements and displacements by which the standard defines
// them, packed element by element.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace peal::mpi::model {

struct element {
  int size = 1;
  int alignment = 1;
  std::int64_t displacement = 0;
};

struct typemap {
  std::vector<element> elements;
  std::vector<std::int64_t> lower_marks;
  std::vector<std::int64_t> upper_marks;

  [[nodiscard]] std::int64_t size() const {
    std::int64_t all = 0;
    for (const element& each : elements) all += each.size;
    return all;
  }
  [[nodiscard]] std::int64_t true_lower() const {
    if (elements.empty()) return 0;
    return std::ranges::min_element(elements, {}, &element::displacement)->displacement;
  }
  [[nodiscard]] std::int64_t true_upper() const {
    if (elements.empty()) return 0;
    std::int64_t found = INT64_MIN;
    for (const element& each : elements) found = std::max(found, each.displacement + each.size);
    return found;
  }
  [[nodiscard]] std::int64_t lower() const {
    return lower_marks.empty() ? true_lower() : *std::ranges::min_element(lower_marks);
  }
  [[nodiscard]] std::int64_t upper() const {
    if (!upper_marks.empty()) return *std::ranges::max_element(upper_marks);
    int alignment = 1;
    for (const element& each : elements) alignment = std::max(alignment, each.alignment);
    std::int64_t found = true_upper();
    while ((found - true_lower()) % alignment != 0) ++found;
    return found;
  }
  [[nodiscard]] std::int64_t extent() const { return upper() - lower(); }

  void add(const typemap& other, std::int64_t displacement) {
    for (element each : other.elements) {
      each.displacement += displacement;
      elements.push_back(each);
    }
    for (const std::int64_t each : other.lower_marks) lower_marks.push_back(each + displacement);
    for (const std::int64_t each : other.upper_marks) upper_marks.push_back(each + displacement);
  }
  /// `length` copies, an extent apart.
  void add_block(const typemap& other, std::int64_t length, std::int64_t displacement) {
    for (std::int64_t each = 0; each != length; ++each)
      add(other, displacement + each * other.extent());
  }
};

inline typemap basic(int size, int alignment) { return {{{size, alignment, 0}}, {}, {}}; }
template <class Value>
typemap basic_of() {
  return basic(sizeof(Value), alignof(Value));
}

inline typemap resized(typemap of, std::int64_t lower, std::int64_t extent) {
  of.lower_marks = {lower};
  of.upper_marks = {lower + extent};
  return of;
}

inline typemap hvector(std::int64_t count, std::int64_t length, std::int64_t stride,
                       const typemap& of) {
  typemap made;
  for (std::int64_t each = 0; each != count; ++each) made.add_block(of, length, each * stride);
  return made;
}

/// Memory that any number of copies fit in.
class memory {
 public:
  memory(const typemap& of, std::int64_t count) {
    const std::int64_t way = count == 0 ? 0 : (count - 1) * of.extent();
    low_ = of.true_lower() + std::min<std::int64_t>(way, 0);
    bytes_.resize(
        static_cast<std::size_t>(of.true_upper() + std::max<std::int64_t>(way, 0) - low_));
  }
  void fill(std::uint32_t seed) {
    for (std::byte& each : bytes_) {
      seed = seed * 1664525 + 1013904223;
      each = static_cast<std::byte>(seed >> 24);
    }
  }
  /// What a program would give as buffer; it may lie outside of the memory.
  [[nodiscard]] std::byte* buffer() {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(bytes_.data()) -
                                        static_cast<std::uintptr_t>(low_));
  }
  [[nodiscard]] std::byte* at(std::int64_t displacement) {
    return bytes_.data() + (displacement - low_);
  }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::int64_t low_ = 0;
  std::vector<std::byte> bytes_;
};

inline std::vector<std::byte> pack(const typemap& of, memory& from, std::int64_t count) {
  std::vector<std::byte> stream;
  for (std::int64_t copy = 0; copy != count; ++copy)
    for (const element& each : of.elements) {
      const std::byte* const place = from.at(copy * of.extent() + each.displacement);
      stream.insert(stream.end(), place, place + each.size);
    }
  return stream;
}

inline void unpack(const typemap& of, memory& to, std::int64_t count,
                   const std::vector<std::byte>& stream) {
  std::size_t done = 0;
  for (std::int64_t copy = 0; copy != count; ++copy)
    for (const element& each : of.elements) {
      std::memcpy(to.at(copy * of.extent() + each.displacement), stream.data() + done,
                  static_cast<std::size_t>(each.size));
      done += static_cast<std::size_t>(each.size);
    }
}

}  // namespace peal::mpi::model
