#include "probes/cuda/measure_attention.h"

#include "probes/cuda/attention_kernels.h"

#include <span>
#include <vector>

namespace fabricast::probe {

namespace {

constexpr std::int64_t kTile = 8;  ///< numbers that one thread reads at once

/// The sizes of a point, into where they belong.
Done readSizes(const Point& point, AttentionShape& shape) {
    constexpr std::int64_t kMost = std::int64_t{1} << 20;
    for (const auto& [name, size] : {std::pair{"batch", &shape.batch},
                                     std::pair{"heads", &shape.heads},
                                     std::pair{"kv_heads", &shape.groups},
                                     std::pair{"sequence", &shape.sequence},
                                     std::pair{"dim", &shape.dim}}) {
        const Answer<std::int64_t> whole = sizeOf(point, name, kMost);
        if (!whole) {
            return whole.trouble();
        }
        *size = *whole;
    }
    if (shape.heads % shape.groups != 0) {
        return Trouble{"heads must be a multiple of kv_heads"};
    }
    if (shape.sequence % kTile != 0 || shape.dim % kTile != 0) {
        return Trouble{"sequence and dim must be multiples of 8"};
    }
    return std::monostate();
}

/// Of the pairs of query and key, those that no mask removes.
double pairsOf(const AttentionShape& shape) {
    const auto tokens = static_cast<double>(shape.sequence);
    return static_cast<double>(shape.batch * shape.heads) *
           (shape.causal ? tokens * (tokens + 1.0) / 2.0 : tokens * tokens);
}

using Turns = std::vector<AttentionTensors>;

/// Forward once, which backward reads the results of; then the pass over and over, on the sets in
/// turn. What is checked is the first set.
template <class Attention>
Done samplePass(GpuBench& bench,
                const Attention& attention,
                std::span<const AttentionTensors> turns,
                Measurement& into) {
    Done done = std::monostate();
    for (const AttentionTensors& tensors : turns) {
        done = done ? attention.forward(bench.timer.stream(), tensors) : done;
    }
    return done ? bench.timer.sample(
                      bench.rule,
                      [&](cudaStream_t stream, std::size_t call) {
                          const AttentionTensors& tensors = turns[call % turns.size()];
                          return tensors.shape.backward ? attention.backward(stream, tensors)
                                                        : attention.forward(stream, tensors);
                      },
                      into)
                : done;
}

/// It keeps the shares of one forward, so that it has one set.
Done sampleWritten(GpuBench& bench, const Turns& turns, Measurement& into) {
    const Answer<WrittenAttention> attention = WrittenAttention::make(bench, turns.front().shape);
    return attention ? samplePass(bench, *attention, std::span(turns).first(1), into)
                     : Done(attention.trouble());
}

std::size_t turnsFor(const GpuFacts& gpu, const AttentionShape& shape) {
    return setsBeyondCache(gpu, static_cast<std::size_t>(AttentionTensors::bytesFor(shape)));
}

Answer<Turns> makeTurns(const GpuFacts& gpu, const AttentionShape& shape) {
    Turns turns;
    for (std::size_t turn = 0; turn < turnsFor(gpu, shape); ++turn) {
        Answer<AttentionTensors> tensors = AttentionTensors::make(shape);
        if (!tensors) {
            return tensors.trouble();
        }
        turns.push_back(std::move(*tensors));
    }
    return turns;
}

}  // namespace

double AttentionShape::flop() const {
    return (backward ? 5.0 : 2.0) * 2.0 * static_cast<double>(dim) * pairsOf(*this);
}

double AttentionShape::bytes() const {
    // Forward reads q, k, v and writes the output; backward reads these and the output's gradient,
    // and writes three gradients.
    const auto of = [](std::int64_t numbers) { return 2.0 * static_cast<double>(numbers); };
    return (backward ? 4.0 : 2.0) * of(queries()) + (backward ? 4.0 : 2.0) * of(keys());
}

Answer<AttentionShape> attentionShapeOf(const Point& point) {
    AttentionShape shape;
    const Done known = onlySettings(point);
    const Answer<std::string> pass = choiceOf(point, "pass", {"forward", "backward"});
    const Answer<std::string> dtype = choiceOf(point, "dtype", {"bf16"}, false);
    const Answer<std::string> causal = choiceOf(point, "causal", {"0", "1"});
    for (const Answer<std::string>* word : {&pass, &dtype, &causal}) {
        if (!known || !*word) {
            return known ? word->trouble() : known.trouble();
        }
    }
    const Done sizes = readSizes(point, shape);
    if (!sizes) {
        return sizes.trouble();
    }
    shape.backward = *pass == "backward";
    shape.causal = *causal == "1";
    return shape;
}

Done checkAttention(const Point& point) {
    const Answer<AttentionShape> shape = attentionShapeOf(point);
    return shape ? Done(std::monostate()) : shape.trouble();
}

Answer<Measurement> measureAttention(GpuBench& bench, const Point& point) {
    const Answer<AttentionShape> shape = attentionShapeOf(point);
    if (!shape) {
        return shape.trouble();
    }
    const std::string refusal = GpuBench::tooLarge(
        AttentionTensors::bytesFor(*shape) * static_cast<double>(turnsFor(bench.gpu, *shape)));
    if (!refusal.empty()) {
        return refusedPoint(point, refusal);
    }
    const Answer<Turns> turns = makeTurns(bench.gpu, *shape);
    if (!turns) {
        return turns.trouble();
    }
    const AttentionTensors& first = turns->front();
    const Answer<FusedAttention> fused = FusedAttention::plan(bench.timer.stream(), first);
    const std::string written = GpuBench::tooLarge(WrittenAttention::bytesFor(*shape));
    if (!fused && !written.empty()) {
        return refusedPoint(point, fused.trouble().why + "; written out it " + written);
    }
    Measurement measurement;
    measurement.point = point;
    measurement.facts["flop"] = shape->flop();
    measurement.facts["bytes"] = shape->bytes();
    measurement.words["algorithm"] = fused ? "cudnn" : "written out (" + fused.trouble().why + ")";
    const Done done = fused ? samplePass(bench, *fused, *turns, measurement)
                            : sampleWritten(bench, *turns, measurement);
    const Answer<double> wrong = done ? first.wrong() : done.trouble();
    if (!wrong) {
        return wrong.trouble();
    }
    measurement.facts["wrong"] = *wrong;
    measurement.facts["sets"] = fused ? static_cast<double>(turns->size()) : 1.0;
    return measurement;
}

}  // namespace fabricast::probe
