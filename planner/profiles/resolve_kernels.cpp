#include "planner/base/quantity_text.h"
#include "planner/evidence/borrow_kernels.h"
#include "planner/profiles/most_of_peak.h"
#include "planner/profiles/profile_store.h"
#include "planner/profiles/read_kernels.h"

#include <algorithm>
#include <cmath>
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

/// Three digits of a rate.
std::string roundedText(FlopsPerSecond rate) {
    const double unit = std::pow(10.0, std::floor(std::log10(rate.count())) - 2.0);
    return quantityText(FlopsPerSecond(std::round(rate.count() / unit) * unit));
}

/// Products that were measured far above a peak are of another GPU, or of another unit.
Result<void> checkAgainstPeaks(const KernelProfile& kernels,
                               const GpuSpec& gpu,
                               const std::string& where) {
    for (std::size_t index = 0; index < kGemmTypes; ++index) {
        const std::optional<GemmFit>& fit = kernels.gemm[index];
        const char* const name = peakName(static_cast<GemmType>(index));
        const auto peak = gpu.densePeak.find(name);
        if (!fit || peak == gpu.densePeak.end() || !peak->second.value) {
            continue;
        }
        const FlopsPerSecond rate = fit->peak * (fit->efficiency / (1.0 + fit->throttle));
        if (rate > *peak->second.value * kMostOfPeak) {
            return fail(Error::Code::BadInput,
                        where,
                        "\"dense_peak\" in " + std::string(name) + " is " +
                            quantityText(*peak->second.value) + ", but products of " + gpu.name +
                            " were measured at " + roundedText(rate),
                        "check the unit of the peak");
        }
    }
    return {};
}

}  // namespace

Result<KernelProfile> ProfileStore::completed(KernelProfile kernels, const GpuSpec& gpu) const {
    KernelProfile all = completeKernels(std::move(kernels), gpu);
    FABRICAST_ASSIGN(const ProfileFile* const own, lookUp(ProfileKind::Gpu, gpu.name));
    FABRICAST_TRY(checkAgainstPeaks(all, gpu, own == nullptr ? gpu.name : own->source));
    return all;
}

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
        if (!related) {
            return related;
        }
        FABRICAST_ASSIGN(KernelProfile kernels, completed(*std::move(related), gpu));
        return kernels;
    }
    FABRICAST_ASSIGN(const KernelFile file, parsed(*found, &readKernelFile));
    if (!file.donor) {
        KernelProfile fitted = file.fitted;
        FABRICAST_ASSIGN(const ProfileFile* const own, lookUp(ProfileKind::Gpu, gpu.name));
        if (own != nullptr && own->layer > found->layer) {  // said after it was measured
            fitted.memoryBandwidth = gpu.memoryBandwidth.value.value_or(fitted.memoryBandwidth);
        }
        return completed(std::move(fitted), gpu);
    }
    FABRICAST_ASSIGN(KernelProfile kernels, borrowed(file, gpu));
    return completed(std::move(kernels), gpu);
}

}  // namespace fabricast
