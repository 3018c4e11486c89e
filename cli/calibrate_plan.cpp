#include "cli/calibrate_plan.h"

#include "cli/child_process.h"
#include "cli/free_port.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : ",") + word;
    }
    return text;
}

/// Open MPI's own two variables.
bool mayRunAsRoot() {
    const auto isSet = [](const char* name) {
        return std::getenv(name) != nullptr;  // NOLINT(concurrency-mt-unsafe): no threads yet
    };
    return isSet("OMPI_ALLOW_RUN_AS_ROOT") && isSet("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM");
}

class Planner {
public:
    Planner(const CalibrateRequest& request, const MachineInventory& machine)
        : request_(request), machine_(machine) {}

    Result<CalibratePlan> run() && {
        using Engine = CalibrateEngine;
        FABRICAST_TRY(checkFlags());
        switch (request_.engine) {
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
            each.record = recordOf(request_.out, each.engine, several);
        }
        return std::move(plan_);
    }

private:
    [[nodiscard]] Result<void> checkFlags() const {
        const bool takesRanks = request_.engine == CalibrateEngine::Mpi ||
                                request_.engine == CalibrateEngine::Nccl ||
                                request_.engine == CalibrateEngine::Auto;
        if (request_.ranks > 0 && !takesRanks) {
            return fail(Error::Code::BadInput, "--ranks", "is for --engine mpi and nccl");
        }
        if (!request_.tunerDump.empty() && request_.engine != CalibrateEngine::Nccl &&
            request_.engine != CalibrateEngine::Auto) {
            return fail(Error::Code::BadInput, "--tuner-dump", "is for --engine nccl");
        }
        if (!request_.hosts.empty() && request_.engine != CalibrateEngine::Mpi) {
            return fail(Error::Code::BadInput,
                        "--hosts",
                        "is for --engine mpi; run other probes on several hosts under srun or "
                        "mpirun, and hand their records to --from-record");
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
        } else {
            addIfThere(cuda());
            if (machine_.gpus.size() > 1) {
                addIfThere(nccl());
            } else {
                plan_.remarks.emplace_back("not measured: collectives, with one GPU here");
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
        FABRICAST_ASSIGN(std::string program, findProbe("fabricast-probe-host", request_.probes));
        ProbeRun run{.engine = "host", .command = {std::move(program)}};
        if (!request_.scratch.empty()) {
            run.command.insert(run.command.end(), {"--scratch", request_.scratch});
        }
        return run;
    }

    [[nodiscard]] Result<ProbeRun> cuda() const {
        FABRICAST_ASSIGN(std::string program, findProbe("fabricast-probe-cuda", request_.probes));
        ProbeRun run{.engine = "cuda", .command = {std::move(program)}, .weight = 4.0};
        // One GPU stands for its kind.
        if (!request_.gpus.empty()) {
            run.command.insert(run.command.end(), {"--device", request_.gpus.front()});
        }
        if (request_.evenIfBusy) {
            run.command.insert(run.command.end(), {"--even-if-busy", "1"});
        }
        return run;
    }

    [[nodiscard]] Result<ProbeRun> nccl() const {
        FABRICAST_ASSIGN(std::string program, findProbe("fabricast-probe-nccl", request_.probes));
        ProbeRun run{.engine = "nccl", .command = {std::move(program)}, .weight = 3.0};
        const std::size_t here =
            request_.gpus.empty() ? machine_.gpus.size() : request_.gpus.size();
        const auto ranks = request_.ranks > 0 ? static_cast<std::size_t>(request_.ranks)
                                              : std::max<std::size_t>(1, here);
        FABRICAST_ASSIGN(const std::string port, freePort());
        std::string tuner;
        if (!request_.tunerDump.empty()) {
            FABRICAST_ASSIGN(tuner, findProbe("libnccl-tuner-fabricast.so", request_.probes));
        }
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            const std::string number = std::to_string(rank);
            std::vector<std::string> variables = {"RANK=" + number,
                                                  "LOCAL_RANK=" + number,
                                                  "WORLD_SIZE=" + std::to_string(ranks),
                                                  "LOCAL_WORLD_SIZE=" + std::to_string(ranks),
                                                  "MASTER_ADDR=127.0.0.1",
                                                  "MASTER_PORT=" + port};
            if (!request_.gpus.empty()) {
                variables.push_back("CUDA_VISIBLE_DEVICES=" + joined(request_.gpus));
            }
            if (!tuner.empty()) {
                // On every rank alike; rank 0, which is in a group of each kind, writes.
                variables.push_back("NCCL_TUNER_PLUGIN=" + tuner);
                variables.push_back("FABRICAST_TUNER_DUMP=" +
                                    (rank == 0 ? request_.tunerDump : std::string()));
            }
            run.environments.push_back(std::move(variables));
        }
        return run;
    }

    [[nodiscard]] Result<ProbeRun> mpi() const {
        FABRICAST_ASSIGN(const std::string program,
                         findProbe("fabricast-probe-mpi", request_.probes));
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
                        "be another user, or set OMPI_ALLOW_RUN_AS_ROOT=1 and "
                        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1");
        }
        ProbeRun run{.engine = "mpi", .command = {*std::move(launcher)}, .weight = 4.0};
        const auto ranks =
            request_.ranks > 0
                ? request_.ranks
                : std::max<std::int64_t>(2, static_cast<std::int64_t>(request_.hosts.size()));
        // Bound ranks of several hosts on one machine would share a core.
        run.command.insert(run.command.end(),
                           {"-np", std::to_string(ranks), "--map-by", "node", "--bind-to", "none"});
        if (!request_.hosts.empty()) {
            run.command.insert(run.command.end(), {"--host", hostSlots(ranks)});
        } else {
            run.command.emplace_back("--oversubscribe");
        }
        run.command.push_back(program);
        return run;
    }

    /// "a:2,b:2": as many ranks on each as all of them need.
    [[nodiscard]] std::string hostSlots(std::int64_t ranks) const {
        const auto hosts = static_cast<std::int64_t>(request_.hosts.size());
        const std::string slots = ":" + std::to_string((ranks + hosts - 1) / hosts);
        std::string text;
        for (const std::string& host : request_.hosts) {
            text += (text.empty() ? "" : ",") + host;
            text += host.find(':') == std::string::npos ? slots : "";
        }
        return text;
    }

    const CalibrateRequest& request_;
    const MachineInventory& machine_;
    CalibratePlan plan_;
};

}  // namespace

Result<CalibratePlan> planCalibration(const CalibrateRequest& request,
                                      const MachineInventory& machine) {
    return Planner(request, machine).run();
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
