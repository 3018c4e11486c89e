#include "probes/nccl/nccl_program.h"

int main(int count, char** words) {
    const std::span<const char* const> arguments(words + 1, static_cast<std::size_t>(count - 1));
    fabricast::probe::NcclProgram probe(fabricast::probe::processEnvironment());
    return fabricast::probe::runProbe(probe.program(arguments), arguments);
}
