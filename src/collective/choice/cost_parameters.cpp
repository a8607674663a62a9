#include "collective/choice/cost_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace peal {

namespace {

using p = cost_parameters;

constexpr double most_ns = 1e9, least_rate = 1e-6, most_rate = 1e6;

constexpr std::array fields{
    cost_field{"local_send_ns", &p::local_send_ns, 0, most_ns,
               "a short message inside a node, of the sender's core"},
    cost_field{"local_receive_ns", &p::local_receive_ns, 0, most_ns, "of the receiver's core"},
    cost_field{"local_flight_ns", &p::local_flight_ns, 0, most_ns, "until the other core sees it"},
    cost_field{"local_copy_rate", &p::local_copy_rate, least_rate, most_rate,
               "copies of messages up to the eager limit, GB/s"},
    cost_field{"local_large_ns", &p::local_large_ns, 0, most_ns,
               "announcement and answer of a longer one"},
    cost_field{"local_large_rate", &p::local_large_rate, least_rate, most_rate,
               "its bytes, both sides copying, GB/s"},
    cost_field{"local_direct_rate", &p::local_direct_rate, least_rate, most_rate,
               "its bytes where ranks outnumber cores, GB/s"},
    cost_field{"remote_send_ns", &p::remote_send_ns, 0, most_ns,
               "a short message between nodes, of the sender's core"},
    cost_field{"remote_doorbell_ns", &p::remote_doorbell_ns, 0, most_ns, "a doorbell"},
    cost_field{"remote_receive_ns", &p::remote_receive_ns, 0, most_ns, "of the receiver's core"},
    cost_field{"remote_flight_ns", &p::remote_flight_ns, 0, most_ns, "from adapter to adapter"},
    cost_field{"remote_large_ns", &p::remote_large_ns, 0, most_ns,
               "announcement, request and answer of a long one"},
    cost_field{"remote_rate", &p::remote_rate, least_rate, most_rate, "bytes between nodes, GB/s"},
    cost_field{"reduce_rate", &p::reduce_rate, least_rate, most_rate,
               "reductions, GB/s of the result"},
    cost_field{"step_ns", &p::step_ns, 0, most_ns, "each copy and reduction"},
    cost_field{"switch_ns", &p::switch_ns, 0, most_ns, "of a core from rank to rank"},
};
static_assert(sizeof(cost_parameters) == fields.size() * sizeof(double),
              "every parameter has its field");

bool any_is_new(const cost_parameters& of, std::string_view prefix) noexcept {
  constexpr cost_parameters built_in;
  return std::ranges::any_of(fields, [&](const cost_field& each) {
    return each.name.starts_with(prefix) && of.*each.value != built_in.*each.value;
  });
}

}  // namespace

bool measured_inside(const cost_parameters& of) noexcept { return any_is_new(of, "local_"); }
bool measured_between(const cost_parameters& of) noexcept { return any_is_new(of, "remote_"); }

std::span<const cost_field> cost_fields() noexcept { return fields; }

std::string to_note(const cost_parameters& of) {
  std::string made;
  for (const cost_field& each : fields)
    made += fmt::format("{}{}", made.empty() ? "" : ",", of.*each.value);
  return made;
}

std::optional<cost_parameters> from_note(std::string_view note) noexcept {
  cost_parameters made;
  const char* at = note.data();
  const char* const end = at + note.size();
  for (std::size_t i = 0; i != fields.size(); ++i) {
    if (i != 0) {
      if (at == end || *at != ',') return std::nullopt;
      ++at;
    }
    double& value = made.*fields[i].value;
    const auto [stop, failed] = std::from_chars(at, end, value);
    if (failed != std::errc{} || !(value >= fields[i].least && value <= fields[i].most))
      return std::nullopt;
    at = stop;
  }
  return at == end ? std::optional{made} : std::nullopt;
}

}  // namespace peal
