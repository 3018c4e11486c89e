#pragma once
#include "probes/mpi/rank_group.h"
#include "probes/record/answer.h"
#include "probes/record/run_points.h"

#include <functional>
#include <vector>

namespace fabricast::probe {

/// Times what all members of a group do at once, again and again: each begins when all have come,
/// and a sample is the seconds of the slowest. Rank 0, which must be a member, says how often. The
/// samples are of use on rank 0; the others have none.
std::vector<double> timedTogether(Wire& wire,
                                  const RankGroup& group,
                                  const SampleRule& rule,
                                  int warmUps,
                                  const std::function<void()>& work);

}  // namespace fabricast::probe
