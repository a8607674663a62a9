// The words that belong to each error code.
#include "peal/error.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <new>
#include <string_view>

#include "base/error_text.hpp"

namespace peal {

namespace {

class category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "peal"; }
  std::string message(int code) const override {
    switch (static_cast<errc>(code)) {
      case errc::truncated: return "the message is longer than the receive buffer";
      case errc::invalid_rank: return "no such rank in this communicator";
      case errc::invalid_tag: return "not a tag that a message can have";
      case errc::invalid_root: return "the root is no rank of this communicator";
      case errc::invalid_argument: return "an argument, or something empty, that cannot be used so";
      case errc::invalid_config: return "a PEAL_ variable with a value that has no meaning";
      case errc::not_started: return "no peal::environment is alive";
      case errc::already_started: return "this process has, or had, a peal::environment already";
      case errc::peer_failed:
        return "the peer has died, left the job, gave the communicator up, or cannot be reached";
      case errc::cancelled: return "cancelled";
      case errc::no_space: return "no space left";
      case errc::locked_memory: return "the kernel refuses to lock more memory";
      case errc::bootstrap_failed: return "the launcher did not answer as it must";
      case errc::decode_failed: return "the bytes received are no value of this type";
      case errc::operation_failed:
        return "an operation of a reduction failed on some rank, or a rank could not take its part";
      case errc::no_device: return "no RDMA device that can be used";
      case errc::mismatch: return "ranks disagree about a collective call";
      case errc::internal: return "internal error";
    }
    return fmt::format("unknown error {}", code);
  }
};

std::string with_place(const std::string& what, const std::source_location& where) {
  return fmt::format("{}:{}: {}", where.file_name(), where.line(), what);
}

}  // namespace

const std::error_category& error_category() noexcept {
  // Never destroyed: static objects may use it to the last. Not from the heap: an error may say
  // that there is no memory.
  alignas(category) static std::array<std::byte, sizeof(category)> place;
  static const category& instance = *new (place.data()) category;
  return instance;
}

error::error(std::error_code code, const std::string& what, int peer, std::source_location where)
    : std::system_error{code, with_place(what, where)}, peer_{peer}, where_{where} {}

std::string text_without_place(const error& of) {
  std::string_view text{of.what()};
  const std::string head = with_place("", of.where());
  if (text.starts_with(head)) text.remove_prefix(head.size());
  const std::string tail = ": " + of.code().message();
  if (text.ends_with(tail)) text.remove_suffix(tail.size());
  return std::string{text};
}

std::string plain_text_of(const std::exception& thrown) {
  const auto* const ours = dynamic_cast<const error*>(&thrown);
  if (ours == nullptr) return thrown.what();
  const std::string text = text_without_place(*ours);
  return ours->code().category() == error_category() ? text : text + ": " + ours->code().message();
}

error placed_at(const error& from, const std::source_location& where) {
  return {from.code(), text_without_place(from), from.peer(), where};
}

}  // namespace peal
