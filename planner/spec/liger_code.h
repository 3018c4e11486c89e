#pragma once
#include "planner/spec/scenario.h"

#include <string_view>

namespace fabricast {

/// How liger_kernel 0.8.5 patches a family of transformers (MODEL_TYPE_TO_APPLY_LIGER_FN): each
/// gets the fused loss and the norms of its residual, and most the rotary embedding and the MLP.
struct LigerCode {
    std::string_view family;
    /// The norm's backward writes over the gradient that it is given. Not where a residual is added
    /// between two norms, and reads the same gradient.
    bool overwritesGradients = true;
    bool normsHeads = true;  ///< also the norms of queries and keys; else they stay transformers'
    bool rotates = true;     ///< also the rotary embedding; else it stays transformers'
    bool activates = true;   ///< also the MLP, of experts too; else it stays transformers'
};

/// Null where Liger has no function for the family, or one that is not modelled.
const LigerCode* ligerCodeOf(const ModelSpec& model);
/// Whether Liger has a function for the family, modelled or not.
bool isLigerFamily(const ModelSpec& model);

/// Any of its kernels: the loss, the norm, the rotary embedding or the activation.
bool usesLiger(const KernelSettings& kernels);

}  // namespace fabricast
