#include "probes/nvml/installed_gpus.h"

#include "probes/nvml/nvml_library.h"

#include <array>

namespace fabricast::probe {

namespace {

/// As NVML's binary interface lays it out.
struct PciAddress {
    std::array<char, 16> legacy;
    unsigned int domain;
    unsigned int bus;
    unsigned int device;
    unsigned int pciDevice;
    unsigned int subsystem;
    std::array<char, 32> address;
};

std::string lowerCase(std::string text) {
    for (char& letter : text) {
        letter = letter >= 'A' && letter <= 'F' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    return text;
}

/// NVML writes the domain with eight digits, the kernel with four.
std::string pciAddress(const NvmlDevice& device) {
    PciAddress address{};
    if (!device.call("nvmlDeviceGetPciInfo_v3", &address)) {
        return "";
    }
    address.address.back() = '\0';
    const std::string text = lowerCase(address.address.data());
    return text.size() > 12 && text.starts_with("0000") ? text.substr(4) : text;
}

/// Counted by asking with no room for them: the call fails, and returns how many there are.
std::int64_t processesOn(const NvmlDevice& device) {
    unsigned int count = 0;
    void* const nowhere = nullptr;
    (void)device.call("nvmlDeviceGetComputeRunningProcesses_v3", &count, nowhere);
    return count;
}

InstalledGpu installedGpu(unsigned int index, const NvmlDevice& device) {
    InstalledGpu facts{.index = index};
    facts.name = device.text("nvmlDeviceGetName");
    int major = 0;
    int minor = 0;
    if (device.call("nvmlDeviceGetCudaComputeCapability", &major, &minor)) {
        facts.architecture = "sm_" + std::to_string(major) + std::to_string(minor);
    }
    NvmlDevice::Memory memory;
    if (device.read(memory)) {
        facts.memory = static_cast<std::int64_t>(memory.total);
    }
    facts.pci = pciAddress(device);
    facts.mostClock = device.maxClock();
    facts.mostMemoryClock = device.maxMemoryClock();
    facts.powerCap = device.powerLimit();
    facts.pcieGeneration = device.number("nvmlDeviceGetMaxPcieLinkGeneration");
    facts.pcieWidth = device.number("nvmlDeviceGetMaxPcieLinkWidth");
    facts.nvlinks = device.activeLinks();
    facts.processes = processesOn(device);
    return facts;
}

}  // namespace

Answer<InstalledDriver> installedDriver() {
    const Answer<NvmlLibrary> nvml = NvmlLibrary::load();
    if (!nvml) {
        return nvml.trouble();
    }
    InstalledDriver facts;
    facts.version = nvml->driverVersion();
    int cuda = 0;
    if (nvml->call("nvmlSystemGetCudaDriverVersion_v2", &cuda)) {
        facts.cudaVersion = std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10);
    }
    unsigned int count = 0;
    if (!nvml->call("nvmlDeviceGetCount_v2", &count)) {
        return Trouble{"the NVIDIA driver does not count its GPUs: nvmlDeviceGetCount_v2 failed"};
    }
    for (unsigned int index = 0; index < count; ++index) {
        NvmlDevice::Handle handle = nullptr;
        if (nvml->call("nvmlDeviceGetHandleByIndex_v2", index, &handle)) {
            facts.gpus.push_back(installedGpu(index, NvmlDevice(*nvml, handle)));
        }
    }
    return facts;
}

}  // namespace fabricast::probe
