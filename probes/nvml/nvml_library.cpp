#include "probes/nvml/nvml_library.h"

#include <dlfcn.h>

namespace fabricast::probe {

Answer<NvmlLibrary> NvmlLibrary::load() {
    void* const handle = dlsym(RTLD_DEFAULT, "nvmlInit_v2") != nullptr
                             ? dlopen(nullptr, RTLD_NOW)
                             : dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        return Trouble{"no NVIDIA driver: libnvidia-ml.so.1 is not found"};
    }
    const NvmlLibrary library(std::shared_ptr<void>(handle, [](void* open) { dlclose(open); }));
    if (!library.call("nvmlInit_v2")) {
        return Trouble{"the NVIDIA driver does not answer: nvmlInit_v2 failed"};
    }
    return NvmlLibrary(
        std::shared_ptr<void>(handle, [library](void*) { library.call("nvmlShutdown"); }));
}

void* NvmlLibrary::find(const char* name) const {
    return dlsym(handle_.get(), name);
}

std::string NvmlLibrary::driverVersion() const {
    return text("nvmlSystemGetDriverVersion");
}

unsigned NvmlDevice::activeLinks() const {
    constexpr unsigned kMostLinks = 18;
    unsigned links = 0;
    for (unsigned link = 0; link < kMostLinks; ++link) {
        int active = 0;
        links += call("nvmlDeviceGetNvLinkState", link, &active) && active == 1 ? 1U : 0U;
    }
    return links;
}

unsigned NvmlDevice::maxClock() const {
    return number("nvmlDeviceGetMaxClockInfo", kNvmlMultiprocessorClock);
}

unsigned NvmlDevice::maxMemoryClock() const {
    return number("nvmlDeviceGetMaxClockInfo", kNvmlMemoryClock);
}

double NvmlDevice::powerLimit() const {
    return number("nvmlDeviceGetEnforcedPowerLimit") / 1000.0;
}

}  // namespace fabricast::probe
