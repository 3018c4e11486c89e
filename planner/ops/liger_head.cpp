#include "planner/base/integers.h"
#include "planner/ops/dense_layer.h"
#include "planner/ops/embedding_and_head.h"
#include "planner/ops/liger.h"
#include "planner/ops/lora_linear.h"
#include "planner/ops/op_builder.h"
#include "planner/ops/rank_shape.h"
#include "planner/ops/trained_weights.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace fabricast {

namespace {

constexpr std::int64_t kLossWidth = 4;
constexpr std::int64_t kLabelWidth = 8;

/// What one chunk has alive at once, beside what all of them share: the first product of any but
/// the first chunk, or where there is one chunk only, of that.
ByteList chunkTemps(const LigerTypes& types, const LigerChunks& chunks, const ModelSpec& model) {
    const std::int64_t matrix = model.vocab * model.hidden;
    ByteList temps;
    temps.push_back(types.logits * chunks.rows * model.vocab);
    if (types.addsApart && types.trained) {
        temps.push_back(types.logits * matrix);
    }
    if (!types.castsWeight && !types.castsInput) {
        return temps;
    }
    temps.push_back(types.logits * chunks.rows * model.hidden);
    if (types.castsWeight) {
        temps.push_back(types.logits * matrix);
        // Autocast keeps the copy that the second product asks for; the first one's is of a view.
        if (types.trained && chunks.count > 1) {
            temps.push_back(types.logits * matrix);
        }
    }
    return temps;
}

}  // namespace

// ceil(V / h) chunks, of a power of two of rows:
// fused_linear_cross_entropy_forward, liger_kernel 0.8.5.
LigerChunks ligerChunks(std::int64_t tokens, std::int64_t vocab, std::int64_t hidden) {
    const std::int64_t parts = ceilDivide(vocab, hidden);
    const auto least = static_cast<std::uint64_t>(ceilDivide(tokens, parts));
    const std::int64_t rows = std::min(tokens, static_cast<std::int64_t>(std::bit_ceil(least)));
    const std::int64_t count = ceilDivide(tokens, rows);
    return {.rows = rows, .count = count, .last = tokens - (count - 1) * rows};
}

LigerTypes ligerTypes(const Scenario& scenario) {
    const OpBuilder g(headOptions(scenario));
    LigerTypes types;
    types.input = residualWidth(scenario.settings, scenario.model.layers);
    types.trained = !g.options().frozen || trainsCopy(scenario.settings, "lm_head");
    const bool autocast = g.options().autocast;
    types.weight = autocast ? g.options().storedWidth : g.options().computeWidth;
    types.logits = autocast ? g.options().computeWidth : types.input;
    types.castsWeight = autocast && types.weight != types.logits;
    types.castsInput = autocast && types.input != types.logits;
    types.addsApart = types.logits == kLossWidth;
    return types;
}

OpList ligerHead(const Scenario& scenario) {
    const ModelSpec& model = scenario.model;
    OpBuilder g(headOptions(scenario));
    const RankShape shape = rankShape(scenario);
    const LigerTypes types = ligerTypes(scenario);
    const LigerChunks chunks = ligerChunks(shape.tokens, model.vocab, model.hidden);
    const TensorId x = g.input(shape.tokens * model.hidden, types.input);
    const int weight = headTable(g, scenario);
    g.weightAt(weight).cast = false;  // by the function itself
    const auto aside = [&](std::int64_t elements, std::int64_t width) {
        return g.fresh(elements, width, false);
    };
    const TensorId padded = aside(shape.tokens + shape.batch, kLabelWidth);
    const TensorId labels = aside(shape.tokens, kLabelWidth);
    const TensorId inputGradient = aside(shape.tokens * model.hidden, types.input);
    Op op{.kind = OpKind::Loss,
          .name = "fused_linear_cross_entropy",
          .inputs = {x},
          .outputs = {padded, labels, inputGradient},
          .weights = {weight},
          .forwardTemps = chunkTemps(types, chunks, model),
          .gradientsOver = {inputGradient},
          .multipliesInside = true,
          .inPython = true};
    op.saved = {inputGradient};
    if (types.trained) {
        op.weightGradient = aside(model.vocab * model.hidden, types.weight);
        op.outputs.push_back(op.weightGradient);
        op.saved.push_back(op.weightGradient);
    }
    const TensorId losses = aside(shape.tokens, kLossWidth);
    const TensorId counted = aside(shape.tokens, 1);
    const TensorId loss = g.fresh(1, kLossWidth);
    op.outputs.push_back(losses);
    op.outputs.push_back(counted);
    op.outputs.push_back(loss);
    g.push(std::move(op));
    return g.finish(loss);
}

}  // namespace fabricast
