#pragma once
#include <stdexcept>

namespace fabricast {

/// This is our own mistake, found while running. No input can cause one; only `main` catches it,
/// and reports a bug.
class CheckFailure : public std::logic_error {
public:
    CheckFailure(const char* condition, const char* file, int line);
};

}  // namespace fabricast

/// `FABRICAST_CHECK(stage < layout.pp);` is always on, and for programmers' errors only: what a
/// user wrote is refused with a Result.
#define FABRICAST_CHECK(condition)                                           \
    do {                                                                     \
        if (!(condition)) {                                                  \
            throw ::fabricast::CheckFailure(#condition, __FILE__, __LINE__); \
        }                                                                    \
    } while (false)
