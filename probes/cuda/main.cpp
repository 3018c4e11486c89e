#include "probes/cuda/cuda_program.h"

int main(int argc, char** argv) {
    using namespace fabricast::probe;
    return runProbe(cudaProgram(), std::span<const char* const>(argv + 1, argv + argc));
}
