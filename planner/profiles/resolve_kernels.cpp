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

/// Where a GPU says its peaks, and where its kernels say what was measured of it.
struct SaidOf {
    const ProfileFile* gpu = nullptr;
    const ProfileFile* kernels = nullptr;
};

/// The fault is where the user wrote something: in the kernels of a GPU that is built in, or in its
/// peak.
tl::unexpected<Error> abovePeak(const GpuSpec& gpu,
                                const std::string& type,
                                const std::string& work,
                                FlopsPerSecond rate,
                                FlopsPerSecond peak,
                                const SaidOf& said) {
    const bool isOfKernels = said.kernels != nullptr && said.kernels->isOwn() &&
                             (said.gpu == nullptr || !said.gpu->isOwn());
    if (isOfKernels) {
        return fail(Error::Code::BadInput,
                    said.kernels->source,
                    work + " of " + gpu.name + " in " + type + " would reach " + roundedText(rate) +
                        ", and the peak of its data sheet is " + quantityText(peak),
                    "check \"peak\" and \"efficiency\"");
    }
    return fail(Error::Code::BadInput,
                said.gpu == nullptr ? gpu.name : said.gpu->source,
                "\"dense_peak\" in " + type + " is " + quantityText(peak) + ", but " + work +
                    " of " + gpu.name + " were measured at " + roundedText(rate),
                "check the unit of the peak");
}

/// What was measured far above a peak is of another GPU, or of another unit.
template <class Fit>
Result<void> checkFit(const Fit& fit,
                      GemmType type,
                      const std::string& work,
                      const GpuSpec& gpu,
                      const SaidOf& said) {
    const char* const name = peakName(type);
    const auto peak = gpu.densePeak.find(name);
    if (peak == gpu.densePeak.end() || !peak->second.value) {
        return {};
    }
    const FlopsPerSecond rate = fit.peak * (fit.efficiency / (1.0 + fit.throttle));
    return rate <= *peak->second.value * kMostOfPeak
               ? Result<void>()
               : abovePeak(gpu, name, work, rate, *peak->second.value, said);
}

/// No kernel moves much more than the memory of the data sheet does. What a CPU's memory does was
/// measured, and its caches do more.
Result<void> checkAgainstMemory(const KernelProfile& kernels,
                                const GpuSpec& gpu,
                                const std::string& source) {
    if (gpu.memoryBandwidth.source != Source::Datasheet) {
        return {};
    }
    double most = std::ranges::max(kernels.memory, {}, &MemoryFit::efficiency).efficiency;
    for (const std::optional<GemmFit>& fit : kernels.gemm) {
        most = std::max(most, fit ? fit->bandwidthEfficiency : 0.0);
    }
    return most <= kMostOfPeak
               ? Result<void>()
               : fail(Error::Code::BadInput,
                      source,
                      "kernels of " + gpu.name + " would move " +
                          std::to_string(std::lround(100.0 * most)) + " % of what its memory does",
                      "check \"bandwidth_efficiency\", and \"efficiency\" of \"memory\"");
}

Result<void> checkAgainstPeaks(const KernelProfile& kernels,
                               const GpuSpec& gpu,
                               const SaidOf& said) {
    for (std::size_t index = 0; index < kGemmTypes; ++index) {
        if (const std::optional<GemmFit>& fit = kernels.gemm[index]) {
            FABRICAST_TRY(checkFit(*fit, static_cast<GemmType>(index), "products", gpu, said));
        }
    }
    // What is lent follows the products of both GPUs, and is no measurement of its own.
    if (said.kernels == nullptr || !said.kernels->isOwn()) {
        return {};
    }
    for (const AttentionFit& fit : kernels.attention) {
        FABRICAST_TRY(checkFit(fit, fit.type, "attentions", gpu, said));
    }
    return checkAgainstMemory(kernels, gpu, said.kernels->source);
}

}  // namespace

Result<KernelProfile> ProfileStore::completed(KernelProfile kernels, const GpuSpec& gpu) const {
    KernelProfile all = completeKernels(std::move(kernels), gpu);
    FABRICAST_ASSIGN(const ProfileFile* const own, lookUp(ProfileKind::Gpu, gpu.name));
    FABRICAST_ASSIGN(const ProfileFile* const fits, lookUp(ProfileKind::Kernel, gpu.name));
    FABRICAST_TRY(checkAgainstPeaks(all, gpu, {own, fits}));
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
