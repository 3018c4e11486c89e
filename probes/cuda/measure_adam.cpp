#include "probes/cuda/launch_ops.h"
#include "probes/cuda/measure_points.h"

#include <cmath>
#include <vector>

namespace fabricast::probe {

namespace {

constexpr std::int64_t kChunk = 65536;  ///< parameters that a list is cut into

struct AdamShape {
    std::int64_t parameters = 0;
    bool list = false;
};

Answer<AdamShape> adamShapeOf(const Point& point) {
    const Done known = onlySettings(point);
    const Answer<std::int64_t> parameters = sizeOf(point, "parameters");
    const Answer<std::string> form = choiceOf(point, "form", {"flat", "list"}, false);
    if (!known || !parameters || !form) {
        return !known ? known.trouble() : !parameters ? parameters.trouble() : form.trouble();
    }
    const std::int64_t step = *form == "list" ? kChunk : 4;
    if (*parameters % step != 0) {
        return Trouble{"parameters must be a multiple of " + std::to_string(step)};
    }
    return AdamShape{*parameters, *form == "list"};
}

/// The optimizer's arrays.
struct AdamArrays {
    DeviceMemory weights, mean, square, gradient, rounded, chunks;

    [[nodiscard]] AdamTensor at(std::int64_t parameter) const {
        const auto wide = static_cast<std::size_t>(parameter) * 4;
        const auto narrow = static_cast<std::size_t>(parameter) * 2;
        const auto floats = [&](const DeviceMemory& memory) {
            return static_cast<FourFloats*>(static_cast<void*>(memory.at(wide)));
        };
        const auto halves = [&](const DeviceMemory& memory) {
            return static_cast<FourHalves*>(static_cast<void*>(memory.at(narrow)));
        };
        return {floats(weights), floats(mean), floats(square), halves(gradient), halves(rounded)};
    }

    /// Random weights and gradients, no moments yet.
    [[nodiscard]] Done begin() const {
        Done done = fillRandom(weights, NumberType::Fp32, 1);
        done = done ? fillRandom(gradient, NumberType::Bf16, 2) : done;
        done = done ? cudaDone(cudaMemset(mean.get(), 0, mean.bytes()), "the mean") : done;
        done = done ? cudaDone(cudaMemset(square.get(), 0, square.bytes()), "the square") : done;
        return done ? cudaDone(cudaDeviceSynchronize(), "the square") : done;
    }
};

Answer<AdamArrays> adamArrays(const AdamShape& shape) {
    const auto count = static_cast<std::size_t>(shape.parameters);
    const std::size_t chunks = count / static_cast<std::size_t>(kChunk) + 1;
    Answer<DeviceMemory> memories[] = {deviceMemory(count * 4),
                                       deviceMemory(count * 4),
                                       deviceMemory(count * 4),
                                       deviceMemory(count * 2),
                                       deviceMemory(count * 2),
                                       deviceMemory(chunks * sizeof(AdamTensor))};
    AdamArrays arrays;
    DeviceMemory* const homes[] = {&arrays.weights,
                                   &arrays.mean,
                                   &arrays.square,
                                   &arrays.gradient,
                                   &arrays.rounded,
                                   &arrays.chunks};
    for (std::size_t at = 0; at < std::size(memories); ++at) {
        if (!memories[at]) {
            return memories[at].trouble();
        }
        *homes[at] = std::move(*memories[at]);
    }
    std::vector<AdamTensor> list;
    for (std::int64_t first = 0; first < shape.parameters; first += kChunk) {
        list.push_back(arrays.at(first));
    }
    const Done copied =
        upload(arrays.chunks, list.data(), list.size() * sizeof(AdamTensor), "the list");
    return copied ? Answer<AdamArrays>(std::move(arrays)) : copied.trouble();
}

void stepAdam(cudaStream_t stream, const AdamShape& shape, const AdamArrays& arrays) {
    if (shape.list) {
        const auto* const chunks = static_cast<const AdamTensor*>(arrays.chunks.get());
        launchElements(stream, AdamList{chunks, kChunk / 4, {}}, shape.parameters / 4);
    } else {
        launchElements(stream, AdamFlat{arrays.at(0), {}}, shape.parameters / 4);
    }
}

/// The first step from no moments, by hand, for some of the parameters.
Answer<double> wrongSteps(GpuBench& bench, const AdamShape& shape, const AdamArrays& arrays) {
    constexpr std::size_t kLooked = 4;
    const AdamNumbers numbers;
    const AdamTensor last = arrays.at(shape.parameters - static_cast<std::int64_t>(kLooked));
    Done done = arrays.begin();
    const auto numbersOf = [&](const void* from, NumberType type) {
        return numbersAt(from, type, kLooked, 1);
    };
    const Answer<std::vector<double>> before = numbersOf(last.weights, NumberType::Fp32);
    const Answer<std::vector<double>> gradient = numbersOf(last.gradient, NumberType::Bf16);
    stepAdam(bench.timer.stream(), shape, arrays);
    done = done ? bench.timer.wait("a step of Adam") : done;
    const Answer<std::vector<double>> after = numbersOf(last.weights, NumberType::Fp32);
    if (!done || !before || !gradient || !after) {
        return !done ? done.trouble() : Trouble{"the parameters cannot be read back"};
    }
    double wrong = 0.0;
    for (std::size_t at = 0; at < kLooked; ++at) {
        const double g = (*gradient)[at];
        const double mean = (1.0 - static_cast<double>(numbers.beta1)) * g;
        const double root = std::sqrt((1.0 - static_cast<double>(numbers.beta2)) * g * g);
        const double change = mean / (root + static_cast<double>(numbers.epsilon)) +
                              static_cast<double>(numbers.decay) * (*before)[at];
        const double wanted = (*before)[at] - static_cast<double>(numbers.rate) * change;
        wrong += std::abs((*after)[at] - wanted) <= 1e-6 * (1.0 + std::abs(wanted)) ? 0.0 : 1.0;
    }
    return wrong;
}

}  // namespace

Done checkAdam(const Point& point) {
    const Answer<AdamShape> shape = adamShapeOf(point);
    return shape ? Done(std::monostate()) : shape.trouble();
}

Answer<Measurement> measureAdam(GpuBench& bench, const Point& point) {
    const Answer<AdamShape> shape = adamShapeOf(point);
    if (!shape) {
        return shape.trouble();
    }
    constexpr double kMemory = 16.0;  // bytes that each parameter has
    const auto parameters = static_cast<double>(shape->parameters);
    const std::size_t turns =
        setsBeyondCache(bench.gpu, static_cast<std::size_t>(kMemory * parameters));
    const std::string refusal =
        GpuBench::tooLarge(kMemory * parameters * static_cast<double>(turns));
    if (!refusal.empty()) {
        return refusedPoint(point, refusal);
    }
    std::vector<AdamArrays> sets;
    for (std::size_t turn = 0; turn < turns; ++turn) {
        Answer<AdamArrays> arrays = adamArrays(*shape);
        const Done begun = arrays ? arrays->begin() : arrays.trouble();
        if (!begun) {
            return begun.trouble();
        }
        sets.push_back(std::move(*arrays));
    }
    Measurement measurement;
    measurement.point = point;
    const Done done = bench.timer.sample(
        bench.rule,
        [&](cudaStream_t stream, std::size_t call) {
            stepAdam(stream, *shape, sets[call % sets.size()]);
            return cudaDone(cudaGetLastError(), "a step of Adam");
        },
        measurement);
    const Answer<double> wrong = done ? wrongSteps(bench, *shape, sets.front()) : done.trouble();
    if (!wrong) {
        return wrong.trouble();
    }
    constexpr double kMoved = 28.0;  // reads 4·3 + 2, writes 4·3 + 2
    measurement.facts["wrong"] = *wrong;
    measurement.facts["sets"] = static_cast<double>(sets.size());
    measurement.facts["bytes"] = kMoved * parameters;
    measurement.words["algorithm"] = "own kernel";
    return measurement;
}

}  // namespace fabricast::probe
