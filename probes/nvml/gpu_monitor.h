#pragma once
#include "probes/nvml/nvml_library.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast::probe {

/// The state of a GPU at one moment.
struct GpuState {
    unsigned clockMhz = 0;
    unsigned memoryClockMhz = 0;
    unsigned temperature = 0;  ///< degrees Celsius
    unsigned utilisation = 0;  ///< per cent of the last second
    double watts = 0.0;
    std::uint64_t throttled = 0;  ///< NVML's bits
};

/// The words of the bits that mean "slower than it could be": "power_cap", "thermal".
std::string throttleWords(std::uint64_t bits);

/// Watches one GPU through NVML.
class GpuMonitor {
public:
    /// Of the GPU on this bus ("0000:19:00.0").
    static Answer<GpuMonitor> open(const std::string& bus);

    [[nodiscard]] GpuState state() const;
    [[nodiscard]] std::vector<unsigned> processes() const;  ///< that compute there
    [[nodiscard]] std::string driver() const { return device_.library().driverVersion(); }
    [[nodiscard]] double powerLimit() const { return device_.powerLimit(); }
    [[nodiscard]] unsigned maxClock() const { return device_.maxClock(); }
    [[nodiscard]] unsigned pciGeneration() const;
    [[nodiscard]] unsigned pciLanes() const;
    [[nodiscard]] unsigned links() const { return device_.activeLinks(); }
    /// Of the GPU's memory; negative where it is not reported.
    [[nodiscard]] double usedBytes() const;
    /// Joules since the driver was loaded; negative where it is not reported.
    [[nodiscard]] double joules() const;

private:
    explicit GpuMonitor(NvmlDevice device) : device_(std::move(device)) {}

    NvmlDevice device_;
};

}  // namespace fabricast::probe
