// launcher/pealrun/request/help.hpp
// How --help looks: the usage once, options in groups, lines that fit a terminal of 80 columns.
// The completions of the shells read it: an option stands at the beginning of a line behind two
// spaces, then what it takes, with | between words of which one is to be chosen.
//
// Layer    launcher.
// Errors   none.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace peal::launcher {

class help_format : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App*, std::string usage, CLI::AppFormatMode) const override;
  std::string make_option(const CLI::Option*, bool is_positional) const override;
};

/// The text in lines of at most `width` columns, behind `indent` spaces each.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t width = 80);
/// The one of `names` that the user may have meant by `word`; empty: none is like it.
std::string nearest_to(const std::string& word, const std::vector<std::string>& names);

}  // namespace peal::launcher
