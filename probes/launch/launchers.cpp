#include "probes/launch/launchers.h"

#include <charconv>

namespace fabricast::probe {

namespace {

/// The names under which a launcher says the four numbers.
struct Names {
    std::string rank;
    std::string world;
    std::string localRank;
    std::string localSize;
};

std::optional<Trouble> readNumber(const Environment& environment,
                                  const std::string& name,
                                  int least,
                                  std::optional<int>& into) {
    const std::string text = variableOf(environment, name);
    if (text.empty()) {
        return std::nullopt;
    }
    const Answer<int> number = wholeVariable(name, text, least, kMostRanks);
    if (!number) {
        return number.trouble();
    }
    into = *number;
    return std::nullopt;
}

Answer<Place> numbersOf(const Environment& environment, const Names& names, const char* launcher) {
    Place place{.launcher = launcher};
    std::optional<int> rank;
    std::optional<int> world;
    for (const std::optional<Trouble>& trouble :
         {readNumber(environment, names.rank, 0, rank),
          readNumber(environment, names.world, 1, world),
          readNumber(environment, names.localRank, 0, place.localRank),
          readNumber(environment, names.localSize, 1, place.localSize)}) {
        if (trouble) {
            return *trouble;
        }
    }
    if (!rank || !world) {
        return Trouble{std::string(launcher) + " has set " + (rank ? names.rank : names.world) +
                       " but not " + (rank ? names.world : names.rank)};
    }
    place.rank = *rank;
    place.world = *world;
    return place;
}

Answer<Place> torchrunPlace(const Environment& environment) {
    Answer<Place> place = numbersOf(
        environment, {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"}, "torchrun");
    if (!place) {
        return place;
    }
    place->host = variableOf(environment, "MASTER_ADDR");
    if (environment.contains("TORCHELASTIC_RUN_ID")) {
        place->job = variableOf(environment, "TORCHELASTIC_RUN_ID") + "." +
                     variableOf(environment, "TORCHELASTIC_RESTART_COUNT");
    }
    const std::string text = variableOf(environment, "MASTER_PORT");
    if (!text.empty()) {
        // The agent's own store listens at MASTER_PORT, where it says so.
        const std::string store = variableOf(environment, "TORCHELASTIC_USE_AGENT_STORE");
        const bool taken = store == "True" || store == "true" || store == "1";
        const Answer<int> port = wholeVariable("MASTER_PORT", text, 1, 65535 - (taken ? 1 : 0));
        if (!port) {
            return port.trouble();
        }
        place->port = static_cast<std::uint16_t>(*port + (taken ? 1 : 0));
    }
    return place;
}

/// MPI launchers say no address: it is this host, what the user hands on, or Slurm's first.
Answer<Place> withAddress(Answer<Place> place, const Environment& environment) {
    if (!place) {
        return place;
    }
    place->host = variableOf(environment, "MASTER_ADDR");
    place->port = portOfJob(place->job);
    const std::string port = variableOf(environment, "MASTER_PORT");
    if (!port.empty()) {
        const Answer<int> number = wholeVariable("MASTER_PORT", port, 1, 65535);
        if (!number) {
            return number.trouble();
        }
        place->port = static_cast<std::uint16_t>(*number);
    }
    const std::string step = variableOf(environment, "SLURM_STEP_NODELIST");
    const std::string nodes = step.empty() ? variableOf(environment, "SLURM_JOB_NODELIST") : step;
    if (place->host.empty() && place->localSize == place->world) {
        place->host = "127.0.0.1";
    } else if (place->host.empty() && !nodes.empty()) {
        const Answer<std::string> host = firstHost(nodes);
        if (!host) {
            return Trouble{(step.empty() ? "SLURM_JOB_NODELIST: " : "SLURM_STEP_NODELIST: ") +
                           host.trouble().why};
        }
        place->host = *host;
    }
    return place;
}

Answer<Place> mpirunPlace(const Environment& environment) {
    Answer<Place> place = numbersOf(environment,
                                    {"OMPI_COMM_WORLD_RANK",
                                     "OMPI_COMM_WORLD_SIZE",
                                     "OMPI_COMM_WORLD_LOCAL_RANK",
                                     "OMPI_COMM_WORLD_LOCAL_SIZE"},
                                    "mpirun");
    if (place) {
        place->job = variableOf(environment, "PMIX_NAMESPACE");
    }
    return withAddress(std::move(place), environment);
}

Answer<Place> hydraPlace(const Environment& environment) {
    Answer<Place> place = numbersOf(
        environment, {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"}, "mpiexec");
    if (place) {
        place->job = variableOf(environment, "SLURM_JOB_ID");
    }
    return withAddress(std::move(place), environment);
}

/// How many tasks there are on this node, of "8(x4)" and which node it is.
Answer<std::optional<int>> slurmLocalSize(const Environment& environment) {
    for (const char* name :
         {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE", "SLURM_NTASKS_PER_NODE"}) {
        const std::string text = variableOf(environment, name);
        if (text.empty()) {
            continue;
        }
        const Answer<std::vector<int>> tasks = tasksPerNode(text);
        std::optional<int> node;
        const auto trouble = readNumber(environment, "SLURM_NODEID", 0, node);
        if (!tasks || trouble) {
            return Trouble{tasks ? trouble->why : name + (": " + tasks.trouble().why)};
        }
        // SLURM_NTASKS_PER_NODE may be one number for all nodes.
        const auto at = tasks->size() == 1 ? 0 : static_cast<std::size_t>(node.value_or(0));
        return at < tasks->size() ? std::optional((*tasks)[at]) : std::nullopt;
    }
    return std::optional<int>();
}

Answer<Place> srunPlace(const Environment& environment) {
    const bool step = environment.contains("SLURM_STEP_NUM_TASKS");
    Answer<Place> place = numbersOf(
        environment,
        {"SLURM_PROCID", step ? "SLURM_STEP_NUM_TASKS" : "SLURM_NTASKS", "SLURM_LOCALID", ""},
        "srun");
    if (!place) {
        return place;
    }
    const Answer<std::optional<int>> localSize = slurmLocalSize(environment);
    if (!localSize) {
        return localSize.trouble();
    }
    place->localSize = *localSize;
    place->job =
        variableOf(environment, "SLURM_JOB_ID") + "." + variableOf(environment, "SLURM_STEP_ID");
    return withAddress(std::move(place), environment);
}

}  // namespace

Answer<int> wholeVariable(const std::string& name, const std::string& text, int least, int most) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
        return Trouble{(name.empty() ? "" : name + ": ") + "'" + text +
                       "' is no whole number from " + std::to_string(least) + " to " +
                       std::to_string(most)};
    }
    return value;
}

std::uint16_t portOfJob(const std::string& job) {
    // FNV-1a; below 32768 lies what Linux hands out to clients.
    std::uint32_t hash = 2166136261U;
    for (const char letter : job) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
    }
    return static_cast<std::uint16_t>(20000U + hash % 12000U);
}

Answer<Place> launcherPlace(const Environment& environment) {
    const auto has = [&](const char* name) { return environment.contains(name); };
    if (has("RANK") && has("WORLD_SIZE")) {
        return torchrunPlace(environment);
    }
    if (has("OMPI_COMM_WORLD_RANK")) {
        return mpirunPlace(environment);
    }
    // Hydra starts its proxies with srun, whose variables then count hosts, not ranks.
    if (has("PMI_RANK") && (has("MPI_LOCALNRANKS") || !has("SLURM_STEP_ID"))) {
        return hydraPlace(environment);
    }
    // A batch script has SLURM_PROCID as well, but is no step and one process only.
    if (has("SLURM_PROCID") && (has("SLURM_STEP_ID") || has("SLURM_STEP_NUM_TASKS"))) {
        return srunPlace(environment);
    }
    return Place{.launcher = "alone"};
}

}  // namespace fabricast::probe
