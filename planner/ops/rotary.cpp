#include "planner/ops/dense_layer.h"
#include "planner/ops/hf_code.h"
#include "planner/ops/hf_positions.h"

#include <algorithm>

namespace fabricast {

namespace {

/// transformers' tables have the type of the embedded tokens, but where its code says otherwise.
std::int64_t rotaryWidth(const Scenario& scenario) {
    constexpr std::int64_t kWide = 4;
    return hfCodeOf(scenario).rotatesWide ? kWide : residualWidth(scenario.settings);
}

/// How many sequences of a batch tables have rows for.
std::int64_t sequencesOf(const Scenario& scenario) {
    return hfCodeOf(scenario).rotatesEachSequence ? rankShape(scenario).batch : 1;
}

/// What is crossed is made in its own type, and cast.
TensorId rotateWide(OpBuilder& g, const Rotary& table, TensorId x) {
    const TensorInfo in = g.info(x);
    const std::int64_t wide = g.info(table.first).width;
    const TensorId direct = g.multiply(g.cast(x, wide), table.first);
    const TensorId crossed = g.pointwise("rotate_half", {x}, in.elements, in.width, {});
    g.last().forwardTemps = {in.bytes / 2};
    return g.cast(g.add(direct, g.multiply(g.cast(crossed, wide), table.second)), in.width);
}

/// a·cos - b·sin of the halves a and b, and b·cos + a·sin.
TensorId rotateHalves(OpBuilder& g, const Rotary& table, TensorId x) {
    const std::int64_t half = g.info(x).elements / 2;
    const TensorIds halves = g.split(x, {half, half});
    const auto turned = [&](TensorId straight, TensorId crossed) {
        return g.add(g.multiply(straight, table.first), g.multiply(crossed, table.second));
    };
    const TensorId left = turned(halves[0], halves[1]);
    const TensorId right = turned(halves[1], halves[0]);
    const TensorId out = g.join({left, right});
    g.holdUntilHere({left, right});
    return out;
}

/// The first part of each head is turned, and joined with the rest, if there is one.
TensorId rotateShare(OpBuilder& g, const Rotary& table, TensorId x, std::int64_t share) {
    const std::int64_t all = g.info(x).elements;
    TensorIds parts{x};
    if (share > 1) {
        parts = g.split(x, {all / share, all - all / share});
        g.last().name = "split_slices";
    }
    const std::int64_t width = g.info(x).width;
    const TensorId direct = g.multiply(parts[0], table.first);
    const TensorId crossed =
        g.pointwise("rotate_half", {parts[0]}, g.info(parts[0]).elements, width, {});
    g.last().forwardTemps = {g.info(parts[0]).bytes / 2};
    TensorIds joined = parts;
    joined[0] = g.add(direct, g.multiply(crossed, table.second));
    return g.join(joined);
}

}  // namespace

bool castsRotaryTables(const Scenario& scenario) {
    return scenario.settings.engine == Engine::Fsdp2 &&
           rotaryWidth(scenario) > bytesPerElement(scenario.settings.precision.compute);
}

Rotary rotaryTable(OpBuilder& g, const Scenario& scenario, const RankShape& shape) {
    const KernelSettings& kernels = scenario.settings.kernels;
    const std::int64_t dim = rotaryColumns(scenario);
    if (scenario.model.position != PositionKind::Rope) {
        return {};
    }
    if (kernels.rope != RopeKernel::Complex && kernels.positionIds) {  // one fp32 row of both
        const TensorId rows = g.fresh(2 * shape.tokens * dim, 4, false);
        g.push({.kind = OpKind::Lookup, .name = "rope_rows", .outputs = {rows}});
        return {g.viewOf(rows, shape.tokens * dim), g.viewOf(rows, shape.tokens * dim)};
    }
    if (kernels.rope != RopeKernel::Complex && !hfCodeOf(scenario).rotatesAsComplex) {
        const std::int64_t width = rotaryWidth(scenario);
        const std::int64_t entries = sequencesOf(scenario) * shape.fullSequence * dim;
        const TensorId cosine = g.external(entries, width);
        const TensorId sine = g.external(entries, width);
        if (castsRotaryTables(scenario) &&
            scenario.settings.recompute.kind == Checkpointing::None) {
            const std::int64_t narrow = bytesPerElement(scenario.settings.precision.compute);
            return {g.pointwise("cast", {cosine}, entries, narrow, {}),
                    g.pointwise("cast", {sine}, entries, narrow, {})};
        }
        return hfCodeOf(scenario).interleavesRotary
                   ? Rotary{g.pointwise("repeat_interleave", {cosine}, entries, width, {}),
                            g.pointwise("repeat_interleave", {sine}, entries, width, {})}
                   : Rotary{cosine, sine};
    }
    if (kernels.positionIds) {  // one row of the complex table per token
        const TensorId rows = g.fresh(shape.tokens * dim / 2, 8, false);
        g.push({.kind = OpKind::Lookup, .name = "rope_rows", .outputs = {rows}});
        return {rows, kNoTensor};
    }
    return {g.external(shape.fullSequence * dim / 2, 8), kNoTensor};
}

TensorId rotate(OpBuilder& g, const Scenario& scenario, const Rotary& table, TensorId x) {
    const HfCode& code = hfCodeOf(scenario);
    if (table.first == kNoTensor) {
        return x;
    }
    if (table.second == kNoTensor) {
        return g.ropeComplex(x, table.first);
    }
    if (code.rotatesHalves) {
        return rotateHalves(g, table, x);
    }
    if (code.interleavesRotary && code.rotatesWide) {
        return rotateWide(g, table, x);
    }
    return code.joinsRotary ? rotateShare(g, table, x, code.rotaryShare)
                            : g.cast(g.ropeCosSin(x, table.first, table.second), g.info(x).width);
}

std::vector<std::int64_t> rotaryTableBytes(const Scenario& scenario) {
    const KernelSettings& kernels = scenario.settings.kernels;
    if (scenario.model.position != PositionKind::Rope || kernels.positionIds) {
        return {};
    }
    const std::int64_t entries = scenario.workload.sequence * rotaryColumns(scenario);
    // torchtitan's latent attention turns complex numbers, whatever other layers of it do.
    const bool latent = scenario.model.attention.kind == AttentionKind::Latent;
    const bool pairs =
        hfCodeOf(scenario).rotatesAsComplex || (latent && kernels.code == ModelCode::TorchTitan);
    if (kernels.rope != RopeKernel::Complex && !pairs) {
        const std::int64_t table = sequencesOf(scenario) * entries * rotaryWidth(scenario);
        return {table, table};
    }
    return {4 * entries};
}

}  // namespace fabricast
