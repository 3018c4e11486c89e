#include "probes/tuner/cost_dump.h"
#include "probes/tuner/former_tuner.h"

#include <exception>

// Where NCCL enters. It is asked before every collective, and here only looks on; then the tuner
// that NCCL would have had chooses, and its answer is given back.

namespace fabricast::probe {
namespace {

constexpr const char* kName = "fabricast";
/// More than any NCCL has; a table beyond is not what it is taken for.
constexpr int kMostRows = 64;

struct Communicator {
    std::size_t ranks = 0;
    std::size_t nodes = 0;
    NcclLog log = nullptr;
    std::shared_ptr<CostDump> dump{};
    std::unique_ptr<FormerTuner> former{};
};

/// Runs what must not throw into NCCL; what is lost then is one line, and said.
template <class Work>
void guarded(NcclLog log, const Work& work) noexcept {
    try {
        work();
    } catch (const std::exception& mistake) {
        if (log != nullptr) {
            log(kNcclLogWarning,
                kNcclLogTuning,
                __FILE__,
                __LINE__,
                "fabricast: %s",
                mistake.what());
        }
    }
}

int begin(void** context, const TunerStart& start) noexcept {
    *context = nullptr;
    guarded(start.log, [&] {
        std::shared_ptr<CostDump> dump = CostDump::ofProcess(start.log);
        std::unique_ptr<FormerTuner> former = FormerTuner::begin(start);
        if (dump || former) {
            auto communicator = std::make_unique<Communicator>();
            *communicator = {
                start.ranks, start.nodes, start.log, std::move(dump), std::move(former)};
            *context = communicator.release();
        }
    });
    return kNcclSuccess;
}

int begin4(std::size_t ranks, std::size_t nodes, NcclLog log, void** context) noexcept {
    return begin(context, {.ranks = ranks, .nodes = nodes, .log = log, .version = 4});
}

// NOLINTNEXTLINE(readability-function-size): NCCL's parameters
int begin5(void** context,
           std::uint64_t communicator,
           std::size_t ranks,
           std::size_t nodes,
           NcclLog log,
           void* nvlinkDomains,
           void* constants) noexcept {
    return begin(context, {communicator, ranks, nodes, log, nvlinkDomains, constants});
}

// NOLINTNEXTLINE(readability-function-size): NCCL's parameters
int lookOn(void* context,
           int collective,
           std::size_t bytes,
           int operations,
           float** costs,
           int algorithms,
           int protocols,
           int registered,
           int* channels) noexcept {
    const auto* const communicator = static_cast<const Communicator*>(context);
    const bool isTable = costs != nullptr && algorithms >= 1 && algorithms <= kMostRows &&
                         protocols >= 1 && protocols <= kMostRows;
    if (communicator == nullptr) {
        return kNcclSuccess;
    }
    guarded(communicator->log, [&] {
        if (!isTable || !communicator->dump) {
            return;
        }
        const auto width = static_cast<std::size_t>(protocols);
        // It is the table itself that is passed, by the wrong type.
        const auto* const table = reinterpret_cast<const float*>(costs);
        communicator->dump->add({.collective = collective,
                                 .bytes = bytes,
                                 .ranks = communicator->ranks,
                                 .nodes = communicator->nodes,
                                 .operations = operations,
                                 .registered = registered != 0,
                                 .protocols = width,
                                 .table = {table, static_cast<std::size_t>(algorithms) * width}},
                                communicator->log);
    });
    return communicator->former == nullptr ? kNcclSuccess
                                           : communicator->former->choose(collective,
                                                                          bytes,
                                                                          operations,
                                                                          costs,
                                                                          algorithms,
                                                                          protocols,
                                                                          registered,
                                                                          channels);
}

int end(void* context) noexcept {
    delete static_cast<Communicator*>(context);
    return kNcclSuccess;
}

}  // namespace
}  // namespace fabricast::probe

// NOLINTBEGIN(readability-identifier-naming): NCCL's names
extern "C" {
__attribute__((
    visibility("default"))) extern const fabricast::probe::TunerVersion4 ncclTunerPlugin_v4;
__attribute__((
    visibility("default"))) extern const fabricast::probe::TunerVersion5 ncclTunerPlugin_v5;
const fabricast::probe::TunerVersion4 ncclTunerPlugin_v4 = {fabricast::probe::kName,
                                                            fabricast::probe::begin4,
                                                            fabricast::probe::lookOn,
                                                            fabricast::probe::end};
const fabricast::probe::TunerVersion5 ncclTunerPlugin_v5 = {fabricast::probe::kName,
                                                            fabricast::probe::begin5,
                                                            fabricast::probe::lookOn,
                                                            fabricast::probe::end};
}
// NOLINTEND(readability-identifier-naming)
