#pragma once
#include "study/said_value.h"

#include <algorithm>
#include <array>

namespace fabricast {

/// Whether a question says which hardware it is about: how many there are of it is not which.
inline bool saysHardware(const Question& question) {
    constexpr std::array kWhich = {"cluster.name", "cluster.node", "cluster.gpu"};
    return std::ranges::any_of(
        kWhich, [&question](const char* key) { return saidValue(question, key).has_value(); });
}

}  // namespace fabricast
