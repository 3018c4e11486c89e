#pragma once
#include "probes/mpi/wire.h"
#include "probes/record/probe_program.h"

#include <memory>
#include <string>

namespace fabricast::probe {

/// The probe on one rank. Rank 0 reads the command line, keeps the record and tells the others
/// which point comes next; they follow.
class MpiProbe {
public:
    /// What the common program calls, on rank 0.
    ProbeProgram program();

    /// The other ranks, until rank 0 says that it is over. Answers the exit code.
    int follow(std::span<const char* const> arguments);

    /// This process's rank as mpirun says it, before MPI is there; 0 of a process on its own.
    static int launchedRank();

private:
    Answer<bool> takeFlag(const std::string& flag, const std::string& value);
    void join();
    void leave();
    Answer<Measurement> measure(const Point& point);
    Answer<std::string> doctor();

    std::unique_ptr<Wire> wire_;
    unsigned deadline_ = 60;  ///< seconds
};

}  // namespace fabricast::probe
