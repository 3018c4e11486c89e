#include "planner/backtest/run_readings.h"

#include <string_view>
#include <utility>

namespace fabricast {

namespace {

constexpr std::pair<std::string_view, MemoryReading> kWords[] = {
    {"max_allocated", MemoryReading::Allocated},
    {"memory active", MemoryReading::Allocated},
    {"memory_reserved", MemoryReading::Reserved},
    {"reserved peak", MemoryReading::Reserved},
    {"nvidia-smi", MemoryReading::Device}};

}  // namespace

MemoryReading memoryReading(const PublishedRun& run) {
    for (const MemoryReading reading :
         {MemoryReading::Allocated, MemoryReading::Reserved, MemoryReading::Device}) {
        if (run.memoryKind == nameOf(reading)) {
            return reading;
        }
    }
    for (const auto& [words, reading] : kWords) {
        if (mentions(run.notes, words)) {
            return reading;
        }
    }
    return MemoryReading::Unsaid;
}

Bytes forecastReading(const StageMemory& stage, MemoryReading reading) {
    switch (reading) {
        case MemoryReading::Reserved:
            return stage.reserved.value;
        case MemoryReading::Device:
            return stage.reserved.value + stage.context + stage.collectives;
        case MemoryReading::Allocated:
        case MemoryReading::Unsaid:
            break;
    }
    return stage.allocated;
}

std::string unknownMemory(const PublishedRun& run) {
    if (run.stack != "torchtune") {
        return {};
    }
    if (mentions(run.optimizer, "bwd") || mentions(run.optimizer, "in-backward")) {
        return "optimizer: a step inside backward is not modelled";
    }
    if (mentions(run.notes, "chunked cross entropy") || mentions(run.notes, "chunkedce")) {
        return "notes: torchtune's chunked cross entropy is not modelled";
    }
    if (mentions(run.notes, "baseline;") || mentions(run.notes, "unpacked")) {
        return "notes: not packed, so shorter than the row's sequence";
    }
    if (mentions(run.optimizer, "offload")) {
        return "optimizer: torchtune's offload of everything is not modelled";
    }
    return {};
}

}  // namespace fabricast
