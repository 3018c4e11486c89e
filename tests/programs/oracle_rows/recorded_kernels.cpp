#include "tests/programs/oracle_rows/oracle_row.h"

namespace fabricast {

void setTransformersKernels(std::string_view loss, KernelSettings& kernels) {
    const bool everyLayer = loss == "liger_all";
    kernels.code = ModelCode::HuggingFace;
    kernels.norm = everyLayer ? NormKernel::Liger : NormKernel::Fp32;
    kernels.rope = everyLayer ? RopeKernel::Liger : RopeKernel::CosSin;
    kernels.activation = everyLayer ? ActivationKernel::Liger : ActivationKernel::Eager;
    kernels.loss = loss.empty() ? LossKernel::HuggingFace : LossKernel::Liger;
}

}  // namespace fabricast
