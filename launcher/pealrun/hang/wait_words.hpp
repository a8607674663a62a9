// launcher/pealrun/hang/wait_words.hpp
// What a rank does, in words.
//
// Layer    launcher.
// Errors   none.
#pragma once

#include <string>

#include "shown/snapshot.hpp"

namespace peal::launcher {

/// "16 B", "4 KiB".
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);
/// "7" or "any".
[[nodiscard]] std::string tag_text(int tag);
/// "40 s".
[[nodiscard]] std::string seconds_text(double seconds);

/// "receives from rank 3 with tag 7 on the world", without the name of the function.
[[nodiscard]] std::string subject_text(const shown_wait&, const job_snapshot&);
/// "waits in MPI_Recv: a message from rank 3 with tag 7 on MPI_COMM_WORLD, at ring.c:12".
[[nodiscard]] std::string wait_text(const shown_wait&, const job_snapshot&);
/// Of a rank whether it waits or not: "computes, or does something else outside of peal".
[[nodiscard]] std::string state_text(const shown_rank&, const job_snapshot&);
/// "allreduce #412 on the world".
[[nodiscard]] std::string collective_text(const shown_wait&, const job_snapshot&);

}  // namespace peal::launcher
