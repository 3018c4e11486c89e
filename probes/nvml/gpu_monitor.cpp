#include "probes/nvml/gpu_monitor.h"

#include <array>
#include <utility>

namespace fabricast::probe {

namespace {

constexpr int kDieTemperature = 0;

// As NVML's binary interface lays them out.
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

Answer<GpuMonitor> GpuMonitor::open(const std::string& bus) {
    const Answer<NvmlLibrary> library = NvmlLibrary::load();
    if (!library) {
        return library.trouble();
    }
    NvmlDevice::Handle handle = nullptr;
    if (!library->call("nvmlDeviceGetHandleByPciBusId_v2", bus.c_str(), &handle)) {
        return Trouble{"NVML does not know the GPU at " + bus};
    }
    return GpuMonitor(NvmlDevice(*library, handle));
}

GpuState GpuMonitor::state() const {
    GpuState state;
    // First: each question takes so long that a GPU may be idle by the last.
    unsigned long long bits = 0;
    if (device_.call("nvmlDeviceGetCurrentClocksThrottleReasons", &bits)) {
        state.throttled = bits;
    }
    state.clockMhz = device_.number("nvmlDeviceGetClockInfo", kNvmlMultiprocessorClock);
    state.memoryClockMhz = device_.number("nvmlDeviceGetClockInfo", kNvmlMemoryClock);
    state.temperature = device_.number("nvmlDeviceGetTemperature", kDieTemperature);
    state.watts = device_.number("nvmlDeviceGetPowerUsage") / 1000.0;
    NvmlUtilisation utilisation;
    if (device_.call("nvmlDeviceGetUtilizationRates", &utilisation)) {
        state.utilisation = utilisation.gpu;
    }
    return state;
}

std::vector<unsigned> GpuMonitor::processes() const {
    std::array<NvmlProcess, 64> list{};
    unsigned count = list.size();
    std::vector<unsigned> processes;
    if (device_.call("nvmlDeviceGetComputeRunningProcesses_v3", &count, list.data())) {
        for (unsigned at = 0; at < count && at < list.size(); ++at) {
            processes.push_back(list[at].process);
        }
    }
    return processes;
}

unsigned GpuMonitor::pciGeneration() const {
    return device_.number("nvmlDeviceGetCurrPcieLinkGeneration");
}

unsigned GpuMonitor::pciLanes() const {
    return device_.number("nvmlDeviceGetCurrPcieLinkWidth");
}

double GpuMonitor::usedBytes() const {
    NvmlDevice::Memory memory;
    return device_.read(memory) ? static_cast<double>(memory.used) : -1.0;
}

double GpuMonitor::joules() const {
    unsigned long long millijoules = 0;
    return device_.call("nvmlDeviceGetTotalEnergyConsumption", &millijoules)
               ? static_cast<double>(millijoules) / 1000.0
               : -1.0;
}

}  // namespace fabricast::probe
