#include "mpi/datatypes/packing/external32.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "mpi/datatypes/layouts/elements.hpp"
#include "mpi/datatypes/packing/copy_pieces.hpp"
#include "mpi/support/failure.hpp"

namespace peal::mpi {

namespace {

constexpr bool swaps = std::endian::native == std::endian::little;

void copy_swapped(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  if constexpr (swaps) std::reverse_copy(from, from + bytes, to);
  else std::memcpy(to, from, bytes);
}

/// Integers of up to 8 bytes as one of 8.
std::uint64_t load(const std::byte* from, std::size_t bytes, bool is_signed) noexcept {
  std::uint64_t value = 0;
  if constexpr (swaps) std::memcpy(&value, from, bytes);
  else std::memcpy(reinterpret_cast<std::byte*>(&value) + sizeof value - bytes, from, bytes);
  const auto unused = static_cast<unsigned>(8 * (sizeof value - bytes));
  if (!is_signed || unused == 0) return value;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << unused) >> unused);
}
void store(std::byte* to, std::uint64_t value, std::size_t bytes) noexcept {
  if constexpr (swaps) std::memcpy(to, &value, bytes);
  else std::memcpy(to, reinterpret_cast<const std::byte*>(&value) + sizeof value - bytes, bytes);
}

[[noreturn, gnu::cold]] void fail_conversion(std::uint64_t value, std::size_t bytes) {
  fail(MPI_ERR_CONVERSION, "an element", static_cast<long long>(value),
       bytes == 2 ? "external32 has 2 bytes for it" : "external32 has 4 bytes for it");
}

/// One component out. `unit` is its length here, `external` there.
void to_external(const basic_type& type, const std::byte* from, std::byte* to) {
  const auto unit = static_cast<std::size_t>(type.unit);
  const auto external = static_cast<std::size_t>(type.external_unit);
  switch (type.form) {
    case external_form::same: std::memcpy(to, from, unit); return;
    case external_form::swapped: copy_swapped(to, from, unit); return;
    case external_form::signed_number:
    case external_form::unsigned_number: {
      const bool is_signed = type.form == external_form::signed_number;
      const std::uint64_t value = load(from, unit, is_signed);
      std::byte narrow[sizeof value];
      store(narrow, value, external);
      if (load(narrow, external, is_signed) != value) fail_conversion(value, external);
      copy_swapped(to, narrow, external);
      return;
    }
    case external_form::quad: {
      long double value = 0;
      std::memcpy(&value, from, sizeof value);
      const auto wide = static_cast<quad>(value);
      std::byte bytes[sizeof wide];
      std::memcpy(bytes, &wide, sizeof wide);
      copy_swapped(to, bytes, sizeof wide);
      return;
    }
  }
}

void from_external(const basic_type& type, const std::byte* from, std::byte* to) noexcept {
  const auto unit = static_cast<std::size_t>(type.unit);
  const auto external = static_cast<std::size_t>(type.external_unit);
  switch (type.form) {
    case external_form::same: std::memcpy(to, from, unit); return;
    case external_form::swapped: copy_swapped(to, from, unit); return;
    case external_form::signed_number:
    case external_form::unsigned_number: {
      std::byte narrow[sizeof(std::uint64_t)];
      copy_swapped(narrow, from, external);
      store(to, load(narrow, external, type.form == external_form::signed_number), unit);
      return;
    }
    case external_form::quad: {
      quad wide = 0;
      std::byte bytes[sizeof wide];
      copy_swapped(bytes, from, sizeof wide);
      std::memcpy(&wide, bytes, sizeof wide);
      const auto value = static_cast<long double>(wide);
      std::memcpy(to, &value, sizeof value);
      return;
    }
  }
}

/// Calls convert(basic, here, there) for each component of all elements.
template <class Convert>
void convert_all(const layout& type, std::uintptr_t data, std::int64_t count, std::byte* stream,
                 const Convert& convert) {
  for (std::int64_t copy = 0; copy != count; ++copy) {
    for_each_element(type, data, [&](const basic_type& basic, std::uintptr_t address) {
      for (int done = 0; done != basic.size; done += basic.unit) {
        convert(basic, place_at(address + static_cast<std::uintptr_t>(done)), stream);
        stream += basic.external_unit;
      }
    });
    data += static_cast<std::uintptr_t>(type.extent());
  }
}

}  // namespace

std::int64_t external_bytes_of(const layout& type, std::int64_t count) {
  need(count >= 0, MPI_ERR_COUNT, "count", count, "it must not be negative");
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(type.external_size, count, &bytes)) [[unlikely]]
    fail(MPI_ERR_COUNT, "count", count, "so many elements have more bytes than can be counted");
  return bytes;
}

void pack_external(const layout& type, const void* data, std::int64_t count, void* stream) {
  if (type.size == 0) return;
  convert_all(type, reinterpret_cast<std::uintptr_t>(data), count, static_cast<std::byte*>(stream),
              [](const basic_type& basic, const std::byte* here, std::byte* there) {
                to_external(basic, here, there);
              });
}

void unpack_external(const layout& type, void* data, std::int64_t count, const void* stream) {
  if (type.size == 0) return;
  // The stream is only read in this direction.
  convert_all(type, reinterpret_cast<std::uintptr_t>(data), count,
              static_cast<std::byte*>(const_cast<void*>(stream)),
              [](const basic_type& basic, std::byte* here, const std::byte* there) {
                from_external(basic, there, here);
              });
}

}  // namespace peal::mpi
