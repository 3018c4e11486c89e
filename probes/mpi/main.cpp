// fabricast-probe-mpi: how fast CPUs compute and talk to each other, over MPI.
#include "probes/cpu/products.h"
#include "probes/mpi/mpi_probe.h"

#include <cstddef>
#include <span>

int main(int argc, char** argv) {
    using fabricast::probe::MpiProbe;
    const std::span<const char* const> arguments(argv + 1,
                                                 static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
    fabricast::probe::useOneThread();
    MpiProbe probe;
    return MpiProbe::launchedRank() > 0 ? probe.follow(arguments)
                                        : fabricast::probe::runProbe(probe.program(), arguments);
}
