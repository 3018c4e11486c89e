#pragma once
#include "probes/record/answer.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace fabricast::probe {

/// Environment variables by name.
using Environment = std::map<std::string, std::string>;

/// Those of this process.
Environment processEnvironment();

/// A variable's text; empty where it is not set.
std::string variableOf(const Environment& environment, const std::string& name);

/// Where this process stands among those that were started together.
struct Place {
    int rank = 0;
    int world = 1;
    std::optional<int> localRank;  ///< among those on this host; empty where nobody has said
    std::optional<int> localSize;  ///< how many there are on this host
    std::string host;              ///< where rank 0 waits for the others; empty in a world of one
    std::uint16_t port = 0;
    int listener = -1;     ///< of rank 0: a socket that listens there already; -1: none
    std::string job;       ///< what tells this job from others: a Slurm job's id, say
    std::string launcher;  ///< "flags", "torchrun", "mpirun", "srun", "mpiexec" or "alone"
};

/// What the command line says of it; what it does not say comes from the launcher.
struct PlaceFlags {
    std::optional<int> rank;
    std::optional<int> world;
    std::optional<int> localRank;
    std::optional<int> localSize;
    std::string rendezvous;  ///< "HOST:PORT"
};

/// Takes --rank, --world-size, --local-rank, --local-size or --rendezvous; false for another flag.
Answer<bool> takePlaceFlag(const std::string& flag, const std::string& value, PlaceFlags& flags);

/// The lines about these flags for --help.
std::string placeHelp();

/// From the flags, else from what torchrun, mpirun (OpenMPI), srun or a Hydra mpiexec (MPICH,
/// Intel) have put into the environment: of several the innermost, so mpirun inside salloc is
/// mpirun. FABRICAST_PROBE_PORT is the port where --rendezvous names none.
Answer<Place> placeOf(const PlaceFlags& flags, const Environment& environment);

}  // namespace fabricast::probe
