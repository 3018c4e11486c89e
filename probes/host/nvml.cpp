#include "probes/host/nvml.h"

#include <dlfcn.h>

#include <array>
#include <cstddef>

namespace fabricast::probe {

namespace {

// NVML's binary interface, as far as it is asked here.
using Device = struct NvmlDeviceHandle*;
struct PciAddress {
    std::array<char, 16> legacy;
    unsigned int domain;
    unsigned int bus;
    unsigned int device;
    unsigned int pciDevice;
    unsigned int subsystem;
    std::array<char, 32> address;
};
struct MemorySizes {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};
constexpr int kSuccess = 0;
constexpr int kGraphicsClock = 1;  // of the multiprocessors
constexpr int kMemoryClock = 2;
constexpr unsigned int kMostLinks = 18;
constexpr std::size_t kText = 96;

class Library {
public:
    Library() : handle_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {}
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
    ~Library() {
        if (started_) {
            call("nvmlShutdown");
        }
        if (handle_ != nullptr) {
            dlclose(handle_);
        }
    }

    [[nodiscard]] bool isHere() const { return handle_ != nullptr; }
    bool start() {
        started_ = call("nvmlInit_v2");
        return started_;
    }

    /// Whether a function is there and succeeds.
    template <class... Arguments>
    bool call(const char* name, Arguments... arguments) const {
        using Function = int (*)(Arguments...);
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym is for
        const auto function = reinterpret_cast<Function>(dlsym(handle_, name));
        return function != nullptr && function(arguments...) == kSuccess;
    }

    template <class... Arguments>
    [[nodiscard]] std::string text(const char* name, Arguments... arguments) const {
        std::array<char, kText> buffer{};
        const bool said = call(name, arguments..., buffer.data(), static_cast<unsigned>(kText));
        buffer.back() = '\0';
        return said ? std::string(buffer.data()) : std::string();
    }

    template <class... Arguments>
    [[nodiscard]] std::int64_t number(const char* name, Arguments... arguments) const {
        unsigned int value = 0;
        return call(name, arguments..., &value) ? static_cast<std::int64_t>(value) : 0;
    }

private:
    void* handle_;
    bool started_ = false;
};

std::string lowerCase(std::string text) {
    for (char& letter : text) {
        letter = letter >= 'A' && letter <= 'F' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    return text;
}

/// NVML writes the domain with eight digits, the kernel with four.
std::string pciAddress(const Library& nvml, Device device) {
    PciAddress address{};
    if (!nvml.call("nvmlDeviceGetPciInfo_v3", device, &address)) {
        return "";
    }
    address.address.back() = '\0';
    const std::string text = lowerCase(address.address.data());
    return text.size() > 12 && text.starts_with("0000") ? text.substr(4) : text;
}

std::int64_t activeLinks(const Library& nvml, Device device) {
    std::int64_t links = 0;
    for (unsigned int link = 0; link < kMostLinks; ++link) {
        int active = 0;
        const bool said = nvml.call("nvmlDeviceGetNvLinkState", device, link, &active);
        links += said && active == 1 ? 1 : 0;
    }
    return links;
}

/// Counted by asking with no room for them: the call fails, and says how many there are.
std::int64_t processesOn(const Library& nvml, Device device) {
    unsigned int count = 0;
    void* const nowhere = nullptr;
    (void)nvml.call("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, nowhere);
    return count;
}

InstalledGpu installedGpu(const Library& nvml, unsigned int index, Device device) {
    InstalledGpu facts{.index = index};
    facts.name = nvml.text("nvmlDeviceGetName", device);
    int major = 0;
    int minor = 0;
    if (nvml.call("nvmlDeviceGetCudaComputeCapability", device, &major, &minor)) {
        facts.architecture = "sm_" + std::to_string(major) + std::to_string(minor);
    }
    MemorySizes memory{};
    if (nvml.call("nvmlDeviceGetMemoryInfo", device, &memory)) {
        facts.memory = static_cast<std::int64_t>(memory.total);
    }
    facts.pci = pciAddress(nvml, device);
    facts.mostClock = nvml.number("nvmlDeviceGetMaxClockInfo", device, kGraphicsClock);
    facts.mostMemoryClock = nvml.number("nvmlDeviceGetMaxClockInfo", device, kMemoryClock);
    constexpr double kMilli = 1e-3;
    facts.powerCap =
        kMilli * static_cast<double>(nvml.number("nvmlDeviceGetEnforcedPowerLimit", device));
    facts.pcieGeneration = nvml.number("nvmlDeviceGetMaxPcieLinkGeneration", device);
    facts.pcieWidth = nvml.number("nvmlDeviceGetMaxPcieLinkWidth", device);
    facts.nvlinks = activeLinks(nvml, device);
    facts.processes = processesOn(nvml, device);
    return facts;
}

}  // namespace

Answer<InstalledDriver> askNvml() {
    Library nvml;
    if (!nvml.isHere()) {
        return Trouble{"no NVIDIA driver: libnvidia-ml.so.1 is not found"};
    }
    if (!nvml.start()) {
        return Trouble{"the NVIDIA driver does not answer: nvmlInit_v2 failed"};
    }
    InstalledDriver facts;
    facts.version = nvml.text("nvmlSystemGetDriverVersion");
    int cuda = 0;
    if (nvml.call("nvmlSystemGetCudaDriverVersion_v2", &cuda)) {
        facts.cudaVersion = std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10);
    }
    unsigned int count = 0;
    if (!nvml.call("nvmlDeviceGetCount_v2", &count)) {
        return Trouble{"the NVIDIA driver does not count its GPUs: nvmlDeviceGetCount_v2 failed"};
    }
    for (unsigned int index = 0; index < count; ++index) {
        Device device = nullptr;
        if (nvml.call("nvmlDeviceGetHandleByIndex_v2", index, &device)) {
            facts.gpus.push_back(installedGpu(nvml, index, device));
        }
    }
    return facts;
}

}  // namespace fabricast::probe
