#pragma once
#include "probes/record/answer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast::probe {

/// How a GPU is doing at a moment.
struct GpuState {
    unsigned clockMhz = 0;
    unsigned memoryClockMhz = 0;
    unsigned temperature = 0;  ///< degrees Celsius
    unsigned utilisation = 0;  ///< per cent of the last second
    double watts = 0.0;
    std::uint64_t throttled = 0;  ///< NVML's bits
};

/// The words of the bits that mean "slower than it could": "power_cap", "thermal".
std::string throttleWords(std::uint64_t bits);

/// NVIDIA's management library, opened where it is: it comes with the driver, and nothing here
/// links it. Only reads: clocks and modes are never changed.
class Nvml {
public:
    /// Of the GPU on this bus ("0000:19:00.0").
    static Answer<Nvml> open(const std::string& bus);

    [[nodiscard]] GpuState state() const;
    [[nodiscard]] std::vector<unsigned> processes() const;  ///< that compute there
    [[nodiscard]] std::string driver() const;
    [[nodiscard]] double powerLimit() const;  ///< W; 0 where it is not told
    [[nodiscard]] unsigned maxClock() const;  ///< MHz
    [[nodiscard]] unsigned pciGeneration() const;
    [[nodiscard]] unsigned pciLanes() const;
    [[nodiscard]] unsigned links() const;  ///< NVLinks that are up
    /// Of the GPU's memory; negative where it is not told.
    [[nodiscard]] double usedBytes() const;
    /// Joules since the driver was loaded; negative where it is not told.
    [[nodiscard]] double joules() const;

private:
    Nvml(void* library, void* device) : library_(library), device_(device) {}

    [[nodiscard]] unsigned number(const char* function) const;
    [[nodiscard]] unsigned number(const char* function, int argument) const;

    void* library_;  ///< stays open to the end of the process
    void* device_;
};

}  // namespace fabricast::probe
