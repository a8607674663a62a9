// What chooses an algorithm, compiled as one. What moves data stays apart, so that the compiler
// weighs each of its files by itself.
#include "collective/choice/choice.cpp"
#include "collective/choice/cost.cpp"
#include "collective/choice/cost_basis.cpp"
#include "collective/choice/cost_parameters.cpp"
#include "collective/choice/cost_sum.cpp"
#include "collective/choice/tuned_algorithm.cpp"
#include "collective/choice/tuning.cpp"
#include "collective/node_map.cpp"
