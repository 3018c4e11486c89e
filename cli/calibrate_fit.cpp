#include "cli/calibrate_fit.h"

#include "cli/shell_word.h"
#include "planner/io/text_file.h"
#include "simulator/topology/read_topology.h"
#include "simulator/topology/topology_facts.h"
#include "simulator/topology/topology_json.h"

#include <filesystem>
#include <utility>

namespace fabricast {
namespace {

/// The machine's links, beside the profile that was measured on it.
Result<std::string> keepTopology(const ProfileStore& store,
                                 const CalibrateFit& fit,
                                 const FittedRecord& fitted,
                                 const GlobalOptions& options) {
    const std::string gpu = fit.options.gpu.empty() ? fitted.gpu : fit.options.gpu;
    FABRICAST_ASSIGN(const DescribedTopology described,
                     readTopology(options.at(fit.topology), gpu, store));
    FABRICAST_ASSIGN(const TopologyFacts facts, topologyFacts(described, {}));
    FABRICAST_ASSIGN(const std::string text, topologyJson(described, facts, FABRICAST_VERSION));
    const std::filesystem::path path =
        std::filesystem::path(options.at(fit.folder)) / "topologies" / (fit.options.name + ".json");
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) {
        return fail(Error::Code::Environment,
                    path.parent_path().string(),
                    "cannot be made: " + error.message());
    }
    FABRICAST_TRY(writeTextFile(path.string(), text));
    return path.string();
}

std::vector<std::string> useOf(const CalibrateFit& fit, const FittedRecord& fitted) {
    const std::string start = "fabricast --profile-dir " + shellWord(fit.folder) + " ";
    std::vector<std::string> next;
    if (fitted.machine == fit.options.name) {
        // Ranks on CPUs, each a small device in fp32.
        next.push_back(start + "explain -m gpt2 -c " + shellWord(fitted.machine) +
                       " --stack ddp --precision fp32 --section time");
    } else if (!fitted.machine.empty()) {
        next.push_back(start + "plan -m llama-3.1-8b -c " + shellWord(fitted.machine) +
                       " --seq 8192 --global-batch 64");
    } else if (!fitted.gpu.empty()) {
        next.push_back(start + "plan -m llama-3.1-8b --gpu " + fitted.gpu +
                       " --gpus-per-node 8 --seq 8192 --global-batch 64");
    }
    next.push_back(start + "profiles verify");
    return next;
}

}  // namespace

Result<CalibratedProfile> fitCalibration(const ProfileStore& store,
                                         const MergedMeasurements& measured,
                                         const CalibrateFit& fit,
                                         const GlobalOptions& options) {
    CalibratedProfile profile;
    FABRICAST_ASSIGN(profile.fitted, fitRecord(store, measured, fit.options));
    std::vector<std::string> beneath;
    for (const std::string& folder : options.profileFolders) {
        beneath.push_back(options.at(folder));
    }
    FABRICAST_TRY(writeProfile(profile.fitted, options.at(fit.folder), std::move(beneath)));
    for (const ProfileText& file : profile.fitted.files) {
        profile.written.push_back(fit.folder + "/" + file.path);
    }
    if (!fit.topology.empty()) {
        FABRICAST_ASSIGN(std::string path, keepTopology(store, fit, profile.fitted, options));
        profile.written.push_back(std::move(path));
    }
    profile.next = useOf(fit, profile.fitted);
    return profile;
}

}  // namespace fabricast
