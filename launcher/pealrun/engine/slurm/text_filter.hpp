// launcher/pealrun/engine/slurm/text_filter.hpp
// Passes on what ranks write, at once, but for lines that Slurm's daemons write among it.
//
// Layer    launcher.
// Units    bytes; a line ends with a newline.
// Threads  one.
// Errors   none.
#pragma once

#include <string>
#include <string_view>

namespace peal::launcher {

class text_filter {
 public:
  /// `labelled`: lines begin with a rank, a colon and a space.
  explicit text_filter(bool labelled) : labelled_{labelled} {}

  /// What is to be shown now. Held back is only a beginning of a line that may become one of the
  /// daemons'.
  std::string pass(std::string_view bytes);
  /// What was held back, at the end.
  std::string rest();

 private:
  [[nodiscard]] bool may_be_a_daemons() const;
  [[nodiscard]] bool is_unwanted() const;

  bool labelled_;
  bool holding_ = true;  // at the beginning of a line
  std::string held_;
};

}  // namespace peal::launcher
