// What chooses an algorithm, compiled as one. What moves data stays apart, so that the compiler
// weighs each of its files by itself.
#include "collective/choice.cpp"
#include "collective/cost.cpp"
#include "collective/cost_basis.cpp"
#include "collective/cost_parameters.cpp"
#include "collective/cost_sum.cpp"
#include "collective/node_map.cpp"
#include "collective/tuning.cpp"
