#pragma once
#include "study/changes.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast::offers {

using Edits = std::vector<Edit>;

/// Gathers the changes of one row of the catalogue.
class Offers {
public:
    explicit Offers(Change row) : row_(std::move(row)) {}

    /// `more` is the effort beyond that of the row.
    Change& add(Edits edits, int more = 0) {
        Change change = row_;
        change.effort += more;
        change.edits = std::move(edits);
        offered_.push_back(std::move(change));
        return offered_.back();
    }
    std::vector<Change> take() && { return std::move(offered_); }

private:
    Change row_;
    std::vector<Change> offered_;
};

/// What one row of the catalogue offers for a question.
using Offer = void(const ChangeSubject& subject, Offers& offers);

// Settings that change nothing of the training.
Offer compile, overlapReduceAndGather, overlapGradReduce, overlapParamGather, tensorOverlap,
    overlapExperts, sendOncePerNode, splitSequence, fusedAttention, skipOutsideWindows, roundToTf32,
    chunkedLoss, ligerKernels, bucketView, unitsByLayer, reduceEveryMicroBatch;
// What a run does beside its steps.
Offer smallerEvaluation, keepNoLogits, loadShards, saveUnitByUnit;
// Keys of the layout.
Offer recomputeSelective, recomputeModules, recomputeFull, recomputeLess, smallerMicroBatch,
    otherMicroBatch, otherCounts, shardTwo, shardThree, shardOverAll, offloadOptimizer,
    offloadParameters, offloadActivations, offloadLess, moreTensor, morePipeline, moreContext,
    moreExperts;
// What the question itself rules out of a search.
Offer freeKeys, allowForbidden, tensorAcrossNodes, otherStacks;
// Another training.
Offer otherBatch, shorterSequence, fewerBits, pureBf16, moments8bit, adaptersOnly, fourBitBase,
    quantizedConstants;
// More or other hardware.
Offer otherGpus, moreNodes, moreHostMemory, moreDrives, moreRanks, moreShards, fewerRanks,
    otherFabrics;

Edit setting(std::string path, std::string value);
Edit layoutKey(std::string_view key, std::string value);
Edit layoutKey(std::string_view key, std::int64_t value);
/// With the sizes of shard groups left open, which other ranks change.
Edits withOpenShards(const ChangeSubject& subject, Edits edits);
bool has(const ChangeSubject& subject, std::string_view stack);
bool isSearch(const ChangeSubject& subject);
bool isMegatron(const ChangeSubject& subject);

}  // namespace fabricast::offers
