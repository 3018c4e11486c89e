#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/size_answer.h"
#include "study/question.h"
#include "study/size.h"
#include "study/size_catalogue.h"
#include "study/size_limit.h"
#include "study/size_search.h"
#include "study/workbench.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// The kinds of node that were named and have no cluster among the best, each with the best that it
/// has and the reason. They are searched to their end, as a bound alone gives no numbers.
Result<std::vector<SizeBeaten>> sizeBeaten(std::span<const Question> jobs,
                                           const SizeAsk& ask,
                                           const SizeCatalogue& catalogue,
                                           const Workbench& bench,
                                           const Watch& watch,
                                           SizeSearch& search);

/// Why nothing fits on any kind of node of a catalogue: what its largest number of nodes is short
/// of, in the layout that comes nearest, or what is not modelled.
Result<std::vector<SizeMisfit>> sizeMisfits(std::span<const Question> jobs,
                                            const SizeCatalogue& catalogue,
                                            const Workbench& bench,
                                            const Watch& watch,
                                            SizeWork& work);

/// What reaches targets that no cluster of the ask does: more of the same nodes, and other boxes in
/// the same numbers; of each the best by the aim. None where neither does.
Result<std::vector<SizeWay>> sizeWays(std::span<const Question> jobs,
                                      const SizeAsk& ask,
                                      const Workbench& bench,
                                      const Watch& watch,
                                      SizeWork& work);

/// What jobs state without effect on any of their plans on these clusters, by job.
Result<std::vector<std::string>> idleInJobs(std::span<const Question> jobs,
                                            std::span<const SizedCluster* const> shown,
                                            const SizeCatalogue& catalogue,
                                            const Workbench& bench);

/// What is assumed of the clusters that an answer shows: once where it is so of all of them, else
/// with the name of the box. What the catalogue has besides says nothing.
Result<std::vector<std::string>> sizeNotes(std::span<const Question> jobs,
                                           const SizeAsk& ask,
                                           const SizeCatalogue& catalogue,
                                           const SizeAnswer& answer,
                                           const Workbench& bench);

/// What a target is about, in its unit; nothing where it is not known.
std::optional<Headline<double>> valueOf(const SizedCluster& cluster, SizeMetric metric);

/// Whether the whole interval of the forecast reaches a target, none of it does, or a part: as
/// `check` judges requirements.
CheckVerdict verdictOn(const SizedCluster& cluster, const SizeTarget& target);

/// How many times the middle of the forecast is too slow, too long or too dear; 1 at most where the
/// target is reached, and endless where the number is not known.
double missRatio(const SizedCluster& cluster, const SizeTarget& target);

}  // namespace fabricast
