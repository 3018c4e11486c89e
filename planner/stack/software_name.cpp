#include "planner/stack/software_name.h"

namespace fabricast {

std::string_view softwareName(const Settings& settings) {
    switch (settings.kernels.code) {
        case ModelCode::TransformerEngine:
            return "transformer-engine";
        case ModelCode::Megatron:
            return "megatron";
        case ModelCode::Torch:
        case ModelCode::HuggingFace:
        case ModelCode::TorchTitan:
            break;
    }
    return settings.kernels.compile ? "torch-compiled" : "torch-eager";
}

}  // namespace fabricast
