#pragma once
#include "probes/tuner/tuner_abi.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fabricast::probe {

/// The variable that names the tuner plugin in whose place this one was put.
inline constexpr const char* kNextVariable = "FABRICAST_TUNER_NEXT";

/// What NCCL gives a plugin for a new communicator.
struct TunerStart {
    std::uint64_t communicator = 0;
    std::size_t ranks = 0;
    std::size_t nodes = 0;
    NcclLog log = nullptr;
    void* nvlinkDomains = nullptr;
    void* constants = nullptr;
    int version = 5;  ///< of the interface
};

/// The tuner that NCCL would have without this plugin: it goes on to choose. It is the one that
/// FABRICAST_TUNER_NEXT names, else libnccl-tuner.so, else the network plugin's (AWS's chooses
/// wherever nobody names another).
class FormerTuner {
public:
    /// Nothing where there is none, or where it does not want to choose here.
    static std::unique_ptr<FormerTuner> begin(const TunerStart& start);

    FormerTuner(const FormerTuner&) = delete;
    FormerTuner& operator=(const FormerTuner&) = delete;
    ~FormerTuner() { end_(context_); }

    /// Lets it choose, as NCCL would.
    template <class... Arguments>
    int choose(Arguments... arguments) const {
        return choose_(context_, arguments...);
    }

private:
    FormerTuner() = default;

    void* context_ = nullptr;
    GetCollInfo choose_ = nullptr;
    int (*end_)(void*) = nullptr;
};

/// The libraries to look in, the first that has a tuner counts.
std::vector<std::string> formerTunerNames();

}  // namespace fabricast::probe
