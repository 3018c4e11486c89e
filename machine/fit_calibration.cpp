#include "machine/calibration.h"
#include "planner/profiles/read_profile.h"
#include "planner/text/shell_text.h"
#include "probes/fit/older_profile.h"
#include "probes/record/utc_now.h"
#include "simulator/topology/read_topology.h"
#include "simulator/topology/topology_facts.h"
#include "simulator/topology/topology_report.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace fabricast {
namespace {

/// The machine's links, kept with the profile that was measured on it.
Result<ProfileText> topologyFile(const ProfileStore& store,
                                 const FitAsk& ask,
                                 const FittedRecord& fitted) {
    const std::string gpu = ask.gpu.empty() ? fitted.gpu : ask.gpu;
    FABRICAST_ASSIGN(const DescribedTopology described, readTopology(ask.topology, gpu, store));
    FABRICAST_ASSIGN(const TopologyFacts facts, topologyFacts(described, {}));
    FABRICAST_ASSIGN(const std::string text, topologyJson(described, facts, FABRICAST_VERSION));
    return ProfileText{"topologies/" + ask.name + ".json", text};
}

std::vector<std::string> useOf(const FitAsk& ask, const FittedRecord& fitted) {
    const std::string start = "fabricast --profile-dir " + shellWord(ask.folder) + " ";
    std::vector<std::string> next;
    const auto isCluster = [](const ProfileText& file) {
        return file.path.starts_with("clusters/");
    };
    if (std::ranges::any_of(fitted.files, isCluster)) {
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

/// What no reader takes of a profile that nobody has edited comes from what was measured.
Error ofMeasurements(Error error, const MergedMeasurements& measured) {
    return error.code != Error::Code::Internal || measured.sittings.empty()
               ? std::move(error)
               : Error(Error::Code::BadInput,
                       measured.sittings.front().source,
                       "measurements that no machine has: of them " + error.where + " would be, " +
                           error.why + "; nothing was written",
                       "measure again, into another record");
}

}  // namespace

Result<std::string> profileNameFor(const FitAsk& ask, const std::string& record) {
    const std::string name =
        ask.name.empty() ? nameLike(std::filesystem::path(record).stem().string()) : ask.name;
    if (name.empty()) {
        return fail(Error::Code::BadInput,
                    record,
                    "its name has no letters or digits to name a profile by",
                    "--name our-h100");
    }
    if (!isProfileName(name)) {
        return fail(Error::Code::BadInput,
                    "--name",
                    "\"" + name + "\" is not a valid profile name",
                    "at most 100 lower case letters, digits and hyphens: --name our-h100");
    }
    return name;
}

Result<CalibratedProfile> fitCalibration(const ProfileStore& store,
                                         const MergedMeasurements& measured,
                                         const FitAsk& ask) {
    CalibratedProfile profile;
    const std::string today = latestDay();
    // What an earlier sitting measured and this one did not stays, unless it is to be replaced.
    std::vector<std::string> folders = ask.profileFolders;
    folders.push_back(ask.folder);
    const Result<ProfileStore> earlier = ProfileStore::open(folders);
    const Result<ProfileStore> beneath = openBeneath(ask.profileFolders, ask.folder);
    FABRICAST_ASSIGN(profile.fitted,
                     fitRecord(earlier && !ask.replaces ? *earlier : store,
                               measured,
                               {.name = ask.name,
                                .gpu = ask.gpu,
                                .machine = ask.machine,
                                .isForced = ask.replaces,
                                .today = today,
                                .now = latestTime(),
                                .beneath = beneath ? &*beneath : nullptr}));
    std::vector<ProfileText> files = profile.fitted.files;
    if (!ask.topology.empty()) {
        FABRICAST_ASSIGN(ProfileText topology, topologyFile(store, ask, profile.fitted));
        files.push_back(std::move(topology));
    }
    for (const ProfileText& file : files) {
        const std::filesystem::path place = std::filesystem::path(ask.folder) / file.path;
        FABRICAST_TRY(checkFolder("--profile", place.parent_path().string()));
        FABRICAST_TRY(ask.checkWritten(ask.folder + "/" + file.path));
        FABRICAST_TRY(ask.replaces ? checkProfilePlace(file.path, ask.folder)
                                   : checkOlderProfile(file, ask.folder, ask.name, today));
    }
    if (Result<void> written = writeProfile(files, ask.folder, ask.profileFolders); !written) {
        return tl::unexpected(ofMeasurements(std::move(written).error(), measured));
    }
    for (const ProfileText& file : files) {
        profile.written.push_back(ask.folder + "/" + file.path);
    }
    profile.next = useOf(ask, profile.fitted);
    return profile;
}

}  // namespace fabricast
