#pragma once
#include "probes/record/answer.h"

#include <functional>
#include <vector>

namespace fabricast::probe {

/// When enough has been seen of one point: `least` samples always, then until the median is known
/// to `error` (a share of it), but no more than `most` samples and no longer than `seconds`.
struct SampleRule {
    std::size_t least = 5;
    std::size_t most = 200;
    double error = 0.003;
    double seconds = 1.0;
};

/// Repeats `once`, which answers how long it took, until the rule or an interrupt says enough. The
/// first `warmUps` times are not kept. An interrupted loop keeps what it has.
Answer<std::vector<double>> sampled(const SampleRule& rule,
                                    int warmUps,
                                    const std::function<Answer<double>()>& once);

}  // namespace fabricast::probe
