// launcher/pealrun/placement/rankfile.hpp
// A file that says where each rank runs, in the format of Open MPI:
//
//   rank 0=node7 slot=0:0-3     cores 0 to 3 of socket 0
//   rank 1=node7 slot=1:*       all cores of socket 1
//   rank 2 slot=8,9             cores 8 and 9 of the machine; without a host it is this one
//
// What follows # is a comment.
//
// Layer    launcher.
// Units    cores are numbered from 0 on, on their socket or on the machine.
// Errors   throws stop that names the file and the line, and says what was expected.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "placement/node_cores.hpp"
#include "placement/place.hpp"

namespace peal::launcher {

struct rankfile_line {
  struct cores {
    int socket = -1;  // -1: numbers count on the machine
    int first = 0;
    int last = 0;  // -1: all of the socket
  };
  std::string where;  // "FILE:LINE"
  int rank = 0;
  std::string host;  // empty: this one
  std::vector<cores> slots;
};

/// The text of a file of that name.
std::vector<rankfile_line> read_rankfile(std::string_view text, const std::string& name);
/// The file itself.
std::vector<rankfile_line> read_rankfile(const std::string& name);

/// Places on this node for so many ranks: a line for each, all on this host.
std::vector<place> places_of(const std::vector<rankfile_line>&, const node_cores&, int ranks,
                             const std::string& name, const std::string& host);

}  // namespace peal::launcher
