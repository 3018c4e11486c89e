#include "planner/base/integers.h"
#include "planner/comm/engine_calls.h"
#include "planner/comm/flat_groups.h"
#include "planner/sharding/rank_tensors.h"
#include "planner/sharding/zero3_coordinator.h"
#include "planner/sharding/zero_partition.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// The ranks a weight is cut over: those that have the same experts, or all.
struct CutOver {
    GroupKind kind = GroupKind::DataContext;
    std::int64_t ranks = 1;
};

CutOver cutOver(const StageView& view, const RankTensor& tensor) {
    return partsExperts(view) && tensor.isExpert()
               ? CutOver{GroupKind::ExpertData, view.layout().expertReplicas()}
               : CutOver{GroupKind::DataContext, view.shards};
}

CommCall gatherCall(const StageView& view,
                    CommPhase phase,
                    GroupKind group,
                    std::int64_t elements) {
    return {.group = group,
            .op = CommOp::AllGather,
            .type = wireType(view.settings().precision.parameters),
            .phase = phase,
            .use = CommUse::ParameterGather,
            .place = CommPlace::Block,
            .elements = elements,
            .times = view.microBatches};
}

CommPhase phaseOf(TracePass pass) {
    switch (pass) {
        case TracePass::Forward:
            return CommPhase::Forward;
        case TracePass::Recompute:
            return CommPhase::Recompute;
        case TracePass::Backward:
            break;
    }
    return CommPhase::Backward;
}

/// How often each number of elements, padded to the ranks, is gathered.
using Gathers = std::map<std::tuple<CommPhase, GroupKind, std::int64_t>, std::int64_t>;

/// A weight as it is gathered: padded to the ranks it is cut over.
struct PaddedWeight {
    GroupKind group = GroupKind::DataContext;
    std::int64_t elements = 0;
};

/// What DeepSpeed cuts of a weight: codes of 4 bits lie in numbers of the model's type.
std::int64_t numbersOf(const StageView& view, const RankTensor& tensor) {
    return isPacked(view.settings(), tensor) ? packedNumbers(tensor) : tensor.elements();
}

std::vector<PaddedWeight> paddedWeights(const StageView& view, const ModelWeights& model) {
    std::vector<PaddedWeight> padded;
    for (const RankTensor& tensor : model.tensors) {
        const CutOver cut = cutOver(view, tensor);
        padded.push_back({cut.kind, roundUp(numbersOf(view, tensor), cut.ranks)});
    }
    return padded;
}

/// Counts the gathers of one forward and backward, `times` times.
void countGathers(Gathers& gathers,
                  Zero3Coordinator& coordinator,
                  const ModuleTrace& trace,
                  const std::vector<PaddedWeight>& padded,
                  std::int64_t times) {
    const auto count = [&](const ParameterIds& list, TracePass pass) {
        std::map<GroupKind, std::int64_t> elements;
        for (const std::size_t parameter : list) {
            elements[padded[parameter].group] += padded[parameter].elements;
        }
        for (const auto& [group, sum] : elements) {
            gathers[{phaseOf(pass), group, sum}] += times;
        }
    };
    coordinator.beginPass();
    for (const ModuleEvent& event : trace.events) {
        const auto module = static_cast<std::int64_t>(event.module);
        const bool inBackward = event.pass == TracePass::Backward;
        if (!event.enter) {
            coordinator.leave(module, trace.own[event.module], inBackward);
            continue;
        }
        const auto entered = coordinator.enter(module, trace.own[event.module], inBackward);
        count(entered.missing, event.pass);
        count(entered.ahead, event.pass);
    }
    coordinator.endPass();
}

std::vector<std::int64_t> elementsOf(const StageView& view, const ModelWeights& model) {
    std::vector<std::int64_t> elements;
    for (const RankTensor& tensor : model.tensors) {
        elements.push_back(numbersOf(view, tensor));
    }
    return elements;
}

void addWeightGathers(Calls& calls, const StageView& view, const ModelWeights& model) {
    const std::vector<std::int64_t> elements = elementsOf(view, model);
    const std::vector<PaddedWeight> padded = paddedWeights(view, model);
    const ModuleTrace trace = moduleTrace(model, view.recomputes());
    std::vector<bool> frozen;
    for (const RankTensor& tensor : model.tensors) {
        frozen.push_back(!tensor.trained);
    }
    Zero3Coordinator coordinator(elements, frozen, zero3Limits(view.settings().deepspeed));
    coordinator.settle(trace, view.microBatches > 1);
    Gathers gathers;
    countGathers(gathers, coordinator, trace, padded, 1);
    if (view.microBatches > 1) {
        countGathers(gathers, coordinator, trace, padded, view.microBatches - 1);
    }
    for (const auto& [key, count] : gathers) {
        const auto& [phase, group, sum] = key;
        CommCall call = gatherCall(view, phase, group, sum);
        const bool even = count % view.microBatches == 0;
        call.times = even ? view.microBatches : 1;
        call.parts = count / call.times;
        add(calls, call);
    }
}

/// Small weights are not freed until the optimizer has changed them, and then gathered one by one.
void addPersistent(Calls& calls, const StageView& view, const ModelWeights& model) {
    std::map<std::pair<GroupKind, std::int64_t>, std::int64_t> alike;
    for (const RankTensor& tensor : model.tensors) {
        const std::int64_t numbers = numbersOf(view, tensor);
        if (numbers <= view.settings().deepspeed.persistenceThreshold) {
            const CutOver cut = cutOver(view, tensor);
            ++alike[{cut.kind, roundUp(numbers, cut.ranks)}];
        }
    }
    for (const auto& [key, count] : alike) {
        CommCall call = gatherCall(view, CommPhase::Optimizer, key.first, key.second);
        call.parts = count;
        call.times = 1;
        add(calls, call);
    }
}

/// A bucket is reduced before a weight that is cut over other ranks, too.
void addScatters(Calls& calls, const StageView& view, const ModelWeights& model) {
    const std::int64_t limit = view.settings().deepspeed.reduceBucket;
    const std::vector<PaddedWeight> padded = paddedWeights(view, model);
    CommCall call{.op = CommOp::ReduceScatter,
                  .type = view.reduce,
                  .phase = CommPhase::Backward,
                  .use = CommUse::GradientReduce,
                  .place = CommPlace::Buckets,
                  .elements = 0,
                  .times = view.microBatches};
    std::int64_t collected = 0;
    const auto flush = [&] {
        if (collected > 0) {
            add(calls, call);
        }
        collected = call.elements = 0;
    };
    for (const std::size_t weight : gradientOrder(model)) {
        const std::int64_t elements = model.tensors[weight].elements();
        if (padded[weight].group != call.group || overflowsBucket(collected, elements, limit)) {
            flush();
        }
        call.group = padded[weight].group;
        collected += elements;
        call.elements += padded[weight].elements;
    }
    flush();
}

/// The norm of each group of weights; of experts it is summed over the ranks with other ones, too.
void addNorms(Calls& calls, const StageView& view, const ModelWeights& model) {
    CommCall norm{.type = WireType::Fp64, .phase = CommPhase::Optimizer, .elements = 1};
    add(calls, norm);
    if (!partsExperts(view)) {
        return;
    }
    const std::vector<FlatGroup> groups = flatGroups(view, model);
    norm.each = std::ranges::count(groups, GroupKind::ExpertData, &FlatGroup::kind);
    for (const GroupKind group : {GroupKind::ExpertData, GroupKind::Expert}) {
        norm.group = group;
        add(calls, norm);
    }
}

void addStepCalls(Calls& calls, const StageView& view, const ModelWeights& model) {
    addPersistent(calls, view, model);
    addNorms(calls, view, model);
}

}  // namespace

Calls zero3Calls(const StageView& view) {
    const ModelWeights model = modelWeights(view);
    Calls calls;
    addWeightGathers(calls, view, model);
    addScatters(calls, view, model);
    addStepCalls(calls, view, model);
    return calls;
}

Calls zero3StepCalls(const StageView& view) {
    Calls calls;
    addStepCalls(calls, view, modelWeights(view));
    return calls;
}

}  // namespace fabricast
