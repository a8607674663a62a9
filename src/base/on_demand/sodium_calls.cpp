// base/on_demand/sodium_calls.cpp
// The functions of libsodium that libpeal calls: each calls the real one, which is looked for at
// the first call (shared_library.hpp). Only a rank that opens an RDMA device calls them.
//
// They are weak, so that a program which has libsodium itself, linked statically, gets that.
//
// Layer    base; part of libpeal only, not of programs that link libsodium themselves.
// Threads  any.
// Errors   as shared_library.
// Source   libsodium's documentation, doc.libsodium.org.
#include <sodium.h>

#include <cstddef>

#include "base/on_demand/shared_library.hpp"

// Another version is another file.
#if SODIUM_LIBRARY_VERSION_MAJOR == 10
#define PEAL_SODIUM_FILE "libsodium.so.23"
#elif SODIUM_LIBRARY_VERSION_MAJOR == 26
#define PEAL_SODIUM_FILE "libsodium.so.26"
#else
#error "which file the library of this version is has to be added here"
#endif

namespace {

constinit peal::shared_library library{PEAL_SODIUM_FILE, "libsodium23"};

}  // namespace

extern "C" {

[[gnu::weak]] int crypto_auth(unsigned char* out, const unsigned char* in, unsigned long long bytes,
                              const unsigned char* key) {
  return library.real<crypto_auth>("crypto_auth")(out, in, bytes, key);
}
[[gnu::weak]] int crypto_shorthash(unsigned char* out, const unsigned char* in,
                                   unsigned long long bytes, const unsigned char* key) {
  return library.real<crypto_shorthash>("crypto_shorthash")(out, in, bytes, key);
}
[[gnu::weak]] int sodium_init() { return library.real<sodium_init>("sodium_init")(); }
[[gnu::weak]] int sodium_memcmp(const void* one, const void* other, std::size_t bytes) {
  return library.real<sodium_memcmp>("sodium_memcmp")(one, other, bytes);
}

}  // extern "C"
