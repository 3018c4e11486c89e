#include "probes/fit/record_tables.h"

#include <charconv>
#include <utility>

namespace fabricast {
namespace {

/// "90" is "sm_90".
std::string architectureOf(const MergedMeasurements& record) {
    const std::string capability = saidOf(record, "capability");
    return capability.empty() || capability.starts_with("sm_") ? capability : "sm_" + capability;
}

}  // namespace

std::string saidOf(const MergedMeasurements& record, const char* name) {
    const auto found = record.machine.find(name);
    return found == record.machine.end() ? std::string() : found->second;
}

double numberSaidOf(const MergedMeasurements& record, const char* name) {
    const std::string text = saidOf(record, name);
    double value = 0.0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

SeenGpu seenGpu(const MergedMeasurements& record) {
    // A record may say any number.
    const auto count = [&](const char* name) {
        constexpr double kMost = 1e18;
        const double said = numberSaidOf(record, name);
        return said > 0 && said < kMost ? static_cast<std::int64_t>(said) : 0;
    };
    return {.name = saidOf(record, "gpu"),
            .memory = Bytes(count("memory_bytes")),
            .architecture = architectureOf(record),
            .multiprocessors = count("multiprocessors")};
}

Result<std::optional<GpuSpec>> gpuOf(const ProfileStore& store,
                                     const MergedMeasurements& record,
                                     const std::string& named) {
    if (!named.empty()) {
        FABRICAST_ASSIGN(GpuSpec gpu, store.gpu(named, "--gpu"));
        return std::optional(std::move(gpu));
    }
    const SeenGpu seen = seenGpu(record);
    return seen.name.empty() ? Result<std::optional<GpuSpec>>(std::nullopt)
                             : recogniseGpu(store, seen);
}

}  // namespace fabricast
