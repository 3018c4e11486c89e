#pragma once
#include "planner/base/words.h"

#include <string>
#include <vector>

namespace fabricast {

/// One price that was given is that of every GPU that is compared; empty: there is one GPU.
inline std::string onePriceNote(const std::vector<std::string>& gpus) {
    return gpus.size() > 1
               ? "the price that was given is that of every GPU here: " + joined(gpus, ", ") +
                     " (--price " + gpus.front() + "=2.10," + gpus.back() +
                     "=3.50 says one of each)"
               : std::string();
}

}  // namespace fabricast
