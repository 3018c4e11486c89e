#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/comparison.h"
#include "study/question.h"
#include "study/workbench.h"

#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// One more side of a comparison: the first question with some keys changed.
struct ChangedSide {
    std::string name;  ///< "layout.tp=4"
    std::vector<Edit> edits;
};

struct CompareAsk {
    std::vector<ChangedSide> changes;
    std::string baseline = "A";  ///< a side by its letter or its file
};

/// The questions side by side, and the first of them with each of the changes.
Result<Comparison> compare(std::span<const Question> questions,
                           const CompareAsk& ask,
                           const Workbench& bench,
                           const Watch& watch);

/// "layout.tp=4 layout.pp=2" behind `origin`, as one side.
Result<ChangedSide> changedSide(const std::string& typed, const std::string& origin);

/// The sides of every value but the first of "fsdp2,megatron" behind --stack, as changedSide takes
/// them: "--stack megatron".
Result<std::vector<std::string>> sidesOfValues(const std::string& flag, const std::string& typed);

}  // namespace fabricast
