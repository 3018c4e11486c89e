#include "probes/cpu/adam.h"
#include "probes/mpi/collectives.h"
#include "probes/mpi/mpi_points.h"
#include "probes/mpi/sharded_units.h"
#include "probes/mpi/timed_together.h"
#include "probes/mpi/whole_units.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricast::probe {

namespace {

struct Text {
    std::vector<std::int32_t> tokens;
    std::vector<std::int32_t> labels;
};

Text textOfSamples(const DecoderShape& shape, int firstSample) {
    Text text;
    for (int sample = firstSample; sample < firstSample + shape.batch; ++sample) {
        for (int position = 0; position < shape.sequence; ++position) {
            text.tokens.push_back(tokenAt(shape, sample, position));
            text.labels.push_back(tokenAt(shape, sample, position + 1));
        }
    }
    return text;
}

int wholeSetting(const Point& point, const char* name) {
    return static_cast<int>(*wholeOf(point, name, 1));
}

/// What all ranks together run.
DecoderShape wholeShape(const Point& point) {
    return {.layers = wholeSetting(point, "layers"),
            .hidden = wholeSetting(point, "hidden"),
            .ffn = wholeSetting(point, "ffn"),
            .vocab = wholeSetting(point, "vocab"),
            .sequence = wholeSetting(point, "sequence"),
            .batch = wholeSetting(point, "batch")};
}

DecoderShape shareOf(DecoderShape shape, const RankGroup& group) {
    shape.batch /= group.size();
    return shape;
}

/// Entries of `gradient` that are farther from `expected` than rounding takes them.
double wrongEntries(std::span<const float> gradient, std::span<const float> expected) {
    double most = 0.0;
    for (const float value : expected) {
        most = std::max(most, static_cast<double>(std::abs(value)));
    }
    double wrong = 0.0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double apart = std::abs(static_cast<double>(gradient[i] - expected[i]));
        wrong += apart <= 1e-3 * most + 1e-2 * static_cast<double>(std::abs(expected[i])) ? 0 : 1;
    }
    return wrong;
}

/// All data's gradients, computed here alone.
void runAlone(const DecoderShape& shape, WholeUnits& units) {
    const Text text = textOfSamples(shape, 0);
    DecoderStep step(shape);
    step.run(text.tokens, text.labels, shape.tokens(), units);
}

/// By how much gradients are scaled so that their norm is at most 1.
double clipFor(double allSquares) {
    return std::min(1.0, 1.0 / (std::sqrt(allSquares) + 1e-6));
}

/// One rank's share of a step: its samples, and the memory to run them.
struct Share {
    Share(const DecoderShape& all, const RankGroup& group)
        : shape(shareOf(all, group)),
          text(textOfSamples(shape, group.index * shape.batch)),
          step(shape),
          rows(all.tokens()) {}

    double run(UnitStore& store) { return step.run(text.tokens, text.labels, rows, store); }

    DecoderShape shape;
    Text text;
    DecoderStep step;
    double rows;
};

SampleRule stepRule() {
    return {.least = 5, .most = 40, .error = 0.01, .seconds = 3.0};
}

double measureReduced(Wire& wire,
                      const RankGroup& group,
                      const DecoderShape& all,
                      std::vector<double>& samples) {
    Share share(all, group);
    TransferQueue queue;
    ReducedUnits units(share.shape, wire, group, queue);
    const auto passes = [&] {
        share.run(units);
        queue.waitAll();
    };
    passes();
    double wrong = 0.0;
    {
        WholeUnits alone(all);
        runAlone(all, alone);
        wrong = wrongEntries(units.allGradients(), alone.allGradients());
    }
    Adam adam(all.parameters());
    samples = timedTogether(wire, group, stepRule(), 1, [&] {
        passes();
        adamStep(
            adam, units.allWeights(), units.allGradients(), clipFor(squares(units.allGradients())));
    });
    return wrong;
}

double measureSharded(Wire& wire,
                      const RankGroup& group,
                      const DecoderShape& all,
                      std::vector<double>& samples) {
    Share share(all, group);
    TransferQueue queue;
    ShardedUnits units(share.shape, wire, group, queue);
    const auto passes = [&] {
        share.run(units);
        queue.waitAll();
    };
    passes();
    double wrong = 0.0;
    {
        WholeUnits alone(all);
        runAlone(all, alone);
        wrong = wrongEntries(units.ownGradients(), units.partsOf(alone));
    }
    Adam adam(units.ownWeights().size());
    samples = timedTogether(wire, group, stepRule(), 1, [&] {
        passes();
        std::array<float, 1> norm = {static_cast<float>(squares(units.ownGradients()))};
        ringAllReduce(wire, group, norm, norm);
        adamStep(adam,
                 units.ownWeights(),
                 units.ownGradients(),
                 clipFor(static_cast<double>(norm.front())));
    });
    return wrong;
}

}  // namespace

std::string stepFault(const Point& point, const RankGroup& group) {
    constexpr std::array kSides = {"layers", "hidden", "ffn", "vocab", "sequence", "batch"};
    constexpr std::int64_t kMost = 1 << 17;
    for (const char* name : kSides) {
        const Answer<std::int64_t> side = wholeOf(point, name, 1);
        if (!side || *side > kMost) {
            return !side ? side.trouble().why
                         : std::string(name) + "=" + std::to_string(*side) + ": at most " +
                               std::to_string(kMost);
        }
    }
    const DecoderShape shape = wholeShape(point);
    constexpr double kMostParameters = 1e9;
    constexpr double kMostScores = 1e9;
    if (static_cast<double>(shape.parameters()) > kMostParameters ||
        static_cast<double>(shape.layers) * shape.batch * shape.heads() * shape.sequence *
                shape.sequence >
            kMostScores) {
        return "more than 10^9 parameters or scores of attention: fewer layers, or shorter";
    }
    if (shape.hidden % DecoderShape::kHeadDim != 0) {
        return "hidden=" + std::to_string(shape.hidden) + " is no multiple of the heads' 64";
    }
    if (shape.batch % group.size() != 0) {
        return "batch=" + std::to_string(shape.batch) + " does not divide by " +
               std::to_string(group.size()) + " ranks";
    }
    const std::string stack = wordOr(point, "stack", "");
    return stack == "ddp" || stack == "fsdp2" ? "" : "stack=" + stack + " is neither ddp nor fsdp2";
}

Measurement measureStep(Wire& wire, const RankGroup& group, const Point& point) {
    const DecoderShape all = wholeShape(point);
    Measurement measurement{.point = point};
    const double wrong = wordOr(point, "stack", "") == "ddp"
                             ? measureReduced(wire, group, all, measurement.samples)
                             : measureSharded(wire, group, all, measurement.samples);
    measurement.facts["wrong"] = summed(wire, group, wrong);
    measurement.facts["parameters"] = static_cast<double>(all.parameters());
    return measurement;
}

}  // namespace fabricast::probe
