#include "planner/base/integers.h"
#include "planner/comm/data_parallel_calls.h"
#include "planner/sharding/zero3_coordinator.h"
#include "planner/sharding/zero_partition.h"

#include <map>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

CommCall gatherCall(const StageView& view, CommPhase phase, std::int64_t elements) {
    return {.op = CommOp::AllGather,
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
using Gathers = std::map<std::pair<CommPhase, std::int64_t>, std::int64_t>;

/// Counts the gathers of one forward and backward, `times` times.
void countGathers(Gathers& gathers,
                  Zero3Coordinator& coordinator,
                  const ModuleTrace& trace,
                  const std::vector<std::int64_t>& padded,
                  std::int64_t times) {
    const auto count = [&](const ParameterIds& list, TracePass pass) {
        std::int64_t elements = 0;
        for (const std::size_t parameter : list) {
            elements += padded[parameter];
        }
        if (!list.empty()) {
            gathers[{phaseOf(pass), elements}] += times;
        }
    };
    coordinator.beginPass();
    for (const ModuleEvent& event : trace.events) {
        const auto module = static_cast<std::int64_t>(event.module);
        if (!event.enter) {
            coordinator.leave(module, trace.own[event.module]);
            continue;
        }
        const auto entered = coordinator.enter(module, trace.own[event.module]);
        count(entered.missing, event.pass);
        count(entered.ahead, event.pass);
    }
    coordinator.endPass();
}

std::vector<std::int64_t> elementsOf(const ModelWeights& model) {
    std::vector<std::int64_t> elements;
    for (const RankTensor& tensor : model.tensors) {
        elements.push_back(tensor.elements());
    }
    return elements;
}

void addWeightGathers(Calls& calls, const StageView& view, const ModelWeights& model) {
    const std::vector<std::int64_t> elements = elementsOf(model);
    std::vector<std::int64_t> padded;
    for (const std::int64_t count : elements) {
        padded.push_back(roundUp(count, view.shards));
    }
    const ModuleTrace trace = moduleTrace(model, view.recomputes());
    Zero3Coordinator coordinator(elements, zero3Limits(view.settings().deepspeed));
    coordinator.settle(trace, view.microBatches > 1);
    Gathers gathers;
    countGathers(gathers, coordinator, trace, padded, 1);
    if (view.microBatches > 1) {
        countGathers(gathers, coordinator, trace, padded, view.microBatches - 1);
    }
    for (const auto& [key, count] : gathers) {
        CommCall call = gatherCall(view, key.first, key.second);
        const bool even = count % view.microBatches == 0;
        call.times = even ? view.microBatches : 1;
        call.parts = count / call.times;
        add(calls, call);
    }
}

/// Small weights are not freed until the optimizer has changed them, and then gathered one by one.
void addPersistent(Calls& calls, const StageView& view, const ModelWeights& model) {
    std::map<std::int64_t, std::int64_t> alike;
    for (const RankTensor& tensor : model.tensors) {
        if (tensor.elements() <= view.settings().deepspeed.persistenceThreshold) {
            ++alike[roundUp(tensor.elements(), view.shards)];
        }
    }
    for (const auto& [elements, count] : alike) {
        CommCall call = gatherCall(view, CommPhase::Optimizer, elements);
        call.parts = count;
        call.times = 1;
        add(calls, call);
    }
}

}  // namespace

Calls zero3Calls(const StageView& view) {
    const ModelWeights model = modelWeights(view);
    Calls calls;
    addWeightGathers(calls, view, model);
    const std::vector<std::int64_t> elements = elementsOf(model);
    const std::int64_t limit = view.settings().deepspeed.reduceBucket;
    for (const ZeroBucket& bucket : zeroBuckets(gradientOrder(model), elements, limit)) {
        std::int64_t padded = 0;
        for (const std::size_t weight : bucket.parameters) {
            padded += roundUp(elements[weight], view.shards);
        }
        add(calls,
            {.op = CommOp::ReduceScatter,
             .type = view.reduce,
             .phase = CommPhase::Backward,
             .use = CommUse::GradientReduce,
             .place = CommPlace::Buckets,
             .elements = padded,
             .times = view.microBatches});
    }
    addPersistent(calls, view, model);
    add(calls, {.type = WireType::Fp64, .phase = CommPhase::Optimizer, .elements = 1});
    return calls;
}

}  // namespace fabricast
