// launcher/pealrun/report/page/page_tables.hpp
// The tables of the report, as HTML.
//
// Layer    launcher.
// Errors   none.
#pragma once

#include <string>
#include <vector>

#include "report/gathered.hpp"
#include "report/page/heat_map.hpp"
#include "report/summary.hpp"

namespace peal::launcher {

std::string ranks_table(const gathered_run&);
std::string nodes_table(const std::vector<node_sum>&);
std::string calls_table(const gathered_run&);
std::string places_table(const std::vector<place_sum>&);
std::string pairs_table(std::vector<pair_traffic>, int ranks);
std::string lengths_table(const std::vector<record::length_class>&);
std::string algorithms_table(const gathered_run&);
std::string counters_table(const std::vector<counter_sum>&);

}  // namespace peal::launcher
