#include "hang/wait_words.hpp"

#include <fmt/format.h>

namespace peal::launcher {

using state::wait_kind;

std::string bytes_text(std::uint64_t bytes) {
  if (bytes != 0 && bytes % (1 << 20) == 0) return fmt::format("{} MiB", bytes >> 20);
  if (bytes != 0 && bytes % (1 << 10) == 0) return fmt::format("{} KiB", bytes >> 10);
  return fmt::format("{} B", bytes);
}

std::string tag_text(int tag) { return tag == state::any_tag ? "any" : fmt::format("{}", tag); }

std::string seconds_text(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  if (seconds < 600) return fmt::format("{:.0f} s", seconds);
  return fmt::format("{:.0f} min", seconds / 60);
}

std::string collective_text(const shown_wait& of, const job_snapshot& in) {
  return fmt::format("{} #{} on {}", of.collective.empty() ? "collective" : of.collective,
                     of.number, in.name_of(of.context));
}

namespace {

std::string peer_text(const shown_wait& of) {
  if (of.peer == state::any_rank || of.world == state::any_rank) return "any rank";
  if (of.world == of.peer || of.peer < 0) return fmt::format("rank {}", of.world);
  return fmt::format("rank {} (its rank {})", of.world, of.peer);
}

std::string message_text(const shown_wait& of, const job_snapshot& in, const char* way) {
  return fmt::format("{} {} with tag {} on {}", way, peer_text(of), tag_text(of.tag),
                     in.name_of(of.context));
}

}  // namespace

std::string subject_text(const shown_wait& of, const job_snapshot& in) {
  switch (of.kind) {
    case wait_kind::receive: return message_text(of, in, "a message from");
    case wait_kind::probe: return message_text(of, in, "a message to probe from");
    case wait_kind::send: {
      const std::string length =
          of.bytes ? fmt::format("a message of {} to", bytes_text(*of.bytes)) : "a message to";
      return message_text(of, in, length.c_str());
    }
    case wait_kind::collective: {
      std::string text = collective_text(of, in);
      if (of.bytes && *of.bytes != 0) text += ", " + bytes_text(*of.bytes);
      if (of.root >= 0) text += fmt::format(", root {}", of.root);
      return text;
    }
    case wait_kind::several: return "any of several requests";
    case wait_kind::other: break;
  }
  return "something inside peal";
}

std::string wait_text(const shown_wait& of, const job_snapshot& in) {
  std::string text = of.call.empty() ? "waits for " : fmt::format("waits in {}: ", of.call);
  text += subject_text(of, in);
  if (!of.place.empty()) text += ", at " + of.place;
  return text;
}

std::string state_text(const shown_rank& of, const job_snapshot& in) {
  if (!of.ended.empty()) return fmt::format("has ended: it {}", of.ended);
  if (of.process == 'T' || of.process == 't') return "is stopped (by a signal, or by a debugger)";
  if (!of.shows) return "shows nothing: it has not started peal, or cannot be looked into";
  if (const shown_wait* const wait = of.wait())
    return wait_text(*wait, in) + (of.steps > 0 ? "; data moves meanwhile" : "");
  switch (of.phase) {
    case state::phase::starting: return "starts, and has not met the other ranks yet";
    case state::phase::ending:
      return "is at its end (of peal::environment, or MPI_Finalize), and waits for the other ranks";
    case state::phase::ended: return "has left the job, and its process runs on";
    case state::phase::running: break;
  }
  if (of.loops) return "makes calls in a loop (test, probe or the like) that find nothing";
  if (of.quiet) return "computes, or does something else outside of peal";
  return "runs";
}

}  // namespace peal::launcher
