#pragma once
#include "probes/record/answer.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>

namespace fabricast::probe {

/// NVIDIA's management library. It comes with the driver, so it is loaded when needed and nothing
/// links it. Only reads: clocks and modes are never changed.
///     const Answer<NvmlLibrary> nvml = NvmlLibrary::load();
///     if (!nvml) { return nvml.trouble(); }   // there is no driver
class NvmlLibrary {
public:
    /// The library that the process has already, else the driver's.
    static Answer<NvmlLibrary> load();

    /// Whether a function exists and succeeds.
    template <class... Arguments>
    bool call(const char* name, Arguments... arguments) const {
        using Function = int (*)(Arguments...);
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym is for
        const auto function = reinterpret_cast<Function>(find(name));
        return function != nullptr && function(arguments...) == 0;
    }

    /// Empty where the function fails.
    template <class... Arguments>
    [[nodiscard]] std::string text(const char* name, Arguments... arguments) const {
        std::array<char, 96> buffer{};
        const auto size = static_cast<unsigned>(buffer.size());
        const bool known = call(name, arguments..., buffer.data(), size);
        buffer.back() = '\0';
        return known ? std::string(buffer.data()) : std::string();
    }

    /// 0 where the function fails.
    template <class... Arguments>
    [[nodiscard]] unsigned number(const char* name, Arguments... arguments) const {
        unsigned value = 0;
        return call(name, arguments..., &value) ? value : 0;
    }

    /// "580.159.03".
    [[nodiscard]] std::string driverVersion() const;

private:
    explicit NvmlLibrary(std::shared_ptr<void> handle) : handle_(std::move(handle)) {}
    [[nodiscard]] void* find(const char* name) const;

    std::shared_ptr<void> handle_;  ///< shut down and closed with its last owner
};

/// One GPU, as the library sees it.
class NvmlDevice {
public:
    using Handle = struct NvmlDeviceHandle*;

    NvmlDevice(NvmlLibrary library, Handle handle)
        : library_(std::move(library)), handle_(handle) {}

    template <class... Arguments>
    bool call(const char* name, Arguments... arguments) const {
        return library_.call(name, handle_, arguments...);
    }
    [[nodiscard]] std::string text(const char* name) const { return library_.text(name, handle_); }
    template <class... Arguments>
    [[nodiscard]] unsigned number(const char* name, Arguments... arguments) const {
        return library_.number(name, handle_, arguments...);
    }

    struct Memory {
        unsigned long long total = 0;
        unsigned long long free = 0;
        unsigned long long used = 0;
    };
    /// False where it is not reported.
    bool read(Memory& memory) const { return call("nvmlDeviceGetMemoryInfo", &memory); }
    /// NVLinks that are up.
    [[nodiscard]] unsigned activeLinks() const;
    [[nodiscard]] unsigned maxClock() const;        ///< MHz of the multiprocessors
    [[nodiscard]] unsigned maxMemoryClock() const;  ///< MHz
    [[nodiscard]] double powerLimit() const;        ///< W; 0 where it is not reported
    [[nodiscard]] const NvmlLibrary& library() const { return library_; }

private:
    NvmlLibrary library_;
    Handle handle_;
};

// Which clock is meant, in NVML's numbering.
inline constexpr int kNvmlMultiprocessorClock = 1;
inline constexpr int kNvmlMemoryClock = 2;

}  // namespace fabricast::probe
