#include "planner/evidence/correct_machine.h"

#include <cstddef>

namespace fabricast {

namespace {

MachineFactor factorOf(GemmType type) {
    switch (type) {
        case GemmType::Fp8Gemm:
        case GemmType::Fp8:
        case GemmType::Fp8Block:
        case GemmType::MxFp8:
            return MachineFactor::Fp8;
        case GemmType::NvFp4:
            return MachineFactor::Fp4;
        default:
            return MachineFactor::Bf16;
    }
}

}  // namespace

void correctKernels(KernelProfile& kernels, const MachineFactors& factors) {
    const double clock = factors.of(MachineFactor::Clock);
    kernels.sustained.factor *= clock;
    for (std::size_t type = 0; type < kGemmTypes; ++type) {
        if (kernels.gemm[type]) {
            kernels.gemm[type]->efficiency *= factors.of(factorOf(static_cast<GemmType>(type)));
        }
    }
    for (AttentionFit& fit : kernels.attention) {
        // One that was timed in a loop is not divided by the sustained rate.
        fit.efficiency *= factors.of(MachineFactor::Attention) * (fit.inLoop ? clock : 1.0);
    }
    const double experts = factors.of(MachineFactor::Experts);
    kernels.grouped.forward /= experts;
    kernels.grouped.inputGradient /= experts;
    kernels.grouped.weightGradient /= experts;
    for (MemoryFit& fit : kernels.memory) {
        fit.efficiency *= factors.of(MachineFactor::Memory);
        fit.launch = fit.launch * (1.0 / factors.of(MachineFactor::Memory));
    }
}

void correctNode(NodeSpec& node, const MachineFactors& factors) {
    if (node.gpu.kernels) {
        correctKernels(*node.gpu.kernels, factors);
    }
    for (std::size_t i = 0; i < kMachineFactors; ++i) {
        node.own.factors.speeds[i] *= factors.speeds[i];
    }
}

}  // namespace fabricast
