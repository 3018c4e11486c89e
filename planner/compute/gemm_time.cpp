#include "planner/compute/gemm_time.h"

#include "planner/base/check.h"
#include "planner/compute/fit_terms.h"

#include <array>
#include <cmath>
#include <limits>

namespace fabricast {

namespace {

constexpr std::array<double, 4> kSplits = {1, 2, 4, 8};
/// A split runs at most this many waves of tiles, over at least this many steps of k.
constexpr double kMostSplitWaves = 2;
constexpr double kLeastSplitDepth = 256;
constexpr double kPartialSumBytes = 4;
/// An fp32 accumulator is read and written.
constexpr double kAccumulatorBytes = 8;
/// Tile edges are counted in units of the usual 128.
constexpr double kUsualEdge = 128;

double edgeOf(const Tile& tile) {
    return 1 / tile.rows + 1 / tile.columns;
}

double shortestEdge(const std::vector<Tile>& tiles) {
    double shortest = std::numeric_limits<double>::max();
    for (const Tile& tile : tiles) {
        shortest = std::min(shortest, edgeOf(tile));
    }
    return shortest;
}

struct Shape {
    double m, n, k, batch;
};

Shape shapeOf(const Gemm& gemm) {
    return {static_cast<double>(gemm.m),
            static_cast<double>(gemm.n),
            static_cast<double>(gemm.k),
            static_cast<double>(gemm.batch)};
}

/// Tensor cores' time with the best tile and split of k:
///     Weff · SM · 2·tm·tn·(ceil(k/sk) + k0) · (1 + penalty·h) / (peak·κ)  +  partial sums
double computeTime(const KernelProfile& profile,
                   const GemmFit& fit,
                   const Shape& shape,
                   const RateState& state) {
    const auto multiprocessors = static_cast<double>(profile.multiprocessors);
    const double available = multiprocessors * state.multiprocessors;
    const double perMultiprocessor = fit.peak.count() * fit.efficiency / multiprocessors;
    const double bandwidth = profile.memoryBandwidth.count() * state.bandwidth;
    const double shortest = shortestEdge(profile.tiles);
    double best = std::numeric_limits<double>::max();
    for (const Tile& tile : profile.tiles) {
        const double tiles =
            shape.batch * ceiling(shape.m / tile.rows) * ceiling(shape.n / tile.columns);
        const double penalty = 1 + fit.tilePenalty * kUsualEdge * (edgeOf(tile) - shortest);
        const double step = 2 * tile.rows * tile.columns * penalty / perMultiprocessor;
        for (const double split : kSplits) {
            if (split > 1 && (tiles * split > kMostSplitWaves * multiprocessors ||
                              shape.k / split < kLeastSplitDepth)) {
                break;
            }
            const double waves = effectiveWaves(tiles * split / available, fit.waveFraction);
            double time = waves * step * (ceiling(shape.k / split) + fit.prologueDepth);
            if (split > 1) {
                time += fit.splitKTraffic * kPartialSumBytes * shape.batch * shape.m * shape.n *
                        split / bandwidth;
            }
            best = std::min(best, time);
        }
    }
    return best;
}

double gemmMemoryTime(const KernelProfile& profile,
                      const GemmFit& fit,
                      const Shape& shape,
                      double outputBytes,
                      const RateState& state) {
    const double bytes = shape.batch * (fit.inputBytes * (shape.m * shape.k + shape.k * shape.n) +
                                        outputBytes * shape.m * shape.n);
    return bytes / (profile.memoryBandwidth.count() * state.bandwidth * fit.bandwidthEfficiency);
}

/// Of the traffic that the fit has for it: an element is read in 16 bits, and written once.
double quantisedShare(Quantising quantising, double copyBytes) {
    constexpr double kReadBytes = 2.0;
    switch (quantising) {
        case Quantising::OneCopy:
            return 1.0;
        case Quantising::BothCopies:
            return (kReadBytes + 2.0 * copyBytes) / (kReadBytes + copyBytes);
        case Quantising::Done:
            break;
    }
    return 0.0;
}

/// One expert's multiply; rows are whole.
Gemm gemmOfEach(const GroupedGemm& group) {
    const auto rows = static_cast<std::int64_t>(std::ceil(group.rowsPerExpert));
    Gemm gemm{.type = group.type,
              .accumulateFp32 = false,
              .batch = group.experts,
              .quantising = group.quantising};
    switch (group.pass) {
        case GroupedPass::Forward:
            gemm.m = rows;
            gemm.n = group.outputs;
            gemm.k = group.inputs;
            break;
        case GroupedPass::InputGradient:
            gemm.m = rows;
            gemm.n = group.inputs;
            gemm.k = group.outputs;
            break;
        case GroupedPass::WeightGradient:
            gemm.m = group.outputs;
            gemm.n = group.inputs;
            gemm.k = rows;
            gemm.accumulateFp32 = group.accumulateFp32;
            break;
    }
    return gemm;
}

GemmLayout layoutOf(GroupedPass pass) {
    switch (pass) {
        case GroupedPass::Forward:
            return GemmLayout::Tn;
        case GroupedPass::InputGradient:
            return GemmLayout::Nn;
        case GroupedPass::WeightGradient:
            break;
    }
    return GemmLayout::Nt;
}

double passFactor(const GroupedFit& fit, GroupedPass pass) {
    switch (pass) {
        case GroupedPass::Forward:
            return fit.forward;
        case GroupedPass::InputGradient:
            return fit.inputGradient;
        case GroupedPass::WeightGradient:
            break;
    }
    return fit.weightGradient;
}

}  // namespace

GemmParts gemmParts(const KernelProfile& profile,
                    const GemmFit& fit,
                    const Gemm& gemm,
                    const RateState& state) {
    const Shape shape = shapeOf(gemm);
    const double compute = computeTime(profile, fit, shape, state);
    const double written = gemm.addsToOutput ? 2.0 * fit.outputBytes : fit.outputBytes;
    const double output = gemm.accumulateFp32 ? kAccumulatorBytes : written;
    const double traffic = fit.quantiseTraffic * quantisedShare(gemm.quantising, fit.inputBytes);
    const double quantise = traffic * shape.batch * shape.m * shape.k /
                            (profile.memoryBandwidth.count() * state.bandwidth);
    return {Seconds(throttled(
                compute, fit.throttle, fit.throttleTime, profile.sustained.factor, state)),
            Seconds(gemmMemoryTime(profile, fit, shape, output, state)),
            fit.launch + Seconds(quantise)};
}

Seconds gemmTime(const KernelProfile& profile,
                 const GemmFit& fit,
                 const Gemm& gemm,
                 const RateState& state) {
    const GemmParts parts = gemmParts(profile, fit, gemm, state);
    return parts.around + Seconds(join(parts.compute.count(), parts.memory.count(), fit.joinPower));
}

Seconds gemmTime(const KernelProfile& profile, const Gemm& gemm, const RateState& state) {
    const GemmFit* fit = profile.fit(gemm.type);
    FABRICAST_CHECK(fit != nullptr);
    GemmParts parts = gemmParts(profile, *fit, gemm, state);
    parts.compute = parts.compute * (gemm.layout == GemmLayout::Tn ? 1.0 : fit->exactSums);
    const auto timeWith = [&](double memory) {
        return parts.around.count() + join(parts.compute.count(), memory, fit->joinPower);
    };
    double time = timeWith(parts.memory.count());
    if (gemm.accumulateFp32) {
        // The measured factor holds the accumulator's traffic of compute-bound shapes; where memory
        // bounds, its bytes count instead.
        const double plain = gemmMemoryTime(profile, *fit, shapeOf(gemm), fit->outputBytes, state);
        time = std::max(time, timeWith(plain) * profile.weightGradientFactor);
    } else if (gemm.layout == GemmLayout::Nn) {
        time *= profile.inputGradientFactor;
    }
    return Seconds(time * profile.gemmScale);
}

Flops GroupedGemm::flops() const {
    return Flops(2.0 * static_cast<double>(experts) * rowsPerExpert * static_cast<double>(inputs) *
                 static_cast<double>(outputs));
}

/// tc and tm are the dense fit's over the tiles of all experts;
///     t = t0 + ((tc·f)^p + tm^p)^(1/p) · u + experts · te
/// with f of the pass, u of unbalanced routing, and te where each expert is launched by itself (its
/// weight gradients hide that: memory bounds them).
Seconds groupedGemmTime(const KernelProfile& profile,
                        const GroupedGemm& group,
                        const RateState& state) {
    const GemmFit* fit = profile.fit(group.type);
    FABRICAST_CHECK(fit != nullptr);
    Gemm each = gemmOfEach(group);
    if (group.experts == 1) {  // no group: a dense product
        each.layout = layoutOf(group.pass);
        return gemmTime(profile, each, state);
    }
    const GemmParts parts = gemmParts(profile, *fit, each, state);
    const double sums = group.pass == GroupedPass::Forward ? 1.0 : fit->exactSums;
    const double compute = parts.compute.count() * passFactor(profile.grouped, group.pass) * sums;
    const double together = join(compute, parts.memory.count(), fit->joinPower);
    const double spread = group.balanced ? 1.0 : profile.grouped.unbalanced;
    const bool launchesShow = group.perExpert && group.pass != GroupedPass::WeightGradient;
    const double launches =
        launchesShow ? profile.grouped.perExpert.count() * static_cast<double>(group.experts) : 0.0;
    return (parts.around + Seconds(together * spread + launches)) * profile.gemmScale;
}

}  // namespace fabricast
