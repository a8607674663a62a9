#include "placement/rankfile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

#include "request/checks.hpp"
#include "request/request.hpp"

namespace peal::launcher {

namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw stop{2, fmt::format("pealrun: {}: {}\n", where, what)};
}

[[noreturn]] void refuse_slots(const std::string& where, const std::string& text) {
  refuse(where,
         fmt::format("slot={} is no list of cores: SOCKET:CORES such as 0:0-3 or 1:*, or CORES of "
                     "the machine such as 0-3,8 was expected",
                     text));
}

std::vector<rankfile_line::cores> read_slots(const std::string& text, const std::string& where) {
  std::vector<rankfile_line::cores> made;
  int socket = -1;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    std::string item = text.substr(from, comma - from);
    from = comma + 1;
    if (const auto colon = item.find(':'); colon != std::string::npos) {
      const auto number = number_in<int>(item.substr(0, colon));
      if (!number || *number < 0) refuse_slots(where, text);
      socket = *number;
      item.erase(0, colon + 1);
    }
    if (item == "*" && socket >= 0) {
      made.push_back({socket, 0, -1});
      continue;
    }
    const auto dash = item.find('-');
    const auto first = number_in<int>(item.substr(0, dash));
    const auto last = dash == std::string::npos ? first : number_in<int>(item.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first) refuse_slots(where, text);
    made.push_back({socket, *first, *last});
  }
  return made;
}

rankfile_line read_line(const std::string& text, const std::string& where) {
  constexpr const char* form = "'rank NUMBER=HOST slot=SOCKET:CORES' was expected";
  constexpr std::string_view sign = "slot=";
  rankfile_line made;
  made.where = where;
  std::istringstream words{text};
  std::string word, who, slots, more;
  words >> word >> who >> slots;
  if (word != "rank")
    refuse(where, fmt::format("'{}' begins no line of a rankfile: {}", word, form));
  const auto equals = who.find('=');
  const auto rank = number_in<int>(who.substr(0, equals));
  if (!rank || *rank < 0 || *rank >= most_ranks)
    refuse(where, fmt::format("'{}' is no rank: {}", who, form));
  made.rank = *rank;
  if (equals != std::string::npos) {
    made.host = who.substr(equals + 1);
    if (made.host.empty())
      refuse(where, "there is no host behind '=': a host's name was expected, or no '='");
  }
  if (!slots.starts_with(sign))
    refuse(where, slots.empty() ? fmt::format("there is no slot=: {}", form)
                                : fmt::format("'{}' is no slot=: {}", slots, form));
  if (words >> more)
    refuse(where, fmt::format("'{}' is too much: the end of the line was expected", more));
  made.slots = read_slots(slots.substr(sign.size()), where);
  return made;
}

bool is_this_host(const std::string& named, const std::string& host) {
  const auto short_name = [](const std::string& of) { return of.substr(0, of.find('.')); };
  return named.empty() || named == "localhost" || named == "+n0" || named == host ||
         named == short_name(host);
}

void add_core(const rankfile_line& line, const node_core& core, std::vector<int>& to) {
  if (core.threads.empty())
    refuse(line.where, fmt::format("core {} (socket {}, core {}) is not one that pealrun may use "
                                   "here (cpuset or affinity)",
                                   core.number, core.socket, core.in_socket));
  to.push_back(core.number);
}

std::vector<int> cores_of(const rankfile_line& line, const node_cores& node) {
  std::vector<int> found;
  for (const rankfile_line::cores& part : line.slots) {
    int count = 0;
    for (const node_core& core : node.cores)
      if (part.socket < 0 || core.socket == part.socket) ++count;
    if (part.socket >= 0 && count == 0)
      refuse(line.where, fmt::format("there is no socket {}: this machine has {}, from 0 on",
                                     part.socket, node.sockets));
    if (part.last >= count)
      refuse(line.where, part.socket < 0
                             ? fmt::format("there is no core {}: this machine has cores 0-{}",
                                           part.last, count - 1)
                             : fmt::format("there is no core {} on socket {}: it has cores 0-{}",
                                           part.last, part.socket, count - 1));
    for (const node_core& core : node.cores) {
      const int number = part.socket < 0 ? core.number : core.in_socket;
      if (part.socket >= 0 && core.socket != part.socket) continue;
      if (part.last < 0) {
        if (!core.threads.empty()) found.push_back(core.number);
      } else if (number >= part.first && number <= part.last) {
        add_core(line, core, found);
      }
    }
  }
  if (found.empty())
    refuse(line.where, "none of the socket's cores may be used here (cpuset or affinity)");
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

std::vector<rankfile_line> read_rankfile(std::string_view text, const std::string& name) {
  std::vector<rankfile_line> made;
  std::istringstream lines{std::string{text}};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string where = fmt::format("{}:{}", name, ++number);
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    rankfile_line read = read_line(line, where);
    for (const rankfile_line& each : made)
      if (each.rank == read.rank)
        refuse(where, fmt::format("rank {} stands in {} already: one line for each rank is allowed",
                                  read.rank, each.where));
    made.push_back(std::move(read));
  }
  return made;
}

std::vector<rankfile_line> read_rankfile(const std::string& name) {
  errno = 0;
  std::ifstream file{name};
  std::ostringstream text;
  if (file) text << file.rdbuf();
  // An empty file sets the stream's failbit, too.
  if (!file || (text.str().empty() && errno != 0))
    throw stop{2, fmt::format("pealrun: --rankfile: {} cannot be read: {}\n", name,
                              std::generic_category().message(errno))};
  return read_rankfile(text.str(), name);
}

std::vector<place> places_of(const std::vector<rankfile_line>& lines, const node_cores& node,
                             int ranks, const std::string& name, const std::string& host) {
  std::vector<place> made(static_cast<std::size_t>(ranks));
  for (const rankfile_line& line : lines) {
    if (line.rank >= ranks)
      refuse(line.where,
             fmt::format("there is no rank {}: the job has {}, from 0 on", line.rank, ranks));
    if (!is_this_host(line.host, host))
      refuse(line.where, fmt::format("{} is another host: all ranks run on this one ({}, or "
                                     "localhost) unless an engine for several is used",
                                     line.host, host));
    made[static_cast<std::size_t>(line.rank)] = place::at(node, cores_of(line, node));
  }
  for (int rank = 0; rank < ranks; ++rank)
    if (!made[static_cast<std::size_t>(rank)].bound)
      refuse(name, fmt::format("there is no line for rank {}: one for each of the {} ranks was "
                               "expected",
                               rank, ranks));
  return made;
}

}  // namespace peal::launcher
