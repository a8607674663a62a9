// start HOW [RANK]: one rank finds something else than the others when it starts, so that none of
// them can. Each says so, and nobody waits.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "../support.hpp"

namespace {

/// A folder that only this rank has.
std::string own_folder(int rank) {
  const auto made = std::filesystem::temp_directory_path() / ("start." + std::to_string(rank));
  std::filesystem::create_directories(made);
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "variable";
  const char* const text = std::getenv("PMIX_RANK");
  job::my_rank() = text == nullptr ? 0 : std::atoi(text);
  const int odd_one = how == "maker" ? 0 : argc > 2 ? std::atoi(argv[2]) : 1;
  const bool odd = job::my_rank() == odd_one;
  std::string folder;
  if (odd && how == "variable") ::setenv("PEAL_WAIT_LEAST", "nonsense", 1);
  if (odd && how == "maker") ::setenv("PEAL_SHM_DIR", "/nowhere/at/all", 1);
  if (odd && how == "apart")
    ::setenv("PEAL_SHM_DIR", (folder = own_folder(job::my_rank())).c_str(), 1);
  std::string said;
  try {
    const peal::environment env{argc, argv};
    said = "nothing is wrong";
  } catch (const peal::error& problem) {
    said = problem.what();
  }
  if (!folder.empty()) std::filesystem::remove_all(folder);
  std::cout << "rank " + std::to_string(job::my_rank()) + " says: " + said + '\n' << std::flush;
}
