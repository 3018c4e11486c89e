#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "study/size_ask.h"
#include "study/size_catalogue.h"

#include <cstddef>
#include <optional>
#include <span>

namespace fabricast {

/// The best plan of every job on a cluster, each by the search that `fabricast plan` does, and what
/// they take together. One that cannot be searched has a reason instead.
Result<SizedCluster> sizedCluster(std::span<const Question> jobs,
                                  const SizeLine& line,
                                  std::int64_t nodes,
                                  const SizeAsk& ask,
                                  const Workbench& bench,
                                  std::size_t threads,
                                  const Watch& watch);

/// Of an aim: dollars, seconds, watts or GPUs; nothing where it is not known.
std::optional<double> valueOf(const SizedCluster& cluster, SizeAim aim);
std::optional<double> valueOf(const SizeBound& bound, SizeAim aim);

/// Whether what cannot be better than the bound may reach all targets.
bool mayMeet(const SizeBound& bound, std::span<const SizeTarget> targets);

/// Of two that reach the targets: the one with less of the aim; of equals the faster, then the
/// cheaper, then the one that needs less power and fewer GPUs.
bool isBetter(const SizedCluster& a, const SizedCluster& b, SizeAim aim);

/// Whether `a` is as good as `b` at least in money, time and power. A number that is not known is
/// no better than any.
bool isAsGood(const SizedCluster& a, const SizedCluster& b);
bool isAsGood(const SizedCluster& a, const SizeBound& b);

}  // namespace fabricast
