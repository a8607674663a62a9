#include "transport/verbs/authenticator.hpp"

#include <sodium.h>
#include <sys/random.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "peal/error.hpp"

namespace peal::verbs {

namespace {

void fill_at_random(void* into, std::size_t bytes) {
  auto* at = static_cast<std::byte*>(into);
  while (bytes > 0) {
    const ssize_t got = ::getrandom(at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      throw error(errc::bootstrap_failed, "the kernel gives no random numbers (getrandom)");
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

const unsigned char* bytes_of(const void* memory) noexcept {
  return static_cast<const unsigned char*>(memory);
}

/// The key for one use.
template <std::size_t Bytes>
void derive(std::array<unsigned char, Bytes>& into, const secret& job, std::string_view use) {
  static_assert(Bytes <= crypto_auth_BYTES);
  std::array<unsigned char, crypto_auth_KEYBYTES> key{};
  static_assert(sizeof job <= crypto_auth_KEYBYTES);
  std::memcpy(key.data(), job.data(), sizeof job);
  std::array<unsigned char, crypto_auth_BYTES> made;
  crypto_auth(made.data(), bytes_of(use.data()), use.size(), key.data());
  std::memcpy(into.data(), made.data(), Bytes);
}

}  // namespace

secret random_secret() {
  secret made{};
  while (made == secret{}) fill_at_random(made.data(), sizeof made);
  return made;
}

std::uint64_t random_word() {
  std::uint64_t made = 0;
  fill_at_random(&made, sizeof made);
  return made;
}

authenticator::authenticator(const secret& job) {
  if (sodium_init() < 0) throw error(errc::bootstrap_failed, "libsodium cannot be initialized");
  derive(handshakes_, job, "peal handshake");
  derive(datagrams_, job, "peal datagram");
  derive(queues_, job, "peal queue key");
}

authenticator::tag authenticator::tag_of(const void* packet, std::size_t bytes) const noexcept {
  static_assert(sizeof handshakes_ == crypto_auth_KEYBYTES && sizeof(tag) * 2 == crypto_auth_BYTES);
  std::array<unsigned char, crypto_auth_BYTES> whole;
  crypto_auth(whole.data(), bytes_of(packet), bytes, handshakes_.data());
  tag made;
  std::memcpy(made.data(), whole.data(), made.size());
  return made;
}

bool authenticator::matches(const tag& told, const void* packet, std::size_t bytes) const noexcept {
  const tag right = tag_of(packet, bytes);
  return sodium_memcmp(told.data(), right.data(), right.size()) == 0;
}

std::uint64_t authenticator::short_tag_of(const void* header, std::size_t bytes) const noexcept {
  static_assert(sizeof(short_key) == crypto_shorthash_KEYBYTES &&
                sizeof(std::uint64_t) == crypto_shorthash_BYTES);
  std::array<unsigned char, crypto_shorthash_BYTES> made;
  crypto_shorthash(made.data(), bytes_of(header), bytes, datagrams_.data());
  std::uint64_t word = 0;
  std::memcpy(&word, made.data(), sizeof word);
  return word;
}

// The highest bit would ask for a privileged key (InfiniBand specification, 10.2.5).
std::uint32_t authenticator::queue_key(peer_id of, std::uint64_t incarnation) const noexcept {
  const std::array<std::uint64_t, 2> process{of, incarnation};
  std::array<unsigned char, crypto_shorthash_BYTES> made;
  crypto_shorthash(made.data(), bytes_of(process.data()), sizeof process, queues_.data());
  std::uint32_t key = 0;
  std::memcpy(&key, made.data(), sizeof key);
  return key & 0x7fffffff;
}

}  // namespace peal::verbs
