#include "machine/measured_table.h"
#include "planner/text/shell_text.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace fabricast {
namespace {

std::string engineText(CalibrationEngine engine) {
    switch (engine) {
        case CalibrationEngine::Auto:
            return "";
        case CalibrationEngine::Cuda:
            return "cuda";
        case CalibrationEngine::Nccl:
            return "nccl";
        case CalibrationEngine::Host:
            return "host";
        case CalibrationEngine::Mpi:
            return "mpi";
    }
    return "";
}

std::string secondsText(double seconds, double usual) {
    return seconds == usual ? "" : fmt::format("{}s", seconds);
}

}  // namespace

std::string measureCommand(const MeasureAsk& ask, const FitAsk& fit) {
    const MeasureAsk usual;
    const Result<std::string> ofRecord = profileNameFor({}, ask.out);
    const bool isNamed = !fit.name.empty() && (!ofRecord || *ofRecord != fit.name);
    std::vector<std::string> words = {"fabricast"};
    for (const std::string& folder : fit.profileFolders) {
        words.insert(words.end(), {"--profile-dir", folder});
    }
    words.emplace_back("calibrate");
    const std::pair<const char*, std::string> flags[] = {
        {"--engine", engineText(ask.engine)},
        {"--suite", ask.suite == usual.suite ? "" : ask.suite},
        {"--time-budget", secondsText(ask.seconds, usual.seconds)},
        {"--stall", secondsText(ask.silentSeconds, usual.silentSeconds)},
        {"--gpus", fmt::format("{}", fmt::join(ask.gpus, ","))},
        {"--ranks", ask.ranks == 0 ? "" : std::to_string(ask.ranks)},
        {"--hosts", fmt::format("{}", fmt::join(ask.hosts, ","))},
        {"--probes", ask.probes},
        {"--scratch", ask.scratch},
        {"--tuner-dump", ask.tunerDump},
        {"--out", ask.out},
        {"--machine", fit.machine},
        {"--gpu", fit.gpu},
        {"--topology", fit.topology},
        {"--name", isNamed ? fit.name : ""},
        {"--profile", fit.folder}};
    for (const auto& [flag, value] : flags) {
        if (!value.empty()) {
            words.insert(words.end(), {flag, value});
        }
    }
    if (ask.evenIfBusy) {
        words.emplace_back("--even-if-busy");
    }
    if (fit.replaces) {
        words.emplace_back("--force");
    }
    return shellCommand(words);
}

}  // namespace fabricast
