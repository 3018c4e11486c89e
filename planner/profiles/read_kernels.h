#pragma once
#include "planner/base/result.h"
#include "planner/evidence/borrow_kernels.h"
#include "planner/profiles/read_profile.h"
#include "planner/spec/kernel_profile.h"
#include "planner/text/json_document.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

// The sections of a kernel profile, one kind of kernel each; schema/kernel.schema.json has the
// keys.

Result<void> readGemmFits(const JsonValue& root, KernelProfile& kernels);
Result<void> readAttentionFits(const JsonValue& root, KernelProfile& kernels);
Result<void> readBackwardRatios(const JsonValue& root, KernelProfile& kernels);
Result<void> readGroupedFit(const JsonValue& root, KernelProfile& kernels);
Result<void> readMemoryFits(const JsonValue& root, KernelProfile& kernels);

/// "source" of a section; "from", "note" and "rows" are for people.
Result<Source> readSectionSource(const JsonValue& section);

/// A file of hardware_profiles/kernels: a GPU's own fit, or whose fit it borrows and what is known
/// of the difference.
struct KernelFile {
    std::string name;  ///< of the GPU
    std::string title;
    std::vector<std::string> donorFor;  ///< architectures whose GPUs borrow this fit unasked
    KernelProfile fitted;               ///< without a donor
    std::optional<ProfileReference> donor;
    BorrowedRates rates;
};

Result<KernelFile> readKernelFile(const JsonValue& root);

/// The kernels of one GPU by its file.
///     FABRICAST_ASSIGN(const KernelProfile kernels, readKernelFit(root));
Result<KernelProfile> readKernelFit(const JsonValue& root);

}  // namespace fabricast
