#include "probes/cuda/memory_work.h"

#include "probes/cuda/launch_ops.h"
#include "probes/cuda/memory_reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace fabricast::probe {

namespace {

constexpr float kEpsilon = 1e-5F;

std::size_t firstBytes(const MemoryShape& shape) {
    return aligned(static_cast<std::size_t>(shape.rows * shape.width * shape.operandsPerResult()) *
                   bytesOf(shape.operandType()));
}

std::size_t resultBytes(const MemoryShape& shape) {
    return aligned(static_cast<std::size_t>(shape.rows * shape.width) * 2);
}

std::size_t secondBytes(const MemoryShape& shape) {
    return shape.op == "add" ? resultBytes(shape)
                             : aligned(static_cast<std::size_t>(shape.width) * 2);
}

std::size_t setsFor(const GpuFacts& gpu, const MemoryShape& shape) {
    return setsBeyondCache(gpu, firstBytes(shape) + secondBytes(shape) + resultBytes(shape));
}

/// A random order of the rows, or a random place in each row.
std::vector<int> randomPlaces(const MemoryShape& shape) {
    std::vector<int> places(static_cast<std::size_t>(shape.rows));
    std::mt19937 generator(3);
    std::iota(places.begin(), places.end(), 0);
    std::shuffle(places.begin(), places.end(), generator);
    if (shape.op == "cross_entropy") {
        for (int& place : places) {
            place = static_cast<int>(place % shape.width);
        }
    }
    return places;
}

std::vector<float> ropeTurns(const MemoryShape& shape) {
    std::vector<float> turns;
    for (long row = 0; row < shape.rows; ++row) {
        for (long pair = 0; pair < shape.dim / 2; ++pair) {
            const double slow = std::pow(
                10000.0, -2.0 * static_cast<double>(pair) / static_cast<double>(shape.dim));
            turns.push_back(static_cast<float>(std::cos(static_cast<double>(row) * slow)));
            turns.push_back(static_cast<float>(std::sin(static_cast<double>(row) * slow)));
        }
    }
    return turns;
}

template <class Value>
Answer<DeviceMemory> onDevice(const std::vector<Value>& values) {
    const std::size_t bytes = values.size() * sizeof(Value);
    Answer<DeviceMemory> memory = deviceMemory(aligned(bytes));
    const Done copied =
        memory ? upload(*memory, values.data(), bytes, "a table") : Done(memory.trouble());
    return copied ? std::move(memory) : Answer<DeviceMemory>(copied.trouble());
}

}  // namespace

double MemoryShape::bytes() const {
    const auto tokens = static_cast<double>(rows);
    const auto across = static_cast<double>(width);
    if (op == "copy" || op == "norm") {
        return 4.0 * numbers() + (op == "norm" ? 2.0 * across : 0.0);
    }
    if (op == "rope") {
        return 4.0 * numbers() + 4.0 * tokens * static_cast<double>(dim);
    }
    if (op == "permute") {
        return 4.0 * numbers() + 4.0 * tokens;
    }
    // Cross entropy reads its row twice: a row of a vocabulary outgrows what is near the cores.
    return 6.0 * numbers() + (op == "cross_entropy" ? 4.0 * tokens : 0.0);
}

double MemoryWork::bytesFor(const GpuFacts& gpu, const MemoryShape& shape) {
    const auto sets = static_cast<double>(setsFor(gpu, shape));
    return sets * static_cast<double>(firstBytes(shape) + secondBytes(shape) + resultBytes(shape)) +
           4.0 * static_cast<double>(shape.rows * (shape.dim + 1));
}

Answer<MemoryWork> MemoryWork::make(const GpuFacts& gpu, const MemoryShape& shape) {
    MemoryWork work;
    work.shape_ = shape;
    work.sets_ = setsFor(gpu, shape);
    work.orderHere_ = randomPlaces(shape);
    work.turnsHere_ = shape.op == "rope" ? ropeTurns(shape) : std::vector<float>(1);
    Answer<DeviceMemory> memories[] = {deviceMemory(work.sets_ * firstBytes(shape)),
                                       deviceMemory(work.sets_ * secondBytes(shape)),
                                       deviceMemory(work.sets_ * resultBytes(shape)),
                                       onDevice(work.turnsHere_),
                                       onDevice(work.orderHere_)};
    DeviceMemory* const homes[] = {
        &work.first_, &work.second_, &work.results_, &work.turns_, &work.order_};
    for (std::size_t at = 0; at < std::size(memories); ++at) {
        if (!memories[at]) {
            return memories[at].trouble();
        }
        *homes[at] = std::move(*memories[at]);
    }
    Done done = fillRandom(work.first_, shape.operandType(), 1);
    done = done ? fillRandom(work.second_, NumberType::Bf16, 2) : done;
    return done ? Answer<MemoryWork>(std::move(work)) : done.trouble();
}

const void* MemoryWork::first(std::size_t call) const {
    return first_.at(call % sets_ * firstBytes(shape_));
}

const void* MemoryWork::second(std::size_t call) const {
    return second_.at(call % sets_ * secondBytes(shape_));
}

void* MemoryWork::result(std::size_t call) const {
    return results_.at(call % sets_ * resultBytes(shape_));
}

void MemoryWork::run(cudaStream_t stream, std::size_t call) const {
    auto* const to = static_cast<Pack*>(result(call));
    const auto* const from = static_cast<const Pack*>(first(call));
    const auto* const other = static_cast<const Pack*>(second(call));
    const auto* const places = static_cast<const int*>(order_.get());
    const long packs = shape_.width / Pack::kNumbers;
    const long count = shape_.rows * packs;
    if (shape_.op == "copy") {
        launchElements(stream, CopyPacks{to, from}, count);
    } else if (shape_.op == "add") {
        launchElements(stream, AddPacks{to, from, other}, count);
    } else if (shape_.op == "swiglu") {
        launchElements(stream, SwigluPacks{to, from, packs}, count);
    } else if (shape_.op == "rope") {
        const auto* const turns = static_cast<const FourFloats*>(turns_.get());
        launchElements(
            stream, RopePacks{to, from, turns, packs, shape_.dim / Pack::kNumbers}, count);
    } else if (shape_.op == "cast") {
        launchElements(stream, CastPacks{to, static_cast<const FourFloats*>(first(call))}, count);
    } else if (shape_.op == "permute") {
        launchElements(stream, PermutePacks{to, from, places, packs}, count);
    } else if (shape_.op == "norm") {
        launchRows(stream, NormRows{to, from, other, packs, kEpsilon}, shape_.rows);
    } else {
        launchRows(stream, SoftmaxRows{to, from, places, packs, 0, 1.0F}, shape_.rows);
    }
}

Answer<std::vector<double>> MemoryWork::expectedRow(long row) const {
    const auto rowNumbers = [&](const void* matrix, NumberType type, long at, long count) {
        const char* const begin =
            static_cast<const char*>(matrix) + static_cast<std::size_t>(at * count) * bytesOf(type);
        return numbersAt(begin, type, static_cast<std::size_t>(count), 1);
    };
    const auto place = orderHere_[static_cast<std::size_t>(row)];
    const long source = shape_.op == "permute" ? place : row;
    const long count = shape_.width * shape_.operandsPerResult();
    const Answer<std::vector<double>> from =
        rowNumbers(first(0), shape_.operandType(), source, count);
    const Answer<std::vector<double>> other =
        rowNumbers(second(0), NumberType::Bf16, shape_.op == "add" ? row : 0, shape_.width);
    if (!from || !other) {
        return from ? other.trouble() : from.trouble();
    }
    const float* const turns = turnsHere_.data() + (shape_.op == "rope" ? row * shape_.dim : 0);
    return memoryReference(shape_.op,
                           {*from,
                            *other,
                            {turns, static_cast<std::size_t>(shape_.dim)},
                            place,
                            static_cast<double>(kEpsilon)});
}

Answer<double> MemoryWork::wrong() const {
    double wrong = 0.0;
    for (const long row : {0L, shape_.rows / 2, shape_.rows - 1}) {
        const Answer<std::vector<double>> expected = expectedRow(row);
        const char* const begin =
            static_cast<const char*>(result(0)) + static_cast<std::size_t>(row * shape_.width) * 2;
        const Answer<std::vector<double>> got =
            numbersAt(begin, NumberType::Bf16, static_cast<std::size_t>(shape_.width), 1);
        if (!expected || !got) {
            return expected ? got.trouble() : expected.trouble();
        }
        for (std::size_t at = 0; at < got->size(); ++at) {
            // What is left of numbers that cancel is as good as fp32.
            constexpr double kCancelled = 1e-6;
            const double slack = 3.0 * roundingOf(NumberType::Bf16) * std::abs((*expected)[at]);
            wrong += std::abs((*got)[at] - (*expected)[at]) <= slack + kCancelled ? 0.0 : 1.0;
        }
    }
    return wrong;
}

}  // namespace fabricast::probe
