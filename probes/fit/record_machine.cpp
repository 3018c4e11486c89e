#include "planner/measured/recognise_machine.h"
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

Result<std::optional<GpuSpec>> gpuOf(const ProfileStore& store,
                                     const MergedMeasurements& record,
                                     const std::string& named) {
    if (!named.empty()) {
        FABRICAST_ASSIGN(GpuSpec gpu, store.gpu(named, "--gpu"));
        return std::optional(std::move(gpu));
    }
    const std::string name = saidOf(record, "gpu");
    if (name.empty()) {
        return std::optional<GpuSpec>();
    }
    // A record may say any number.
    const double memory = numberSaidOf(record, "memory_bytes");
    constexpr double kMost = 1e18;
    const auto bytes = memory > 0 && memory < kMost ? static_cast<std::int64_t>(memory) : 0;
    return recogniseGpu(store, name, Bytes(bytes), architectureOf(record));
}

}  // namespace fabricast
