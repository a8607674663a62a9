// A segment for blocks, of one process.
#pragma once

#include <stdlib.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

#include "collective/direct/slot.hpp"
#include "memory/node_segment.hpp"

namespace peal::test {

/// A segment of one process, most of which is for blocks.
class block_memory {
 public:
  explicit block_memory(std::size_t most_committed = std::numeric_limits<std::size_t>::max(),
                        std::size_t room = bytes) {
    const char* const set = std::getenv("PEAL_SHM_DIR");
    std::string name = std::string{set != nullptr ? set : "/dev/shm"} + "/peal-test-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error{"mkdtemp"};
    folder_ = name;
    segment_plan plan;
    plan.directory = folder_;
    plan.job_name = "arena";
    plan.count = 2;  // so that the file keeps its name
    plan.front_bytes = 4096;
    plan.transport_bytes = room;
    plan.most_committed = most_committed;
    segment_ = std::make_unique<node_segment>(plan);
  }
  ~block_memory() {
    segment_.reset();
    std::filesystem::remove_all(folder_);
  }

  /// Memory that the segment has.
  [[nodiscard]] std::size_t taken() const {
    struct stat status{};
    if (stat(name().c_str(), &status) != 0) throw std::runtime_error{"stat"};
    return static_cast<std::size_t>(status.st_blocks) * 512;
  }

  static constexpr std::size_t bytes = std::size_t{1} << 20;
  [[nodiscard]] node_segment& segment() { return *segment_; }
  [[nodiscard]] std::size_t begin() { return segment_->transport_part(0).offset; }
  [[nodiscard]] direct::block& at(std::size_t offset) {
    return *segment_->at<direct::block>(offset);
  }

 private:
  [[nodiscard]] std::string name() const { return folder_ + "/arena.peal"; }

  std::string folder_;
  std::unique_ptr<node_segment> segment_;
};

}  // namespace peal::test
