// NVML: a GPU that works at its clock, and its users.
#include "tests/probes/null_device/null_device.h"

#include <cstdio>
#include <cstring>

namespace null = fabricast::null_device;

extern "C" {

struct NullProcess {
    unsigned process;
    unsigned long long memory;
    unsigned instances[2];
};
struct NullUtilisation {
    unsigned gpu;
    unsigned memory;
};

struct NullMemory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};

int nvmlInit_v2() {
    return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char*, void** device) {
    *device = nullptr;
    return 0;
}
int nvmlSystemGetDriverVersion(char* text, unsigned length) {
    std::snprintf(text, length, "0.0 null");
    return 0;
}
int nvmlDeviceGetClockInfo(void*, int which, unsigned* megahertz) {
    // It wakes up slowly, and is fast once it has worked for 40 ms.
    constexpr double kAwake = 0.04;
    const unsigned core = null::timeOf(nullptr) < kAwake ? 345 : 1980;
    *megahertz = which == 1 ? core : 3201;
    return 0;
}
int nvmlDeviceGetMaxClockInfo(void*, int which, unsigned* megahertz) {
    *megahertz = which == 1 ? 1980 : 3201;
    return 0;
}
int nvmlDeviceGetTemperature(void*, int, unsigned* degrees) {
    *degrees = 40;
    return 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
    *milliwatts = 500000;
    return 0;
}
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
    *milliwatts = 700000;
    return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
    // As much as 500 W would have used by the pretended time.
    *millijoules = static_cast<unsigned long long>(null::timeOf(nullptr) * 500e3);
    return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
    *bits = static_cast<unsigned long long>(null::setting("FABRICAST_NULL_THROTTLED", 0));
    return 0;
}
int nvmlDeviceGetMemoryInfo(void*, NullMemory* memory) {
    // A user of the device takes 500 MiB of it, visible from the second query on.
    static unsigned long long used = 0;
    *memory = {1ULL << 30U, 0, used};
    used = 500ULL << 20U;
    return 0;
}
int nvmlDeviceGetUtilizationRates(void*, NullUtilisation* utilisation) {
    *utilisation = {0, 0};
    return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, NullProcess* list) {
    const long user = null::setting("FABRICAST_NULL_USER", 0);
    *count = user > 0 ? 1 : 0;
    if (user > 0) {
        list[0] = {static_cast<unsigned>(user), 1U << 30U, {0, 0}};
    }
    return 0;
}
int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* generation) {
    *generation = 5;
    return 0;
}
int nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* lanes) {
    *lanes = 16;
    return 0;
}
int nvmlDeviceGetNvLinkState(void*, unsigned, unsigned* up) {
    *up = 0;
    return 0;
}

}  // extern "C"
