// Errors and their codes.
#include <peal/peal.hpp>
#include <system_error>

// case: an errc converts to a std::error_code
// compiles
std::error_code code = peal::errc::truncated;

// case: an errc is no int
// error: cannot convert 'peal::errc' to 'int'
int number = peal::errc::truncated;
