#pragma once
#include "planner/spec/settings.h"

#include <string_view>

namespace fabricast {

/// This is how each model library runs a layer: what the stacks' default settings start from.
KernelSettings huggingFaceKernels();
KernelSettings torchtitanKernels();
KernelSettings megatronKernels();

/// The profile of the software that runs a model's layers: "torch-eager", "torch-compiled",
/// "megatron" or "transformer-engine".
std::string_view softwareName(const Settings& settings);
/// A narrower name, whose profile is taken where there is one: "huggingface-eager".
std::string_view modelCodeName(const Settings& settings);

}  // namespace fabricast
