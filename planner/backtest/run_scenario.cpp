#include "planner/backtest/run_readings.h"
#include "planner/stack/stack.h"

#include <algorithm>
#include <string_view>

namespace fabricast {

namespace {

Shard shardOf(const std::string& text, const Stack& stack) {
    if (text.starts_with("fsdp")) {
        const auto& shards = stack.axes.shards;
        const bool known = std::find(shards.begin(), shards.end(), Shard::Fsdp) != shards.end();
        return known ? Shard::Fsdp : Shard::Zero3;
    }
    static const std::pair<std::string_view, Shard> kNames[] = {{"zero1", Shard::Zero1},
                                                                {"zero2", Shard::Zero2},
                                                                {"zero3", Shard::Zero3},
                                                                {"hsdp", Shard::Hsdp}};
    for (const auto& [name, shard] : kNames) {
        if (text == name) {
            return shard;
        }
    }
    if (text.empty() && !stack.axes.shards.empty()) {
        return stack.axes.shards.front();
    }
    return Shard::None;
}

CpKind cpKindOf(const std::string& text) {
    if (text.starts_with("a2a+p2p") || text.starts_with("hier")) {
        return CpKind::Hierarchical;
    }
    if (text.starts_with("a2a") || text.find("ulysses") != std::string::npos) {
        return CpKind::Ulysses;
    }
    return text.starts_with("all") ? CpKind::AllGather : CpKind::Ring;
}

Result<void> checkProduct(const PublishedRun& run, const Layout& layout) {
    if (layout.world() == *run.gpus) {
        return {};
    }
    return fail(Error::Code::BadInput,
                "dp",
                "tp " + std::to_string(layout.tp) + " x pp " + std::to_string(layout.pp) +
                    " x cp " + std::to_string(layout.cp) + " x dp " + std::to_string(layout.dp) +
                    " = " + std::to_string(layout.world()) + ", but there are " +
                    std::to_string(*run.gpus) + " GPUs");
}

/// DGX Cloud's recipes interleave; not all of their tables have a column that says so. Every layer
/// is a chunk then, where stages have equally many.
std::int64_t virtualStages(const PublishedRun& run, const Layout& layout) {
    const std::int64_t said = std::max<std::int64_t>(1, run.vpp.value_or(1));
    const std::int64_t layers = run.layers.value_or(0);
    const bool interleaves = said == 1 && layout.pp > 1 && mentions(run.framework, "dgx cloud") &&
                             layers > 0 && layers % layout.pp == 0;
    return interleaves ? layers / layout.pp : said;
}

/// DeepEP spreads experts: over all data-parallel ranks where a table of its runs leaves the column
/// empty, as the recipes do.
std::int64_t expertRanks(const PublishedRun& run, const Layout& layout) {
    const std::int64_t said = std::max<std::int64_t>(1, run.ep.value_or(1));
    const bool unsaid = said == 1 && !run.experts.empty() && mentions(run.notes, "deepep");
    return unsaid ? layout.dp : said;
}

Result<Layout> layoutOf(const PublishedRun& run, const Stack& stack) {
    Layout layout;
    layout.tp = run.tp.value_or(1);
    layout.pp = run.pp.value_or(1);
    layout.cp = run.cp.value_or(1);
    layout.vpp = virtualStages(run, layout);
    const std::int64_t inner = layout.tp * layout.pp * layout.cp;
    if (inner <= 0 || inner > *run.gpus) {
        return fail(Error::Code::BadInput, "tp", "tp x pp x cp does not fit the row's GPUs");
    }
    layout.dp = run.dp.value_or(*run.gpus / inner);
    layout.ep = expertRanks(run, layout);
    layout.etp = std::max<std::int64_t>(1, run.etp.value_or(layout.ep > 1 ? 1 : layout.tp));
    layout.cpKind = cpKindOf(run.cpKind);
    FABRICAST_TRY(checkProduct(run, layout));
    layout.shard = shardOf(run.shard, stack);
    layout.offload = layersOnHost(run) > 0 ? Offload::Activations : Offload::None;
    const LayoutDefaults defaults = layoutDefaults(stack, layout);
    layout.sp = layout.tp > 1 && (run.sp == "y" || (run.sp.empty() && defaults.sp));
    if (layout.pp > 1) {
        layout.schedule = layout.vpp > 1 ? ScheduleKind::Interleaved : ScheduleKind::OneFOneB;
    }
    if (run.microBatch.value_or(0) <= 0) {
        return fail(Error::Code::BadInput, "micro_batch", "the cell is empty");
    }
    layout.microBatch = *run.microBatch;
    return layout;
}

Result<std::int64_t> batchOf(const PublishedRun& run, const Layout& layout) {
    const std::int64_t round = layout.microBatch * layout.dp;
    const std::int64_t batch = run.globalBatch.value_or(run.accumulation.value_or(0) * round);
    if (batch <= 0) {
        return fail(Error::Code::BadInput, "global_batch", "the cell is empty");
    }
    if (batch % round != 0) {
        return fail(Error::Code::BadInput,
                    "global_batch",
                    std::to_string(batch) +
                        " is not a multiple of micro_batch x dp = " + std::to_string(round));
    }
    const std::int64_t steps = run.accumulation.value_or(0);
    if (steps > 0 && batch / round != steps) {
        return fail(Error::Code::BadInput,
                    "grad_accum",
                    std::to_string(steps) + ", but a global_batch of " + std::to_string(batch) +
                        " is " + std::to_string(batch / round) +
                        " x micro_batch x dp = " + std::to_string(round));
    }
    return batch;
}

}  // namespace

Result<RunScenario> runScenario(const PublishedRun& run, const RunCatalog& catalog) {
    if (run.unreadable) {
        return tl::unexpected(*run.unreadable);
    }
    FABRICAST_TRY(checkLimits(run));
    FABRICAST_TRY(checkWords(run));
    RunScenario result;
    Scenario& scenario = result.scenario;
    FABRICAST_ASSIGN(const Stack* stack, stackOf(run));
    scenario.stack = stack->name;
    FABRICAST_ASSIGN(scenario.model, catalog.modelOf(run));
    FABRICAST_ASSIGN(scenario.cluster, catalog.clusterOf(run));
    FABRICAST_ASSIGN(scenario.layout, layoutOf(run, *stack));
    if (run.sequence.value_or(0) <= 0) {
        return fail(Error::Code::BadInput, "seq", "the cell is empty");
    }
    scenario.workload.sequence = *run.sequence;
    FABRICAST_ASSIGN(scenario.workload.globalBatch, batchOf(run, scenario.layout));
    FABRICAST_TRY(applySettings(run, *stack, result));
    if (scenario.settings.engine == Engine::Megatron && scenario.model.normsPerLayer != 2) {
        scenario.model.normsPerLayer = 2;
        scenario.model.normPlacement = NormPlacement::Before;
        result.assumed.push_back("model: Megatron's layer, with two norms");
    }
    return result;
}

}  // namespace fabricast
