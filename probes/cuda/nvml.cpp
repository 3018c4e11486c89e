#include "probes/cuda/nvml.h"

#include <dlfcn.h>

#include <array>
#include <utility>

namespace fabricast::probe {

namespace {

// NVML's interface as its documentation states it.
constexpr int kSuccess = 0;
constexpr int kMultiprocessorClock = 1;
constexpr int kMemoryClock = 2;
constexpr int kDieTemperature = 0;
constexpr unsigned kMostLinks = 18;

struct NvmlUtilisation {
    unsigned gpu = 0;
    unsigned memory = 0;
};

struct NvmlProcess {
    unsigned process = 0;
    unsigned long long memory = 0;
    unsigned gpuInstance = 0;
    unsigned computeInstance = 0;
};

template <class... Arguments>
bool call(void* library, const char* function, Arguments... arguments) {
    using Function = int (*)(Arguments...);
    const auto found = reinterpret_cast<Function>(dlsym(library, function));
    return found != nullptr && found(arguments...) == kSuccess;
}

/// The library that the process has already, else the driver's.
void* nvmlLibrary() {
    if (dlsym(RTLD_DEFAULT, "nvmlInit_v2") != nullptr) {
        return dlopen(nullptr, RTLD_NOW);
    }
    return dlopen("libnvidia-ml.so.1", RTLD_NOW);
}

std::vector<unsigned> processesOn(void* library, void* device) {
    std::array<NvmlProcess, 64> list{};
    unsigned count = list.size();
    std::vector<unsigned> processes;
    if (call(library, "nvmlDeviceGetComputeRunningProcesses_v3", device, &count, list.data())) {
        for (unsigned at = 0; at < count && at < list.size(); ++at) {
            processes.push_back(list[at].process);
        }
    }
    return processes;
}

}  // namespace

std::string throttleWords(std::uint64_t bits) {
    constexpr std::array<std::pair<std::uint64_t, const char*>, 6> kWords = {
        {{0x4, "power_cap"},
         {0x8, "hardware_slowdown"},
         {0x10, "sync_boost"},
         {0x20, "thermal"},
         {0x40, "hardware_thermal"},
         {0x80, "power_brake"}}};
    std::string words;
    for (const auto& [bit, word] : kWords) {
        if ((bits & bit) != 0) {
            words += (words.empty() ? "" : ",") + std::string(word);
        }
    }
    return words;
}

Answer<Nvml> Nvml::open(const std::string& bus) {
    void* const library = nvmlLibrary();
    if (library == nullptr) {
        return Trouble{"libnvidia-ml.so.1 (clocks, power, throttling) is not here"};
    }
    void* device = nullptr;
    if (!call(library, "nvmlInit_v2") ||
        !call(library, "nvmlDeviceGetHandleByPciBusId_v2", bus.c_str(), &device)) {
        return Trouble{"libnvidia-ml.so.1 does not know the GPU at " + bus};
    }
    return Nvml(library, device);
}

unsigned Nvml::number(const char* function) const {
    unsigned value = 0;
    return call(library_, function, device_, &value) ? value : 0;
}

unsigned Nvml::number(const char* function, int argument) const {
    unsigned value = 0;
    return call(library_, function, device_, argument, &value) ? value : 0;
}

GpuState Nvml::state() const {
    GpuState state;
    state.clockMhz = number("nvmlDeviceGetClockInfo", kMultiprocessorClock);
    state.memoryClockMhz = number("nvmlDeviceGetClockInfo", kMemoryClock);
    state.temperature = number("nvmlDeviceGetTemperature", kDieTemperature);
    state.watts = number("nvmlDeviceGetPowerUsage") / 1000.0;
    NvmlUtilisation utilisation;
    if (call(library_, "nvmlDeviceGetUtilizationRates", device_, &utilisation)) {
        state.utilisation = utilisation.gpu;
    }
    unsigned long long bits = 0;
    if (call(library_, "nvmlDeviceGetCurrentClocksThrottleReasons", device_, &bits)) {
        state.throttled = bits;
    }
    return state;
}

std::vector<unsigned> Nvml::processes() const {
    return processesOn(library_, device_);
}

std::string Nvml::driver() const {
    std::array<char, 96> text{};
    const bool told = call(library_, "nvmlSystemGetDriverVersion", text.data(), 96U);
    return told ? text.data() : "";
}

double Nvml::powerLimit() const {
    return number("nvmlDeviceGetEnforcedPowerLimit") / 1000.0;
}

unsigned Nvml::maxClock() const {
    return number("nvmlDeviceGetMaxClockInfo", kMultiprocessorClock);
}

unsigned Nvml::pciGeneration() const {
    return number("nvmlDeviceGetCurrPcieLinkGeneration");
}

unsigned Nvml::pciLanes() const {
    return number("nvmlDeviceGetCurrPcieLinkWidth");
}

unsigned Nvml::links() const {
    unsigned up = 0;
    for (unsigned link = 0; link < kMostLinks; ++link) {
        unsigned active = 0;
        if (call(library_, "nvmlDeviceGetNvLinkState", device_, link, &active)) {
            up += active == 1 ? 1 : 0;
        }
    }
    return up;
}

double Nvml::usedBytes() const {
    struct {
        unsigned long long total, free, used;
    } memory = {};
    auto* const told = static_cast<void*>(&memory);
    return call(library_, "nvmlDeviceGetMemoryInfo", device_, told)
               ? static_cast<double>(memory.used)
               : -1.0;
}

double Nvml::joules() const {
    unsigned long long millijoules = 0;
    return call(library_, "nvmlDeviceGetTotalEnergyConsumption", device_, &millijoules)
               ? static_cast<double>(millijoules) / 1000.0
               : -1.0;
}

}  // namespace fabricast::probe
