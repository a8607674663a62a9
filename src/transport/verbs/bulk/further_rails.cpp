#include "transport/verbs/bulk/further_rails.hpp"

#include <array>

#include "base/log.hpp"
#include "transport/verbs/connections.hpp"

namespace peal::verbs {

namespace {

constexpr int batch = 32;

}  // namespace

bool further_rails::poll() noexcept {
  bool moved = false;
  if (endpoint_.bulk.left_out > 0) moved = tell();
  if ((endpoint_.bulk.elsewhere | endpoint_.bulk.controls) == 0) return moved;
  for (std::uint8_t rail = 1; rail < endpoint_.rails.size(); ++rail) {
    std::array<ibv_wc, batch> done;
    const int count = ibv_poll_cq(endpoint_.completions(rail), batch, done.data());
    for (int each = 0; each < count; ++each)
      moved |= take(done[static_cast<std::size_t>(each)], rail);
  }
  return moved;
}

bool further_rails::take(const ibv_wc& one, std::uint8_t rail) noexcept {
  const work_id which{one.wr_id};
  if (which.kind() == work::receive || which.kind() == work::send) {
    events_.completed(one, rail);
    return true;
  }
  connection* const at = connections_.of(which);
  if (!at || at->is_lost()) return false;
  if (which.detail() >= at->links.size())
    return events_.tried(*at, which.detail(), one.status == IBV_WC_SUCCESS);
  bulk_queue& queue = at->links[which.detail()];
  if (!queue.pair) return false;  // left out before
  if (one.status != IBV_WC_SUCCESS) {
    failed(*at, queue,
           one.status == IBV_WC_RETRY_EXC_ERR ? "no answer comes over it"
                                              : ibv_wc_status_str(one.status));
    return true;
  }
  if (which.kind() == work::notice) {
    (void)endpoint::expect_notice(*queue.pair, which);
    writer_.noticed(*at, queue, one.imm_data);
    return true;
  }
  --endpoint_.bulk.elsewhere;
  if (queue.under_way.front().job) writer_.completed(*at, queue);
  else fetcher_.completed(*at, which.detail());
  return true;
}

void further_rails::failed(connection& at, const bulk_queue& queue, const char* cause) noexcept {
  if (at.is_lost()) return;
  if (queue.link == at.handshake.link()) {
    events_.broke(at, cause);
    return;
  }
  log_warning(
      "{} is left out on the way to rank {}, and large messages go over {} alone from now on: {}",
      endpoint_.rails[queue.rail].name(), at.peer,
      at.links.in_use() > 2 ? "the others" : endpoint_.on.name(), cause);
  ++endpoint_.counters.rails_left_out;
  const std::uint32_t link = queue.link;
  leave_out(at, link);
  if (!at.links.any_untold()) ++endpoint_.bulk.left_out;
  at.links.tell(link);
}

void further_rails::told(connection& at, std::uint32_t link) noexcept {
  for (const bulk_queue& each : at.links) {
    if (each.link != link || link == 0 || !each.pair) continue;
    log_warning("{} is left out on the way to rank {}, since that leaves it out",
                endpoint_.rails[each.rail].name(), at.peer);
    ++endpoint_.counters.rails_left_out;
    leave_out(at, link);
    return;
  }
}

void further_rails::leave_out(connection& at, std::uint32_t link) noexcept {
  at.links.leave_out(link);
  events_.left_out(at, link);
  for (bulk_queue& each : at.links) {
    if (each.link != link) continue;
    endpoint_.bulk.elsewhere -= static_cast<std::uint32_t>(each.under_way.size());
    writer::write_again(each);
    fetcher_.read_again(at, each);
  }
  writer_.expect_no_notices(at, static_cast<std::uint8_t>(link));
}

bool further_rails::tell() noexcept {
  bool moved = false;
  std::uint32_t left = 0;
  connections_.for_each([&](connection& to) {
    while (to.links.any_untold() && to.is_open()) {
      const payload_header what{payload_kind::left_out, to.links.first_untold(), 0, 0, 0};
      if (!sender_.send_staged(to, &what, sizeof what, nullptr, 0)) break;
      to.links.told_first();
      moved = true;
    }
    left += to.links.any_untold() && !to.is_lost();
  });
  endpoint_.bulk.left_out = left;
  return moved;
}

}  // namespace peal::verbs
