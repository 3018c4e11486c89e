#include "machine/calibration.h"
#include "planner/measured/recognise_machine.h"
#include "probes/fit/fit_demands.h"
#include "probes/fit/older_profile.h"
#include "simulator/topology/read_topology.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {
namespace {

class PlannedFit {
public:
    PlannedFit(const FitAsk& ask,
               const CalibrationPlan& plan,
               const MachineInventory& machine,
               const ProfileStore& store)
        : ask_(ask), plan_(plan), here_(machine), store_(store) {}

    Result<void> check() && {
        FABRICAST_TRY(checkMachineNamed());
        FABRICAST_TRY(findGpu());
        if (!ask_.machine.empty()) {
            FABRICAST_ASSIGN(machine_, store_.cluster(ask_.machine, "--machine"));
        }
        if (run("cuda") != nullptr && (gpu_ || !here_.gpus.empty())) {
            FABRICAST_TRY(checkKernelsOf(store_, gpu_, seen()));
        }
        FABRICAST_TRY(checkRanks());
        if (!ask_.topology.empty()) {
            const std::string gpu = gpu_ ? gpu_->name : ask_.gpu;
            FABRICAST_ASSIGN(const DescribedTopology read,
                             readTopology(ask_.topology, gpu, store_));
        }
        FABRICAST_TRY(checkHost());
        return checkPlaces();
    }

private:
    [[nodiscard]] const ProbeRun* run(std::string_view engine) const {
        const auto found = std::ranges::find(plan_.runs, engine, &ProbeRun::engine);
        return found == plan_.runs.end() ? nullptr : &*found;
    }
    [[nodiscard]] std::string driverName() const {
        return here_.gpus.empty() ? std::string() : here_.gpus.front().name;
    }

    [[nodiscard]] SeenGpu seen() const {
        return here_.gpus.empty() ? SeenGpu{} : seenGpu(here_.gpus.front());
    }

    /// Collectives belong to a machine; so does the host's memory, where nothing else is measured.
    [[nodiscard]] Result<void> checkMachineNamed() const {
        const bool isNeeded =
            run("nccl") != nullptr || (run("host") != nullptr && plan_.runs.size() == 1);
        if (!isNeeded || !ask_.machine.empty()) {
            return {};
        }
        return fail(Error::Code::BadInput,
                    "--machine",
                    std::string("is missing: ") +
                        (run("nccl") != nullptr ? "collectives" : "a host's memory and copies") +
                        " are kept as those of a cluster or node profile, and this machine is "
                        "like none in all that can be seen of it; nothing was measured",
                    "--machine and the node or cluster profile of this machine");
    }

    Result<void> findGpu() {
        if (!ask_.gpu.empty()) {
            FABRICAST_ASSIGN(gpu_, store_.gpu(ask_.gpu, "--gpu"));
        } else if (!here_.gpus.empty()) {
            const MachineInventory::Gpu& first = here_.gpus.front();
            FABRICAST_ASSIGN(gpu_, recogniseGpu(store_, seenGpu(first)));
        }
        return {};
    }

    [[nodiscard]] Result<void> checkRanks() const {
        const ProbeRun* const nccl = run("nccl");
        if (nccl == nullptr || !machine_) {
            return {};
        }
        FABRICAST_TRY(checkGpuOf(*machine_, gpu_, driverName(), !ask_.gpu.empty(), "--machine"));
        return checkRanksOf(
            *machine_, static_cast<std::int64_t>(nccl->environments.size()), 1, "calibrate");
    }

    /// Where nothing else would be fitted; beside other measurements it is left out of them.
    [[nodiscard]] Result<void> checkHost() const {
        if (run("host") == nullptr || plan_.runs.size() > 1 || !machine_ || ask_.replaces) {
            return {};
        }
        const std::string other = otherHostBecause(machine_->node,
                                                   static_cast<double>(here_.memory.count()),
                                                   static_cast<double>(here_.threads));
        return other.empty()
                   ? Result<void>()
                   : fail(Error::Code::BadInput,
                          "--machine",
                          "this host is not " + machine_->node.name + ": " + other +
                              "; nothing was measured",
                          "--machine and the node or cluster profile of this host, or --force, "
                          "which takes it all the same");
    }

    /// The files that these runs make, as far as it is known.
    [[nodiscard]] std::vector<std::string> files() const {
        std::vector<std::string> all;
        if (run("nccl") != nullptr) {
            all.push_back("collectives/measured-" + ask_.name);
        }
        if (run("cuda") != nullptr && gpu_) {
            all.push_back("kernels/" + gpu_->name);
            all.push_back("runtimes/" + gpu_->name);
        }
        if (run("host") != nullptr && machine_) {
            all.push_back("nodes/" + machine_->node.name);
        }
        if (run("mpi") != nullptr) {
            all.push_back("clusters/" + ask_.name);
        }
        for (std::string& file : all) {
            file += ".json";
        }
        return all;
    }

    [[nodiscard]] Result<void> checkPlaces() const {
        const std::vector<std::string> made = files();
        for (const std::string& file : made) {
            const std::filesystem::path parent =
                (std::filesystem::path(ask_.folder) / file).parent_path();
            FABRICAST_TRY(checkFolder("--profile", parent.string()));
            FABRICAST_TRY(ask_.checkWritten((std::filesystem::path(ask_.folder) / file).string()));
            FABRICAST_TRY(ask_.replaces ? checkProfilePlace(file, ask_.folder)
                                        : checkReadableProfile(file, ask_.folder));
        }
        return verifyBeside(made, ask_.folder, ask_.profileFolders);
    }

    const FitAsk& ask_;
    const CalibrationPlan& plan_;
    const MachineInventory& here_;
    const ProfileStore& store_;
    std::optional<ClusterSpec> machine_;
    std::optional<GpuSpec> gpu_;
};

}  // namespace

Result<void> checkPlannedFit(const FitAsk& ask,
                             const CalibrationPlan& plan,
                             const MachineInventory& machine,
                             const ProfileStore& store) {
    return ask.folder.empty() ? Result<void>() : PlannedFit(ask, plan, machine, store).check();
}

}  // namespace fabricast
