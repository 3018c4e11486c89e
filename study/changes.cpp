#include "study/changes.h"

#include "study/change_offers.h"
#include "study/search_request.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace fabricast {
namespace {

constexpr std::uint8_t kMemory = static_cast<std::uint8_t>(Aim::Memory);
constexpr std::uint8_t kSpeed = static_cast<std::uint8_t>(Aim::Speed);
constexpr std::uint8_t kTarget = static_cast<std::uint8_t>(Aim::Target);
constexpr std::uint8_t kFewer = static_cast<std::uint8_t>(Aim::Fewer);
constexpr std::uint8_t kOtherTraining = static_cast<std::uint8_t>(Aim::Training);
constexpr std::uint8_t kMore = static_cast<std::uint8_t>(Aim::Buy);

struct Row {
    std::uint8_t aims;
    FixGroup group;
    int effort;
    const char* kind;
    const char* sideEffect;
    offers::Offer* offer;
};

constexpr const char* kUnmeasured = "no measured side effect";
constexpr FixGroup kFree = FixGroup::Free;
constexpr FixGroup kWorkload = FixGroup::Workload;
constexpr FixGroup kBuy = FixGroup::Buy;

// Of changes of one effort that help alike the first is suggested.
constexpr std::array kRows = {
    Row{kSpeed | kTarget,
        kFree,
        0,
        "compile",
        "minutes of compilation before the first step",
        &offers::compile},
    Row{kTarget, kFree, 0, "overlap", kUnmeasured, &offers::overlapReduceAndGather},
    Row{kSpeed, kFree, 0, "overlap", kUnmeasured, &offers::overlapGradReduce},
    Row{kSpeed, kFree, 0, "overlap", kUnmeasured, &offers::overlapParamGather},
    Row{kSpeed | kTarget,
        kFree,
        0,
        "tensor overlap",
        "user buffers in GPU memory",
        &offers::tensorOverlap},
    Row{kSpeed | kTarget,
        kFree,
        0,
        "expert overlap",
        "two microbatches are under way: more memory",
        &offers::overlapExperts},
    Row{kSpeed | kTarget,
        kFree,
        0,
        "expert dispatch",
        "needs DeepEP or HybridEP",
        &offers::sendOncePerNode},
    Row{kMemory, kFree, 0, "sequence", kUnmeasured, &offers::splitSequence},
    Row{kMemory | kSpeed, kFree, 0, "attention", "needs its kernel", &offers::fusedAttention},
    Row{kSpeed, kFree, 0, "attention", "needs its kernel", &offers::skipOutsideWindows},
    Row{kSpeed, kFree, 0, "TF32", "products keep 10 bits after the point", &offers::roundToTf32},
    Row{kMemory | kTarget, kFree, 0, "loss", kUnmeasured, &offers::chunkedLoss},
    Row{kMemory | kSpeed | kTarget, kFree, 0, "loss", "needs liger-kernel", &offers::ligerKernels},
    Row{kMemory | kTarget,
        kFree,
        0,
        "kept logits",
        "prediction_loss_only, or preprocess_logits_for_metrics that keeps a number a token",
        &offers::keepNoLogits},
    Row{kMemory | kTarget,
        kFree,
        0,
        "evaluation",
        "per_device_eval_batch_size: an evaluation has more batches",
        &offers::smallerEvaluation},
    Row{kMemory | kTarget,
        kFree,
        0,
        "loading",
        "weights are read on the host",
        &offers::loadShards},
    Row{kMemory | kTarget,
        kFree,
        0,
        "checkpoint",
        "each unit goes to the host by itself",
        &offers::saveUnitByUnit},
    Row{kMemory,
        kFree,
        0,
        "units",
        "fully_shard each layer before the model",
        &offers::unitsByLayer},
    Row{kMemory, kFree, 0, "buckets", "gradients are views of buckets", &offers::bucketView},
    Row{kMemory,
        kFree,
        1,
        "sync",
        "gradients are reduced in every micro-step",
        &offers::reduceEveryMicroBatch},
    Row{kMemory, kFree, 1, "recompute", "a few percent more compute", &offers::recomputeSelective},
    Row{kMemory,
        kFree,
        1,
        "recompute",
        "some modules are computed again",
        &offers::recomputeModules},
    Row{kMemory, kFree, 1, "recompute", "about a third more compute", &offers::recomputeFull},
    Row{kSpeed, kFree, 1, "recompute", "more memory", &offers::recomputeLess},
    Row{kMemory,
        kFree,
        1,
        "micro_batch",
        "more and smaller microbatches: less efficient kernels",
        &offers::smallerMicroBatch},
    Row{kSpeed, kFree, 2, "counts", "another division of the ranks", &offers::otherCounts},
    Row{kSpeed, kFree, 2, "micro_batch", "more sequences at once", &offers::otherMicroBatch},
    Row{kMemory,
        kWorkload,
        1,
        "lora base",
        "every pass dequantises: check convergence",
        &offers::fourBitBase},
    Row{kMemory | kTarget,
        kWorkload,
        1,
        "lora constants",
        "the scales of the 4 bits are quantised too",
        &offers::quantizedConstants},
    Row{kMemory | kTarget,
        kWorkload,
        1,
        "optimizer",
        "moments in 8 bits: check convergence",
        &offers::moments8bit},
    Row{kMemory, kFree, 1, "offload", "the optimizer runs on the CPUs", &offers::offloadOptimizer},
    Row{kMemory,
        kFree,
        2,
        "offload",
        "parameters too are on the host, and cross for every layer",
        &offers::offloadParameters},
    Row{kMemory,
        kFree,
        2,
        "offload",
        "what backward needs crosses to the host and back",
        &offers::offloadActivations},
    Row{kMemory, kFree, 1, "offload", "fewer states on the host", &offers::offloadLess},
    Row{kSpeed, kFree, 1, "offload", "states are on the GPUs: more memory", &offers::offloadLess},
    Row{kMemory, kFree, 2, "shard", "gradients are reduced in every micro-step", &offers::shardTwo},
    Row{kMemory, kFree, 2, "shard", "parameters are gathered for every layer", &offers::shardThree},
    Row{kMemory, kFree, 2, "shard", "parameters are gathered across nodes", &offers::shardOverAll},
    Row{kMemory, kFree, 2, "axes", "collectives inside every layer", &offers::moreTensor},
    Row{kMemory,
        kFree,
        2,
        "axes",
        "a pipeline bubble, small with many microbatches",
        &offers::morePipeline},
    Row{kMemory,
        kFree,
        2,
        "axes",
        "keys and values are exchanged between ranks",
        &offers::moreContext},
    Row{kMemory,
        kFree,
        2,
        "axes",
        "tokens are sent to their experts and back",
        &offers::moreExperts},
    Row{kTarget, kFree, 1, "free", "", &offers::freeKeys},
    Row{kTarget, kFree, 1, "forbid", "such layouts are searched too", &offers::allowForbidden},
    Row{kTarget,
        kFree,
        2,
        "allow",
        "tensor parallelism over the network",
        &offers::tensorAcrossNodes},
    Row{kTarget, kFree, 3, "stack", "different training software", &offers::otherStacks},
    Row{kTarget,
        kWorkload,
        1,
        "batch",
        "different batch: other learning rate and convergence",
        &offers::otherBatch},
    Row{kTarget,
        kWorkload,
        3,
        "sequence",
        "shorter sequences: no training on longer ones",
        &offers::shorterSequence},
    Row{kTarget, kWorkload, 1, "precision", "lower precision: check the loss", &offers::fewerBits},
    Row{kTarget | kOtherTraining,
        kWorkload,
        2,
        "precision",
        "no fp32 copy of the weights: less exact",
        &offers::pureBf16},
    Row{kTarget | kOtherTraining,
        kWorkload,
        4,
        "tuning",
        "only adapters are trained",
        &offers::adaptersOnly},
    Row{kTarget | kMore, kBuy, 3, "cluster", "other GPUs: ", &offers::otherGpus},
    Row{kMemory | kTarget,
        kBuy,
        0,
        "host memory",
        " times the memory of each host",
        &offers::moreHostMemory},
    Row{kMemory, kBuy, 0, "drives", " times the drives of each node", &offers::moreDrives},
    Row{kTarget, kBuy, 0, "nodes", " times the hardware", &offers::moreNodes},
    Row{kMemory,
        kBuy,
        1,
        "nodes",
        " times the hardware, states over more ranks",
        &offers::moreShards},
    Row{kMore, kBuy, 1, "nodes", " times the hardware", &offers::moreRanks},
    Row{kFewer, kBuy, 1, "fewer nodes", "fewer GPUs: a longer run", &offers::fewerRanks},
    Row{kTarget | kMore, kBuy, 1, "fabric", "other NICs and switches", &offers::otherFabrics}};

/// The default of a search grows with the GPUs, and of long sequences shrinks: with the batch of
/// the answer a change is compared with it by what it is itself. Other GPUs are as many.
bool movesDefaultBatch(const Change& change, const ChangeSubject& subject) {
    return !says(subject.question, "workload.global_batch") && change.kind != "cluster" &&
           std::ranges::any_of(change.edits, [](const Edit& edit) {
               return edit.path == "cluster.nodes" || edit.path == "cluster.gpus" ||
                      edit.path == "workload.sequence";
           });
}

/// Whether a change holds what the question's own rules leave out of a search.
bool isForbidden(const Change& change, const Question& question) {
    const auto isOfLayout = [](const Edit& edit) { return edit.path.starts_with("layout."); };
    if (searchWords(question, "forbid").empty() || std::ranges::none_of(change.edits, isOfLayout)) {
        return false;
    }
    const Result<Question> changed = with(question, change.edits);
    return changed && forbidsWhatItHolds(*changed);
}

}  // namespace

std::vector<Change> changesFor(Aim aim, const ChangeSubject& subject) {
    std::vector<Change> changes;
    for (const Row& row : kRows) {
        if ((row.aims & static_cast<std::uint8_t>(aim)) == 0) {
            continue;
        }
        offers::Offers offered({.group = row.group,
                                .effort = row.effort,
                                .kind = row.kind,
                                .edits = {},
                                .sideEffect = row.sideEffect});
        row.offer(subject, offered);
        for (Change& change : std::move(offered).take()) {
            if (isForbidden(change, subject.question)) {
                continue;
            }
            change.place = changes.size();
            if (aim == Aim::Target && movesDefaultBatch(change, subject)) {
                change.edits.push_back({"workload.global_batch",
                                        std::to_string(subject.now.workload.globalBatch),
                                        "--global-batch"});
            }
            changes.push_back(std::move(change));
        }
    }
    return changes;
}

}  // namespace fabricast
