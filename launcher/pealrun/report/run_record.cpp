#include "report/run_record.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <string_view>

#include "report/gathered.hpp"
#include "report/page/page.hpp"
#include "report/trace.hpp"
#include "say.hpp"

namespace peal::launcher {

namespace {

// About 8 MB a rank.
constexpr const char* usual_events = "131072";

std::string command_of(const job_request& request, int ranks) {
  const bool single = request.applications.size() == 1;
  std::string made;
  for (const application& each : request.applications) {
    if (!made.empty()) made += " : ";
    made += fmt::format("-n {}", single ? ranks : each.ranks);
    for (const std::string& word : each.arguments) made += " " + word;
  }
  return made;
}

/// 2026-11-27 14:03:07 +0000
std::string now() {
  const std::time_t time = std::time(nullptr);
  std::tm parts{};
  std::array<char, 40> text{};
  if (::localtime_r(&time, &parts) == nullptr) return {};
  return {text.data(), std::strftime(text.data(), text.size(), "%F %T %z", &parts)};
}

}  // namespace

promised_file::promised_file(const std::string& option, const std::string& name) : name_{name} {
  made_ = ::access(name.c_str(), F_OK) != 0;
  descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw stop{2, fmt::format("pealrun: {}: {} cannot be written: {}\n", option, name,
                              std::strerror(errno))};
}

promised_file::~promised_file() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (made_ && !written_) ::unlink(name_.c_str());
}

int promised_file::write(const std::string& text) noexcept {
  struct stat about{};
  // What is no file, as a pipe or /dev/stdout, has nothing to replace.
  if (!written_ && ::fstat(descriptor_, &about) == 0 && S_ISREG(about.st_mode) &&
      ::ftruncate(descriptor_, 0) != 0)
    return errno;
  written_ = true;
  for (std::string_view rest = text; !rest.empty();) {
    const ssize_t some = ::write(descriptor_, rest.data(), rest.size());
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) return errno;
    rest.remove_prefix(static_cast<std::size_t>(some));
  }
  return 0;
}

run_record::run_record(const job_request& request) : request_{request} {
  if (!request.report.empty() && request.report == request.trace)
    throw stop{2, "pealrun: --report and --trace name the same file\n"};
  if (!request.report.empty()) report_.emplace("--report", request.report);
  if (!request.trace.empty()) trace_.emplace("--trace", request.trace);
}

void run_record::begin(const std::string& folder) {
  // Ranks may start in another folder.
  folder_ = std::filesystem::absolute(folder);
  ::setenv("PEAL_RECORD", folder_.c_str(), 1);
  // What the user has said stands.
  if (trace_) ::setenv("PEAL_RECORD_EVENTS", usual_events, 0);
}

void run_record::moved_to(const std::string& folder, int ranks) {
  folder_ = folder;
  ranks_ = ranks;
}

void run_record::name_programs(gathered_run& run) const {
  if (request_.applications.size() == 1) return;
  if (run.ranks.size() != static_cast<std::size_t>(request_.ranks())) return;
  for (std::size_t rank = 0; rank < run.ranks.size(); ++rank) {
    const std::size_t which = request_.application_of(static_cast<int>(rank));
    const std::filesystem::path program = request_.applications.at(which).arguments.at(0);
    run.ranks[rank].program = fmt::format("{}: {}", which, program.filename().string());
  }
}

bool run_record::write(int code) noexcept {
  if (!wanted() || folder_.empty()) return true;
  bool good = true;
  const promised_file* failed = nullptr;
  const auto put = [&](promised_file& into, const std::string& text) {
    // The rest of what cannot be written is not tried.
    const int problem = failed == &into ? 0 : into.write(text);
    if (problem == 0) return;
    good = false;
    failed = &into;
    say(fmt::format("{} cannot be written: {}", into.name(), std::strerror(problem)));
  };
  try {
    const int ranks = ranks_ > 0 ? ranks_ : request_.ranks();
    gathered_run run = gather(folder_, ranks, trace_.has_value());
    run.command = command_of(request_, ranks);
    name_programs(run);
    run.code = code;
    run.ended_at = now();
    if (report_) put(*report_, page_of(run));
    if (trace_) {
      write_trace(run, [&](const std::string& part) { put(*trace_, part); });
      std::uint64_t lost = 0;
      for (const noted_rank& each : run.ranks) lost += each.events_lost;
      if (lost > 0)
        say(fmt::format("{} lacks {} events: there were more than PEAL_RECORD_EVENTS allows a rank",
                        trace_->name(), lost));
    }
  } catch (const std::exception& problem) {
    say(fmt::format("the report of the run cannot be made: {}", problem.what()));
    return false;
  }
  return good;
}

}  // namespace peal::launcher
