#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "study/size.h"
#include "study/size_catalogue.h"
#include "study/size_limit.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace fabricast {

/// A search of a cluster. Where `isCut` it ended as soon as the cluster could not be of use any
/// more, and the cluster has no plans; what was proved until then is `known`.
struct SizeTry {
    SizedCluster cluster;
    bool isCut = false;
    SizeKnown known{};
    std::int64_t walked = 0;  ///< by its searches
    bool isCutShort = false;  ///< one of them reached its limit
};

/// How clusters are searched.
struct SizeSearcher {
    std::span<const Question> jobs;
    const SizeAsk& ask;
    const Workbench& bench;
    const Watch& watch;
};

/// The best plan of every job on a cluster, each by the search that `fabricast plan` does, and what
/// they take together. One that has no plan has a reason.
Result<SizeTry> tryCluster(const SizeSearcher& searcher,
                           const SizeLine& line,
                           const SizeAmount& amount,
                           const SizeLimit& limit,
                           std::size_t threads);

/// What is known of a cluster before it is searched.
SizedCluster bareCluster(const SizeLine& line, const SizeAmount& amount);

/// Why a run of the plan never ends, or hardly: failures come faster than it recovers; empty: it
/// does.
std::string whyNoEnd(const Plan& plan);

/// Of an aim: dollars, seconds, watts or GPUs; nothing where it is not known.
std::optional<double> valueOf(const SizedCluster& cluster, SizeAim aim);
std::optional<double> valueOf(const SizeBound& bound, SizeAim aim);

/// Of two that reach the targets: the one with less of the aim; of equals the faster, then the
/// cheaper, then the one that needs less power and fewer GPUs.
bool isBetter(const SizedCluster& a, const SizedCluster& b, SizeAim aim);

/// Whether `a` is as good as `b` at least in money, time and power. A number that is not known is
/// no better than any.
bool isAsGood(const SizedCluster& a, const SizedCluster& b);
}  // namespace fabricast
