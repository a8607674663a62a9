#include "comm/checks/stall_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "base/log.hpp"
#include "comm/checks/checked_calls.hpp"

namespace peal {

namespace {

constexpr int note_tag = std::numeric_limits<int>::max();  // comparisons count theirs from 0
constexpr std::chrono::milliseconds between_calls{250};
// A rank that sleeps, or has no core, may take a while to answer.
constexpr std::chrono::seconds for_answers{10};
constexpr std::size_t most_named = 8;

}  // namespace

stall_report::stall_report(engine& in, messaging& messages, std::chrono::duration<double> patience)
    : messages_{messages}, patience_{patience} {
  in.add(*this, engine::rate::sometimes);
}

void stall_report::remove(const checked_calls& gone) noexcept {
  std::erase_if(all_, [&gone](const asked& each) { return each.calls == &gone; });
}

void stall_report::report(std::vector<counter>& into) const {
  into.push_back(
      {"check.reports", told_, "how often this rank has said who was missing in a collective"});
}

bool stall_report::poll() noexcept {
  const auto now = clock::now();
  if (now < next_) return false;
  next_ = now + between_calls;
  for (asked& each : all_) {
    take_notes(each);
    const checked_calls::waiting* const oldest = each.calls->oldest();
    if (!oldest || now - oldest->since < patience_) continue;
    if (each.number != oldest->number) {
      each = {each.calls, oldest->number, now, false,
              std::vector<note>(static_cast<std::size_t>(each.calls->members().size()))};
      ask(each);
    } else if (!each.told && (now - each.at >= for_answers || each.complete())) {
      each.told = true;
      tell(each);
    }
  }
  return false;  // nothing of the program's moved
}

void stall_report::take_notes(asked& about) noexcept {
  const team& among = about.calls->members();
  outcome found;
  while (matched_message* const message = messages_.take(
             among, among.collective_context(), detail::any_source_value, note_tag, found)) {
    auto* const into = new arriving{this, among.context(), found.source, {}};
    operation& taken = messages_.start_recv_matched(*message, &into->said, sizeof(note),
                                                    {&stall_report::arrived, into});
    if (taken.finished.load(std::memory_order_relaxed)) arrived(into, taken);
  }
}

void stall_report::arrived(void* context, operation& over) noexcept {
  const std::unique_ptr<arriving> got{static_cast<arriving*>(context)};
  const bool whole = !over.result.error && over.result.bytes == sizeof(note);
  got->in->messages_.release(over);
  if (whole) got->in->heard(*got);
}

void stall_report::heard(const arriving& got) {
  const auto about = std::ranges::find_if(
      all_, [&got](const asked& each) { return each.calls->members().context() == got.context; });
  if (about == all_.end()) return;
  if (got.said.from == where::unknown) answer(*about, got.from, got.said);
  else if (got.said.number == about->number) {
    about->answers[static_cast<std::size_t>(got.from)] = got.said;
    ++about->answered;
  }
}

void stall_report::answer(asked& about, int to, const note& question) noexcept {
  note mine{question.number, where::nowhere, {}};
  if (about.calls->has_made(question.number)) {
    mine.from = where::there;
  } else {
    for (const asked& each : all_)
      if (const auto* const oldest = each.calls->oldest()) {
        mine.from = where::elsewhere;
        mine.call = *oldest->record;
        break;
      }
  }
  send(about, to, mine);
}

void stall_report::ask(asked& about) noexcept {
  const note question{about.number, where::unknown, *about.calls->oldest()->record};
  const team& among = about.calls->members();
  for (int to = 0; to < among.size(); ++to)
    if (to != among.rank()) send(about, to, question);
}

void stall_report::send(const asked& about, int to, const note& what) noexcept {
  const team& among = about.calls->members();
  auto* const kept = new note{what};
  operation& sent =
      messages_.start_send(among, among.collective_context(), kept, sizeof(note), to, note_tag);
  const auto drop = [](void* gone) noexcept { delete static_cast<note*>(gone); };
  if (sent.finished.load(std::memory_order_relaxed)) {
    messages_.release(sent);
    drop(kept);
  } else {
    messages_.detach(sent, drop, kept);
  }
}

void stall_report::tell(asked& about) {
  const auto me = static_cast<std::size_t>(about.calls->members().rank());
  // A lower one that waits as well says it.
  for (std::size_t rank = 0; rank < me; ++rank)
    if (about.answers[rank].from == where::there) return;
  ++told_;
  log_warning("{}", text_of(about));
}

std::string stall_report::text_of(const asked& about) {
  const auto& waiting = *about.calls->oldest();
  const team& among = about.calls->members();
  std::string text = fmt::format(
      "rank {} of {} waits in {} at {}, {}, for ranks that have not called it:", among.rank(),
      among.size(), waiting.record->text(), waiting.record->place(),
      checked_calls::text_of(waiting.number));
  std::size_t named = 0, missing = 0;
  for (std::size_t rank = 0; rank < about.answers.size(); ++rank) {
    const note& said = about.answers[rank];
    if (static_cast<int>(rank) == among.rank() || said.from == where::there) continue;
    ++missing;
    if (named == most_named) continue;
    ++named;
    text += fmt::format("{} {} ", named == 1 ? "" : ",", rank);
    if (said.from == where::elsewhere)
      text += fmt::format("(which waits in {} at {})", said.call.text(), said.call.place());
    else if (said.from == where::nowhere) text += "(which waits in no collective)";
    else text += "(which does not answer: it makes no call of peal's)";
  }
  if (missing > named) text += fmt::format(", and {} more", missing - named);
  if (missing == 0) text += " none; all have, and what they sent is under way";
  return text;
}

}  // namespace peal
