#include "machine/calibration_plan.h"

#include "machine/find_probe.h"
#include "machine/visible_gpus.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

/// Open MPI's own two variables, both of which it wants.
bool mayRunAsRoot() {
    const auto isSet = [](const char* name) {
        return std::getenv(name) != nullptr;  // NOLINT(concurrency-mt-unsafe): nobody sets it
    };
    return isSet("OMPI_ALLOW_RUN_AS_ROOT") && isSet("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM");
}

class Planner {
public:
    Planner(const MeasureAsk& ask, const MachineInventory& machine)
        : ask_(ask), machine_(machine), visible_(VisibleGpus::here(machine.gpus.size())) {}

    Result<CalibrationPlan> run() && {
        using Engine = CalibrationEngine;
        FABRICAST_TRY(checkAsk());
        switch (ask_.engine) {
            case Engine::Host:
                FABRICAST_TRY(add(host()));
                break;
            case Engine::Cuda:
                FABRICAST_TRY(add(cuda()));
                break;
            case Engine::Nccl:
                FABRICAST_TRY(add(nccl()));
                break;
            case Engine::Mpi:
                FABRICAST_TRY(add(mpi()));
                break;
            case Engine::Auto:
                FABRICAST_TRY(addAll());
                break;
        }
        const bool several = plan_.runs.size() > 1;
        for (ProbeRun& each : plan_.runs) {
            each.record = recordOf(ask_.out, each.engine, several);
        }
        return std::move(plan_);
    }

private:
    [[nodiscard]] Result<void> checkAsk() const {
        const bool takesRanks = ask_.engine == CalibrationEngine::Mpi ||
                                ask_.engine == CalibrationEngine::Nccl ||
                                ask_.engine == CalibrationEngine::Auto;
        if (ask_.ranks > 0 && !takesRanks) {
            return fail(Error::Code::BadInput, "--ranks", "is for --engine mpi or nccl");
        }
        if (!ask_.tunerDump.empty() && ask_.engine != CalibrationEngine::Nccl &&
            ask_.engine != CalibrationEngine::Auto) {
            return fail(Error::Code::BadInput, "--tuner-dump", "is for --engine nccl");
        }
        for (const std::string& gpu : ask_.gpus) {
            if (!machine_.gpus.empty() && !visible_.has(gpu)) {
                return fail(Error::Code::BadInput,
                            "--gpus",
                            "GPU " + gpu + " is hidden by " + visible_.why(),
                            "name visible ones, or unset CUDA_VISIBLE_DEVICES");
            }
        }
        if (!ask_.hosts.empty() && ask_.engine != CalibrationEngine::Mpi) {
            return fail(Error::Code::BadInput,
                        "--hosts",
                        "is for --engine mpi",
                        "run other probes on several hosts under srun or mpirun, and fit their "
                        "records with --from-record");
        }
        return {};
    }

    Result<void> add(Result<ProbeRun> run) {
        if (!run) {
            return tl::unexpected(std::move(run).error());
        }
        plan_.runs.push_back(*std::move(run));
        return {};
    }
    void addIfThere(Result<ProbeRun> run) {
        if (run) {
            plan_.runs.push_back(*std::move(run));
        } else {
            plan_.remarks.push_back("not measured: " + run.error().text());
        }
    }

    Result<void> addAll() {
        addIfThere(host());
        if (machine_.gpus.empty()) {
            addIfThere(mpi());
        } else if (visible_.count() == 0) {
            plan_.remarks.push_back("not measured: GPUs, since " + visible_.why() + " hides all");
        } else {
            addIfThere(cuda());
            if (visible_.count() > 1) {
                addIfThere(nccl());
            } else {
                plan_.remarks.push_back("not measured: collectives, since there is only one GPU" +
                                        (visible_.why().empty() ? "" : ": " + visible_.why()));
            }
        }
        if (plan_.runs.empty()) {
            return fail(Error::Code::Environment,
                        "--engine",
                        "no probe program was found",
                        "cmake --build build, or name their folder: --probes DIR");
        }
        return {};
    }

    [[nodiscard]] Result<ProbeRun> host() const {
        FABRICAST_ASSIGN(std::string program, findProbe("fabricast-probe-host", ask_.probes));
        ProbeRun run{.engine = "host", .command = {std::move(program)}};
        if (!ask_.scratch.empty()) {
            run.command.insert(run.command.end(), {"--scratch", ask_.scratch});
        }
        return run;
    }

    [[nodiscard]] Result<ProbeRun> cuda() const {
        FABRICAST_ASSIGN(std::string program, findProbe("fabricast-probe-cuda", ask_.probes));
        ProbeRun run{.engine = "cuda", .command = {std::move(program)}, .weight = 4.0};
        // The GPUs of a node are alike: one is measured.
        if (!ask_.gpus.empty()) {
            run.environments.push_back(chosenGpus());
        }
        if (ask_.evenIfBusy) {
            run.command.insert(run.command.end(), {"--even-if-busy", "1"});
        }
        return run;
    }

    /// The driver numbers GPUs by their place on the bus, CUDA the fastest first.
    [[nodiscard]] std::vector<std::string> chosenGpus() const {
        return {"CUDA_DEVICE_ORDER=PCI_BUS_ID",
                fmt::format("CUDA_VISIBLE_DEVICES={}", fmt::join(ask_.gpus, ","))};
    }

    [[nodiscard]] Result<ProbeRun> nccl() const {
        FABRICAST_ASSIGN(std::string program, findProbe("fabricast-probe-nccl", ask_.probes));
        ProbeRun run{.engine = "nccl", .command = {std::move(program)}, .weight = 3.0};
        run.meets = true;
        const std::size_t here = ask_.gpus.empty() ? visible_.count() : ask_.gpus.size();
        const auto ranks =
            ask_.ranks > 0 ? static_cast<std::size_t>(ask_.ranks) : std::max<std::size_t>(1, here);
        if (!visible_.why().empty() && !machine_.gpus.empty() && ranks > here) {
            return fail(Error::Code::BadInput,
                        "--ranks",
                        fmt::format("{} ranks need one GPU each, and there are {}: {}",
                                    ranks,
                                    here,
                                    visible_.why()),
                        "unset CUDA_VISIBLE_DEVICES, or ask for fewer");
        }
        std::string tuner;
        if (!ask_.tunerDump.empty()) {
            FABRICAST_ASSIGN(tuner, findProbe("libnccl-tuner-fabricast.so", ask_.probes));
        }
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            const std::string number = std::to_string(rank);
            std::vector<std::string> variables = {"RANK=" + number,
                                                  "LOCAL_RANK=" + number,
                                                  "WORLD_SIZE=" + std::to_string(ranks),
                                                  "LOCAL_WORLD_SIZE=" + std::to_string(ranks),
                                                  "MASTER_ADDR=127.0.0.1"};
            if (!ask_.gpus.empty()) {
                std::ranges::copy(chosenGpus(), std::back_inserter(variables));
            }
            if (!tuner.empty()) {
                // The same on every rank; only rank 0 writes, as it is in a group of each kind.
                // Whoever chose before goes on to choose.
                const char* const former =
                    std::getenv("NCCL_TUNER_PLUGIN");  // NOLINT(concurrency-mt-unsafe)
                if (former != nullptr) {
                    variables.push_back(std::string("FABRICAST_TUNER_NEXT=") + former);
                }
                variables.push_back("NCCL_TUNER_PLUGIN=" + tuner);
                variables.push_back("FABRICAST_TUNER_DUMP=" +
                                    (rank == 0 ? ask_.tunerDump : std::string()));
            }
            run.environments.push_back(std::move(variables));
        }
        return run;
    }

    [[nodiscard]] Result<ProbeRun> mpi() const {
        FABRICAST_ASSIGN(const std::string program, findProbe("fabricast-probe-mpi", ask_.probes));
        Result<std::string> launcher = findProbe("mpirun", "");
        if (!launcher) {
            return fail(Error::Code::Environment,
                        "mpirun",
                        "is not on PATH",
                        "install Open MPI (libopenmpi-dev, openmpi-bin)");
        }
        if (::geteuid() == 0 && !mayRunAsRoot()) {
            return fail(Error::Code::Environment,
                        "mpirun",
                        "refuses to run as root",
                        "run as another user, or set OMPI_ALLOW_RUN_AS_ROOT=1 and "
                        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
        }
        ProbeRun run{.engine = "mpi", .command = {*std::move(launcher)}, .weight = 4.0};
        const auto ranks = ask_.ranks > 0 ? ask_.ranks
                                          : std::max<std::int64_t>(
                                                2, static_cast<std::int64_t>(ask_.hosts.size()));
        // With binding, ranks of several "hosts" on one machine would share a core.
        run.command.insert(run.command.end(),
                           {"-np", std::to_string(ranks), "--map-by", "node", "--bind-to", "none"});
        if (!ask_.hosts.empty()) {
            run.command.insert(run.command.end(), {"--host", hostSlots(ranks)});
        } else {
            run.command.emplace_back("--oversubscribe");
        }
        run.command.push_back(program);
        return run;
    }

    /// "a:2,b:2": the ranks spread evenly over the hosts.
    [[nodiscard]] std::string hostSlots(std::int64_t ranks) const {
        const auto hosts = static_cast<std::int64_t>(ask_.hosts.size());
        const std::string slots = ":" + std::to_string((ranks + hosts - 1) / hosts);
        std::string text;
        for (const std::string& host : ask_.hosts) {
            text += (text.empty() ? "" : ",") + host;
            text += host.find(':') == std::string::npos ? slots : "";
        }
        return text;
    }

    const MeasureAsk& ask_;
    const MachineInventory& machine_;
    VisibleGpus visible_;
    CalibrationPlan plan_;
};

}  // namespace

Result<CalibrationPlan> planCalibration(const MeasureAsk& ask, const MachineInventory& machine) {
    return Planner(ask, machine).run();
}

std::string recordOf(const std::string& out, std::string_view engine, bool several) {
    if (!several) {
        return out;
    }
    std::filesystem::path path(out);
    const std::string ending = path.extension().string();
    path.replace_extension("." + std::string(engine) + (ending.empty() ? ".jsonl" : ending));
    return path.string();
}

}  // namespace fabricast
