#include "planner/evidence/borrow_kernels.h"
#include "planner/profiles/profile_store.h"
#include "planner/profiles/read_kernel_profile.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

/// A GPU of an architecture that was measured on another card.
BorrowedRates relative() {
    BorrowedRates rates;
    // The spread of one donor's efficiency over the cards of its architecture.
    rates.extraError.value = 0.1;
    rates.extraError.note = "another card of this architecture";
    return rates;
}

}  // namespace

Result<KernelProfile> ProfileStore::borrowed(const KernelFile& file, const GpuSpec& gpu) const {
    FABRICAST_ASSIGN(const ProfileFile donorFile,
                     find(ProfileKind::Kernel, file.donor->name, file.donor->where));
    FABRICAST_ASSIGN(const KernelFile donor, parsed(donorFile, &readKernelFile));
    if (donor.donor) {
        return fail(Error::Code::BadInput,
                    file.donor->where,
                    "\"" + file.donor->name + "\" borrows its own kernels",
                    "name \"" + donor.donor->name + "\"");
    }
    return borrowKernels(donor.fitted, gpu, file.rates);
}

Result<std::optional<KernelProfile>> ProfileStore::relatedKernels(const GpuSpec& gpu) const {
    for (const ProfileFile& file : files(ProfileKind::Kernel)) {
        FABRICAST_ASSIGN(const KernelFile donor, parsed(file, &readKernelFile));
        if (std::ranges::find(donor.donorFor, gpu.architecture) != donor.donorFor.end()) {
            return borrowKernels(donor.fitted, gpu, relative());
        }
    }
    return std::optional<KernelProfile>();
}

Result<std::optional<KernelProfile>> ProfileStore::kernelsOf(const GpuSpec& gpu) const {
    FABRICAST_ASSIGN(const ProfileFile* const found, lookUp(ProfileKind::Kernel, gpu.name));
    if (found == nullptr) {
        FABRICAST_ASSIGN(std::optional<KernelProfile> related, relatedKernels(gpu));
        return related ? completeKernels(*std::move(related), gpu) : std::move(related);
    }
    FABRICAST_ASSIGN(const KernelFile file, parsed(*found, &readKernelFile));
    if (!file.donor) {
        return completeKernels(file.fitted, gpu);
    }
    FABRICAST_ASSIGN(KernelProfile kernels, borrowed(file, gpu));
    return completeKernels(std::move(kernels), gpu);
}

}  // namespace fabricast
