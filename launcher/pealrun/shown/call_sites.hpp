// launcher/pealrun/shown/call_sites.hpp
// From return addresses to the call that the user has made, and its place in the source: by
// addr2line or eu-addr2line, where one is installed; else the module and the offset in it.
//
// Layer    launcher.
// Threads  one.
// Errors   none: what cannot be found stays empty.
// Source   proc_pid_maps(5), elf(5), addr2line(1).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shown/snapshot.hpp"

namespace peal::launcher {

/// One line of a stack; inlined functions have lines of their own.
struct source_place {
  std::string function;  // empty: not known
  std::string file;      // empty: not known
  int line = 0;
  std::string module;  // the file that holds the code
  std::uint64_t offset = 0;
};

/// The call of the user's, and where it is, by a stack whose innermost line comes first.
struct call_site {
  std::string call;   // "MPI_Recv", "recv"; empty: not known
  std::string place;  // "ring.c:12 (main)", "ring+0x11d3"; empty: not known
};
[[nodiscard]] call_site call_site_of(const std::vector<source_place>& stack);
/// "recv" of "peal::communicator::recv<int>(std::span<int>, int)".
[[nodiscard]] std::string short_name(const std::string& function);
/// "solve (solve.c:88)".
[[nodiscard]] std::string text_of(const source_place&);

/// What addr2line -a -f -i -C writes, by address as it is written there.
[[nodiscard]] std::map<std::uint64_t, std::vector<source_place>> read_addr2line(
    const std::string& output);

/// Fills call, place and stack of all waits of this node's ranks.
void resolve_calls(std::vector<shown_rank>&);

}  // namespace peal::launcher
