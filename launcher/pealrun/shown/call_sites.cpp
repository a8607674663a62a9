#include "shown/call_sites.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

#include "shown/tool.hpp"

namespace peal::launcher {

namespace {

// Debugging information of a large program takes seconds to read.
constexpr double for_a_module = 20;
// Few ranks stand in many places; what is beyond is told by module and offset.
constexpr std::size_t most_addresses = 4096;

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool is_own_module(const std::string& module) {
  const std::string name = base_name(module);
  return name.starts_with("libpeal") || name.starts_with("libmpi");
}

bool is_mpi(std::string_view function) {
  return function.starts_with("MPI_") || function.starts_with("PMPI_") ||
         function.starts_with("mpi_") || function.starts_with("pmpi_");
}

/// "peal::x", also behind the type that a template returns.
bool names_peal(const std::string& function) {
  const std::string head = function.substr(0, function.find('('));
  return head.starts_with("peal::") || head.find(" peal::") != std::string::npos;
}

bool is_own(const source_place& of) {
  if (is_own_module(of.module) || is_mpi(of.function) || names_peal(of.function)) return true;
  // What is generic stands between two of ours.
  return of.function.starts_with("std::") || of.function.find(" std::") < of.function.find('(') ||
         of.file.find("/include/peal/") != std::string::npos;
}

struct mapping {
  std::uint64_t begin = 0, end = 0, offset = 0;
  std::string file;
};

std::vector<mapping> code_of(long process) {
  std::vector<mapping> found;
  std::ifstream maps{fmt::format("/proc/{}/maps", process)};
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words{line};
    std::string range, rights, offset, device, inode, file;
    words >> range >> rights >> offset >> device >> inode;
    std::getline(words >> std::ws, file);
    const std::size_t dash = range.find('-');
    if (dash == std::string::npos || rights.find('x') == std::string::npos || file.empty() ||
        file.front() != '/')
      continue;
    found.push_back({std::strtoull(range.c_str(), nullptr, 16),
                     std::strtoull(range.c_str() + dash + 1, nullptr, 16),
                     std::strtoull(offset.c_str(), nullptr, 16), file});
  }
  return found;
}

/// Where a byte of a file lies in the addresses that its symbols have.
std::uint64_t linked_address(const std::string& file, std::uint64_t in_file) {
  std::ifstream from{file, std::ios::binary};
  Elf64_Ehdr head{};
  if (!from.read(reinterpret_cast<char*>(&head), sizeof head) ||
      std::string_view{reinterpret_cast<const char*>(head.e_ident), SELFMAG} != ELFMAG ||
      head.e_ident[EI_CLASS] != ELFCLASS64)
    return in_file;
  from.seekg(static_cast<std::streamoff>(head.e_phoff));
  for (int each = 0; each != head.e_phnum; ++each) {
    Elf64_Phdr part{};
    if (!from.read(reinterpret_cast<char*>(&part), sizeof part)) break;
    if (part.p_type == PT_LOAD && in_file >= part.p_offset &&
        in_file < part.p_offset + part.p_filesz)
      return in_file - part.p_offset + part.p_vaddr;
  }
  return in_file;
}

struct code_place {
  std::string file;
  std::uint64_t address = 0;  // as linked
  auto operator<=>(const code_place&) const = default;
};

std::optional<code_place> place_of(const std::vector<mapping>& in, std::uint64_t address) {
  for (const mapping& each : in)
    if (address >= each.begin && address < each.end)
      return code_place{each.file, linked_address(each.file, address - each.begin + each.offset)};
  return std::nullopt;
}

std::map<std::uint64_t, std::vector<source_place>> look_up(const std::string& module,
                                                           const std::set<std::uint64_t>& all) {
  static const std::string tool = [] {
    const std::string usual = find_tool("addr2line");
    return usual.empty() ? find_tool("eu-addr2line") : usual;
  }();
  if (tool.empty()) return {};
  std::vector<std::string> words{tool, "-a", "-f", "-i", "-C", "-e", module};
  for (const std::uint64_t each : all) {
    if (words.size() > most_addresses) break;
    words.push_back(fmt::format("{:#x}", each));
  }
  const auto output = run_tool(words, for_a_module);
  return output ? read_addr2line(*output) : std::map<std::uint64_t, std::vector<source_place>>{};
}

}  // namespace

std::string short_name(const std::string& function) {
  if (is_mpi(function)) return function.front() == 'P' ? function.substr(1) : function;
  std::string plain = function;
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  for (std::size_t at = 0; (at = plain.find(unnamed)) != std::string::npos;)
    plain.erase(at, unnamed.size());
  // Without the arguments of templates, up to the parameters.
  std::string name;
  int depth = 0;
  for (const char each : plain) {
    if (each == '<') ++depth;
    else if (each == '>') --depth;
    else if (each == '(' && depth == 0) break;
    else if (depth == 0) name += each;
  }
  const std::size_t start = name.find_last_of(": ");
  return start == std::string::npos ? name : name.substr(start + 1);
}

std::string text_of(const source_place& of) {
  std::string where =
      !of.file.empty() && of.line > 0 ? fmt::format("{}:{}", base_name(of.file), of.line)
      : !of.module.empty()            ? fmt::format("{}+{:#x}", base_name(of.module), of.offset)
                                      : "";
  if (of.function.empty()) return where;
  const std::string name = short_name(of.function);
  return where.empty() ? name : fmt::format("{} ({})", where, name);
}

call_site call_site_of(const std::vector<source_place>& stack) {
  call_site made;
  for (const source_place& each : stack) {
    if (!is_own(each)) {
      made.place = text_of(each);
      return made;
    }
    // The outermost of ours is what the user has called.
    if (is_mpi(each.function) || names_peal(each.function)) made.call = short_name(each.function);
  }
  return {};
}

std::map<std::uint64_t, std::vector<source_place>> read_addr2line(const std::string& output) {
  std::map<std::uint64_t, std::vector<source_place>> made;
  std::vector<source_place>* of = nullptr;
  std::istringstream lines{output};
  for (std::string line, where; std::getline(lines, line);) {
    if (line.starts_with("0x")) {
      of = &made[std::strtoull(line.c_str(), nullptr, 16)];
      continue;
    }
    if (of == nullptr || !std::getline(lines, where)) break;
    source_place& found = of->emplace_back();
    // eu-addr2line: "f inlined at file:1 in g".
    if (const std::size_t inlined = line.find(" inlined at "); inlined != std::string::npos)
      line.erase(inlined);
    if (line != "??") found.function = line;
    const std::size_t colon =
        where.find(':', where.rfind('/') == std::string::npos ? 0 : where.rfind('/'));
    if (where.starts_with("??") || colon == std::string::npos) continue;
    found.file = where.substr(0, colon);
    std::from_chars(where.data() + colon + 1, where.data() + where.size(), found.line);
  }
  return made;
}

void resolve_calls(std::vector<shown_rank>& ranks) {
  std::map<std::string, std::set<std::uint64_t>> wanted;
  std::map<long, std::vector<mapping>> maps;
  std::map<std::pair<long, std::uint64_t>, code_place> places;
  for (const shown_rank& rank : ranks)
    for (const shown_wait& wait : rank.waits)
      for (const std::uint64_t each : wait.frames) {
        auto [of, is_new] = maps.try_emplace(rank.pid);
        if (is_new) of->second = code_of(rank.pid);
        // The call is before the address at which it returns.
        const auto place = place_of(of->second, each - 1);
        if (!place) continue;
        places.emplace(std::pair{rank.pid, each}, *place);
        wanted[place->file].insert(place->address);
      }
  std::map<code_place, std::vector<source_place>> known;
  for (const auto& [module, addresses] : wanted) {
    auto found = look_up(module, addresses);
    for (const std::uint64_t each : addresses) {
      std::vector<source_place>& lines = known[{module, each}];
      if (const auto at = found.find(each); at != found.end()) lines = std::move(at->second);
      if (lines.empty()) lines.emplace_back();
      for (source_place& line : lines) {
        line.module = module;
        line.offset = each;
      }
    }
  }
  for (shown_rank& rank : ranks)
    for (shown_wait& wait : rank.waits) {
      std::vector<source_place> stack;
      for (const std::uint64_t each : wait.frames)
        if (const auto at = places.find({rank.pid, each}); at != places.end())
          if (const auto lines = known.find(at->second); lines != known.end())
            stack.insert(stack.end(), lines->second.begin(), lines->second.end());
      const call_site site = call_site_of(stack);
      wait.call = site.call;
      wait.place = site.place;
      wait.stack.clear();
      // What is inside peal tells a user nothing.
      const auto own = std::ranges::find_if_not(stack, is_own);
      for (auto each = own; each != stack.end(); ++each) {
        wait.stack.push_back(text_of(*each));
        if (each->function == "main") break;
      }
    }
}

}  // namespace peal::launcher
