// The functions of peal/detail/core.hpp, and of the headers above it, that throw.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>

#include "base/error_text.hpp"
#include "comm/checks/checks.hpp"
#include "comm/start/job.hpp"
#include "peal/data/buffer.hpp"
#include "peal/data/serialization.hpp"
#include "peal/detail/request_body.hpp"
#include "peal/error.hpp"

namespace peal::detail {

namespace {

/// The other side of an operation, as a rank of its communicator; -1 where there is none.
int peer_of(const operation& over) noexcept {
  if (over.kind == operation_kind::receive) return over.result.source;
  if (over.kind != operation_kind::send || over.members == nullptr) return -1;
  const auto& peers = over.members->peers();
  const auto found = std::ranges::find(peers, static_cast<peer_id>(over.target));
  return found == peers.end() ? -1 : static_cast<int>(found - peers.begin());
}

}  // namespace

void raise(operation& over) {
  const std::error_code why = over.result.error;
  if (over.kind == operation_kind::other &&
      (why == errc::operation_failed || why == errc::mismatch)) {
    std::exception_ptr thrown;
    if (job* const here = job::running()) {
      lane& in = here->lane_of(over);
      const std::lock_guard<engine> guard{in.progress};
      thrown = in.collectives->take_exception(over);
    }
    if (thrown) std::rethrow_exception(thrown);
  }
  const char* const what = over.kind == operation_kind::send      ? "send to"
                           : over.kind == operation_kind::receive ? "receive from"
                                                                  : "collective";
  if (over.kind == operation_kind::other && why == errc::operation_failed &&
      over.result.source >= 0)
    throw_absent(what, over.result.source, over.origin);
  const int peer = peer_of(over);
  if (peer < 0 && over.kind == operation_kind::receive)
    throw_failure(why, "receive", -1, over.origin);
  throw_failure(why, what, peer, over.origin);
}

void fail(errc code, const char* what, int peer, const location& where) {
  throw error(code, what, peer, where);
}

// Without a place, since what decodes does not know its caller: rethrow_decode_error adds it.
void decode_failed(std::size_t bytes, const char* why) {
  throw error(errc::decode_failed, fmt::format("{} bytes: {}", bytes, why));
}

void wrong_size(std::size_t bytes, std::size_t element) {
  throw error(errc::decode_failed,
              fmt::format("{} bytes: elements of the type asked for have {}", bytes, element));
}

void rethrow_decode_error(const error& without_place, int peer, const location& where) {
  const std::string text = text_without_place(without_place);
  throw error(without_place.code(),
              peer >= 0 ? fmt::format("message from rank {}, {}", peer, text) : text, peer, where);
}

}  // namespace peal::detail
