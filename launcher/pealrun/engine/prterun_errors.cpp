#include "engine/prterun_errors.hpp"

#include <cstdlib>
#include <utility>

namespace peal::launcher {

namespace {

constexpr std::size_t dashes = 74;

// prterun writes a zero byte after a message, so the next line may begin with it.
bool is_edge(std::string_view line) {
  if (line.starts_with('\0')) line.remove_prefix(1);
  return line.size() == dashes && line.find_first_not_of('-') == std::string_view::npos;
}

bool may_become_edge(std::string_view begin) {
  if (begin.starts_with('\0')) begin.remove_prefix(1);
  return begin.size() <= dashes && begin.find_first_not_of('-') == std::string_view::npos;
}

// The text behind `begin`, as far as one of `ends`; empty when there is none.
std::string after(const std::string& text, std::string_view begin, const char* ends) {
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) return {};
  const std::size_t from = at + begin.size();
  return text.substr(from, text.find_first_of(ends, from) - from);
}

}  // namespace

std::optional<rank_failure> failure_in_frame(const std::string& text) {
  rank_failure found;
  found.host = after(text, "on node ", " \n");
  if (found.host.empty()) found.host = after(text, "on\nnode ", " \n");
  found.ranks = after(text, "process rank ", " \n");
  if (const std::string signal = after(text, " exited on signal ", " .\n"); !signal.empty()) {
    found.signal = std::atoi(signal.c_str());
    found.code = 128 + found.signal;
  } else if (const std::string code = after(text, "Exit code: ", "\n"); !code.empty()) {
    found.code = std::atoi(code.c_str());
    // "[prterun-node7-4711@1,3]": the last number is the rank.
    const std::string name = after(text, "Process name: ", "]\n");
    found.ranks = name.substr(name.rfind(',') + 1);
  } else if (text.find("exiting improperly") != std::string::npos) {
    found.text = "ended without having left the job";
  } else {
    return std::nullopt;
  }
  if (found.ranks.empty() || found.ranks.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return found;
}

std::string prterun_errors::pass(std::string_view bytes) {
  std::string shown;
  line_ += bytes;
  for (std::size_t end; (end = line_.find('\n')) != std::string::npos;) {
    std::string line = line_.substr(0, end);
    line_.erase(0, end + 1);
    if (std::exchange(open_, false)) shown += line + '\n';
    else take(std::move(line), shown);
  }
  if (!framed_ && !line_.empty() && (open_ || !may_become_edge(line_))) {
    shown += std::exchange(line_, {});
    open_ = true;
  }
  return shown;
}

void prterun_errors::take(std::string line, std::string& shown) {
  if (is_edge(line)) {
    if (std::exchange(framed_, !framed_)) {
      if (const auto found = failure_in_frame(frame_)) {
        if (!first_) first_ = found;
      } else {
        const std::string edge(dashes, '-');
        shown += edge + '\n' + frame_ + edge + '\n';
        told_ = true;
      }
      frame_.clear();
    }
  } else if (framed_) {
    frame_ += line + '\n';
  } else if (line.find("] UNSUPPORTED DAEMON ERROR STATE: ") != std::string::npos) {
    host_missing_ = true;
  } else {
    shown += line + '\n';
  }
}

std::string prterun_errors::rest() {
  std::string shown;
  if (std::exchange(framed_, false)) shown = std::string(dashes, '-') + '\n';
  shown += std::exchange(frame_, {});
  // The byte that prterun writes last.
  if (line_ != std::string_view{"\0", 1}) shown += line_;
  line_.clear();
  return shown;
}

}  // namespace peal::launcher
