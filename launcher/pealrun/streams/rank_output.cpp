#include "streams/rank_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "say.hpp"
#include "streams/pseudo_terminal.hpp"

namespace peal::launcher {

namespace {

// Lines that have not ended are kept until all of them take this much; then long ones are written
// in parts. Else a rank that never ends its line would fill our memory.
constexpr std::size_t most_unfinished = 32 << 20;
constexpr std::size_t long_line = 1 << 20;
// A part of a line with a tag is shown after this time: it may be a question. Programs that write a
// line in pieces write the next one sooner. For as long, what others write lets a line that stands
// unfinished on a terminal come to its end.
constexpr std::chrono::milliseconds patience{200};

}  // namespace

rank_output::rank_output(const job_request& request)
    : request_{request},
      out_{STDOUT_FILENO},
      err_{STDERR_FILENO},
      same_{out_.same_as(err_)},
      piped_{which(request, out_, err_)},
      prefix_{request.streams.tag, request.streams.timestamp} {
  const stream_request& asked = request.streams;
  if (!asked.folder.empty()) folder_.emplace(asked.folder, request.ranks(), asked.merge);
  say_through = [this](const std::string& line) { say(line); };  // nothing throws from here on
  if (folder_ && !folder_->moved_to().empty())
    launcher::say(fmt::format("files of an earlier job are in {} now", folder_->moved_to()));
}

rank_output::~rank_output() {
  say_through = nullptr;
  close_child_ends();
  stop_reading();
}

// One rank writes there itself. So do several where nobody reads it (/dev/null).
rank_output::piped rank_output::which(const job_request& request, const descriptor_sink& out,
                                      const descriptor_sink& err) {
  const stream_request& asked = request.streams;
  const bool always = asked.tag || asked.timestamp || !asked.folder.empty();
  const auto may_mix = [&](const descriptor_sink& to) {
    return to.stops_writers() ||
           (request.ranks() > 1 && (to.regular_file() || to.pipe() || to.terminal()));
  };
  const bool output = always || may_mix(out);
  return {output, asked.merge ? output : always || may_mix(err)};
}

int rank_output::files_of_a_rank(const job_request& request) {
  const piped pipes =
      which(request, descriptor_sink{STDOUT_FILENO}, descriptor_sink{STDERR_FILENO});
  const int streams = (pipes.output ? 1 : 0) + (pipes.error && !request.streams.merge ? 1 : 0);
  return request.streams.folder.empty() ? streams : 2 * streams;
}

rank_output::ends rank_output::open(int rank) {
  ends made;
  if (piped_.output) made.output = open_pipe(rank, STDOUT_FILENO);
  if (request_.streams.merge) made.error = piped_.output ? made.output : STDOUT_FILENO;
  else if (piped_.error) made.error = open_pipe(rank, STDERR_FILENO);
  return made;
}

int rank_output::open_pipe(int rank, int to) {
  int both[2];
  bool pseudo = false;
  // Programs ask of their output, not of their errors, which they do not buffer.
  const bool shown = !folder_ && to == STDOUT_FILENO && out_.terminal();
  if (const auto made = shown ? open_pseudo_terminal(STDOUT_FILENO) : std::nullopt) {
    both[0] = made->ours;
    both[1] = made->theirs;
    pseudo = true;
  } else if (::pipe2(both, O_CLOEXEC) != 0) {
    throw std::system_error{errno, std::generic_category(), "pipe"};
  }
  ::fcntl(both[0], F_SETFL, O_NONBLOCK);
  child_ends_.push_back(both[1]);
  stream made{.number = opened_++,
              .rank = rank,
              .from = both[0],
              .pseudo_terminal = pseudo,
              .to = nullptr,
              .alone = true,
              .live = false,
              .on_terminal = false,
              .at_once = false,
              .colours = false};
  if (folder_) {
    made.to = &folder_->of(rank, to);
  } else {
    descriptor_sink& sink = to == STDERR_FILENO ? errors() : out_;
    const bool one_pipe = request_.streams.merge || !same_;
    const bool has_input =
        request_.streams.input == input_policy::all ||
        (request_.streams.input == input_policy::one && request_.streams.input_rank == rank);
    made.to = &sink;
    made.alone = request_.ranks() == 1 && one_pipe;
    made.live = sink.terminal() || (sink.pipe() && has_input);
    made.on_terminal = sink.terminal();
    made.at_once = sink.terminal() && !prefix_.any();
    made.colours = sink.colours();
  }
  streams_.push_back(std::move(made));
  return both[1];
}

void rank_output::close_child_ends() {
  for (const int each : child_ends_) ::close(each);
  child_ends_.clear();
}

void rank_output::add_to(std::vector<pollfd>& list) {
  polled_from_ = list.size();
  polled_.clear();
  for (std::size_t at = 0; at < streams_.size(); ++at) {
    if (streams_[at].to->full()) continue;
    polled_.push_back(static_cast<int>(at));
    list.push_back({streams_[at].from, POLLIN, 0});
  }
  for (const descriptor_sink* each : {&out_, &err_})
    if (!each->idle()) list.push_back(each->wanted());
}

// A rank asks its own terminal how wide lines may be.
void rank_output::follow_window() const {
  for (const stream& each : streams_)
    if (each.pseudo_terminal && !copy_window(STDOUT_FILENO, each.from)) return;
}

// The streams have their turn one after the other also where a sink is full after a few of them.
void rank_output::serve(const std::vector<pollfd>& list) {
  follow_window();
  std::size_t next = polled_.size();  // the first that had to wait
  for (std::size_t count = 0; count < polled_.size(); ++count) {
    const std::size_t at = (turn_ + count) % polled_.size();
    stream& from = streams_[static_cast<std::size_t>(polled_[at])];
    if (list[polled_from_ + at].revents == 0) continue;
    if (from.to->full()) next = std::min(next, count);
    else read(from);
  }
  if (next < polled_.size()) turn_ += next;
  show_what_is_due();
  std::erase_if(streams_, [](const stream& each) { return each.from < 0 && each.kept.empty(); });
  polled_.clear();
  for (descriptor_sink* each : {&out_, &err_})
    if (!each->idle()) each->write();
  tell_of_losses();
}

std::optional<rank_output::clock::time_point> rank_output::deadline() const {
  std::optional<clock::time_point> first;
  for (const stream& each : streams_) {
    if (each.live && !each.part.empty() && (!first || each.due < *first)) first = each.due;
    if (!each.kept.empty() && (!first || each.kept_until < *first)) first = each.kept_until;
  }
  return first;
}

// Those that wait have their turn in the order in which they came. One that leaves a line
// unfinished keeps the others waiting once more, until their time is over.
void rank_output::show_what_is_due() {
  const auto now = clock::now();
  std::vector<stream*> waiting;
  for (stream& each : streams_) {
    if (!each.kept.empty()) waiting.push_back(&each);
    if (each.from < 0) end_line(each);
    else if (each.live && !each.part.empty() && each.due <= now) show_part(each);
  }
  std::ranges::sort(waiting, {}, &stream::kept_until);
  for (stream* const each : waiting) {
    if (waits(*each)) continue;
    const std::string text = std::exchange(each->kept, {});
    unfinished_ -= text.size();
    add(*each, text, each->kept_since);
    if (each->from < 0) end_line(*each);
  }
}

// The stream has ended, so nothing goes on with the line that it has begun.
void rank_output::end_line(stream& of) {
  if (!of.kept.empty()) return;
  if (!of.part.empty()) show_part(of);
  if (of.to->open_line != of.number) return;
  if (prefix_.any()) of.to->put("\n");
  of.to->open_line = prefix_.any() ? sink::no_stream : sink::ended_stream;
}

void rank_output::read(stream& from) {
  std::array<char, 65536> bytes;  // what a pipe holds
  const ssize_t got = ::read(from.from, bytes.data(), bytes.size());
  if (got > 0) return take(from, {bytes.data(), static_cast<std::size_t>(got)});
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  ::close(from.from);
  from.from = -1;
}

void rank_output::start_line(const stream& from, std::string& text,
                             line_prefix::clock::time_point began) {
  if (prefix_.any()) prefix_.append_to(text, from.rank, began, from.colours);
}

/// Whether another's line stands unfinished on the terminal, and may still come to its end.
bool rank_output::waits(const stream& from) const noexcept {
  const int open_line = from.to->open_line;
  if (!from.on_terminal || open_line < 0 || open_line == from.number) return false;
  if (unfinished_ > most_unfinished) return false;
  return from.kept.empty() || clock::now() < from.kept_until;
}

void rank_output::take(stream& from, std::string_view bytes) {
  const auto now = line_prefix::clock::now();
  if (from.kept.empty() && !waits(from)) return add(from, bytes, now);
  if (from.kept.empty()) {
    from.kept_since = now;
    from.kept_until = clock::now() + patience;
  }
  from.kept += bytes;
  unfinished_ += bytes.size();
}

void rank_output::add(stream& from, std::string_view bytes, line_prefix::clock::time_point now) {
  const auto last = bytes.rfind('\n');
  if (last == std::string_view::npos) {
    hold(from, bytes, now);
  } else {
    std::string text;
    int& open_line = from.to->open_line;
    // Another's line that has begun would go on with ours.
    if (open_line != sink::no_stream && open_line != from.number) text += '\n';
    if (open_line != from.number) start_line(from, text, from.part.empty() ? now : from.began);
    open_line = sink::no_stream;
    text += from.part;
    unfinished_ -= from.part.size();
    from.part = {};
    std::string_view whole = bytes.substr(0, last + 1);
    if (!prefix_.any()) text += std::exchange(whole, {});
    while (!whole.empty()) {
      const std::size_t length = whole.find('\n') + 1;
      text += whole.substr(0, length);
      whole.remove_prefix(length);
      if (!whole.empty()) start_line(from, text, now);
    }
    from.to->put(text);
    if (last + 1 < bytes.size()) hold(from, bytes.substr(last + 1), now);
  }
  if (!from.part.empty() &&
      (from.alone || from.at_once || from.to->open_line == from.number || too_long(from)))
    show_part(from);
}

void rank_output::hold(stream& from, std::string_view bytes, line_prefix::clock::time_point now) {
  if (from.part.empty()) {
    from.began = now;
    from.due = clock::now() + patience;
  }
  from.part += bytes;
  unfinished_ += bytes.size();
}

bool rank_output::too_long(const stream& from) const noexcept {
  return unfinished_ > most_unfinished &&
         from.part.size() > std::min(long_line, most_unfinished / streams_.size());
}

// Writes a part of a line. What the stream writes next continues it, unless another one's line
// comes first.
void rank_output::show_part(stream& from) {
  std::string text;
  int& open_line = from.to->open_line;
  if (open_line != from.number) {
    if (open_line != sink::no_stream) text += '\n';
    start_line(from, text, from.began);
  }
  if (!text.empty()) from.to->put(text);
  from.to->put(from.part);  // not copied once more: it may be long
  unfinished_ -= from.part.size();
  from.part = {};
  open_line = from.number;
}

void rank_output::say(std::string_view line) {
  descriptor_sink& to = errors();
  if (std::exchange(to.open_line, sink::no_stream) != sink::no_stream) to.put("\n");
  to.put(line);
  to.write();
}

// One line for the first: files on one disk fail together.
void rank_output::tell_of_losses() {
  if (!folder_ || loss_told_) return;
  for (const auto& each : folder_->files()) {
    if (each->lost() == 0) continue;
    loss_told_ = true;
    launcher::say(fmt::format("{} cannot be written: {}; {} bytes are lost so far, the job goes on",
                              each->name(), std::generic_category().message(each->problem()),
                              each->lost()));
    return;
  }
}

bool rank_output::close_files() {
  if (!folder_) return true;
  constexpr int named = 8;  // more would hide what else is told
  int bad = 0;
  for (const auto& each : folder_->files()) {
    each->close();
    if (each->problem() == 0) continue;
    if (++bad <= named)
      launcher::say(fmt::format("{} lacks {} bytes: {}", each->name(), each->lost(),
                                std::generic_category().message(each->problem())));
  }
  if (bad > named) launcher::say(fmt::format("so do {} other files there", bad - named));
  return bad == 0;
}

void rank_output::stop_reading() {
  for (const stream& each : streams_) ::close(each.from);
  streams_.clear();
  polled_.clear();
}

int rank_output::broken() const noexcept { return out_.error() != 0 ? out_.error() : err_.error(); }

bool rank_output::idle() const noexcept { return out_.idle() && err_.idle(); }

bool rank_output::finished() const noexcept { return streams_.empty() && idle(); }

}  // namespace peal::launcher
