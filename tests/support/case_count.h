#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace fabricast {

/// How many cases of made-up input a test tries: as many as usual, or the percentage of them that
/// FABRICAST_FUZZ_PERCENT says.
inline std::size_t cases(std::size_t usual) {
    const char* const percent = std::getenv("FABRICAST_FUZZ_PERCENT");
    return percent == nullptr ? usual
                              : std::max<std::size_t>(
                                    1, usual * static_cast<std::size_t>(std::atol(percent)) / 100);
}

}  // namespace fabricast
