#include "planner/profiles/profile_list.h"

#include "planner/base/quantity_text.h"
#include "planner/models/model_file.h"
#include "planner/ops/parameters.h"
#include "planner/profiles/read_measured_collectives.h"
#include "planner/profiles/read_records.h"
#include "planner/spec/kernel_names.h"

#include <cmath>
#include <utility>

namespace fabricast {
namespace {

/// Adds ", text" where there is one.
void append(std::string& summary, const std::string& text) {
    if (!text.empty()) {
        summary += (summary.empty() ? "" : ", ") + text;
    }
}

template <class T>
std::string knownText(const Sourced<T>& number) {
    return number.value ? quantityText(*number.value) : "";
}

std::string summaryOf(const GpuSpec& gpu) {
    std::string summary;
    append(summary, knownText(gpu.memory));
    append(summary, knownText(gpu.memoryBandwidth));
    for (const char* dtype : {"bf16", "fp16"}) {
        const auto peak = gpu.densePeak.find(dtype);
        if (peak != gpu.densePeak.end() && peak->second.value) {
            append(summary, std::string(dtype) + " " + knownText(peak->second));
            break;
        }
    }
    return summary;
}

std::string summaryOf(const NodeSpec& node) {
    std::string summary = std::to_string(node.gpus) + "x " + node.gpu.name;
    append(summary, node.gpuFabric);
    if (node.nics.value && node.nicBandwidth.value) {
        append(summary,
               std::to_string(*node.nics.value) + "x " + quantityText(*node.nicBandwidth.value) +
                   (node.nicFabric.empty() ? "" : " " + node.nicFabric));
    }
    return summary;
}

std::string summaryOf(const FabricSpec& fabric) {
    std::string summary = fabric.kind;
    append(summary, knownText(fabric.linkBandwidth) + (fabric.perNode ? " a node" : ""));
    append(summary, fabric.topology);
    if (fabric.oversubscription.value.value_or(1) > 1) {
        append(
            summary,
            quantityText(Tokens(static_cast<std::int64_t>(*fabric.oversubscription.value))) + ":1");
    }
    return summary;
}

std::string summaryOf(const ClusterSpec& cluster) {
    return std::to_string(cluster.node.gpus) + "x " + cluster.node.gpu.name + ", " +
           cluster.fabric.name;
}

/// "bf16 702 TFLOP/s sustained, 5 % mean error", and whose fit it is.
std::string summaryOf(const KernelProfile& kernels) {
    std::string summary;
    for (const GemmType type : {GemmType::Bf16, GemmType::Fp16}) {
        if (const GemmFit* fit = kernels.fit(type)) {
            const double rate = fit->peak.count() * fit->efficiency / (1 + fit->throttle) *
                                kernels.sustained.factor / kernels.gemmScale;
            constexpr double kTera = 1e12;
            append(summary,
                   std::string(nameOf(type)) + " sustains " +
                       quantityText(FlopsPerSecond(std::round(rate / kTera) * kTera)));
            append(summary, "error " + std::to_string(std::lround(100 * fit->error.mean)) + " %");
            break;
        }
    }
    append(summary, kernels.donor.empty() ? "fitted" : "from " + kernels.donor);
    return summary;
}

/// "a failure every 50677 h of a GPU"
std::string summaryOf(const SiteProfile& site) {
    std::string summary;
    if (const auto& mtbf = site.reliability.gpuMtbf.value) {
        constexpr double kHour = 3600.0;
        append(summary,
               "a failure every " + std::to_string(std::lround(mtbf->count() / kHour)) +
                   " h of a GPU");
    }
    return summary;
}

Result<void> readModelRow(const ProfileFile& file, ProfileRow& row) {
    FABRICAST_ASSIGN(const ModelSpec model, parseModel(file.text, file.source));
    row.title = model.family;
    row.summary = shortText(Tokens(countParameters(model).total)) + " parameters, " +
                  std::to_string(model.layers) + " layers of " + std::to_string(model.hidden);
    return {};
}

Result<void> readCollectiveRow(const ProfileStore& store,
                               const ProfileFile& file,
                               ProfileRow& row) {
    FABRICAST_ASSIGN(const JsonValue root, readDocument(file));
    if (isMeasured(root)) {
        FABRICAST_ASSIGN(const MeasuredCollectives measured, store.measuredCollectives(file));
        row.title = measured.title;
        row.summary = std::to_string(measured.curves.size()) + " curves";
        return {};
    }
    FABRICAST_ASSIGN(const NcclModel model, readNcclModel(root));
    row.title = model.title;
    row.summary = model.library + " " + model.version;
    return {};
}

Result<ProfileRow> rowOf(const ProfileStore& store, const ProfileFile& file) {
    ProfileRow row{.kind = file.kind, .name = file.name, .builtIn = file.layer == 0};
    switch (file.kind) {
        case ProfileKind::Gpu: {
            FABRICAST_ASSIGN(const GpuSpec gpu, store.gpu(file.name));
            row.title = gpu.title;
            row.summary = summaryOf(gpu);
            break;
        }
        case ProfileKind::Node: {
            FABRICAST_ASSIGN(const NodeSpec node, store.node(file.name));
            row.title = node.title;
            row.summary = summaryOf(node);
            break;
        }
        case ProfileKind::Fabric: {
            FABRICAST_ASSIGN(const FabricSpec fabric, store.fabric(file.name));
            row.title = fabric.title;
            row.summary = summaryOf(fabric);
            break;
        }
        case ProfileKind::Cluster: {
            FABRICAST_ASSIGN(const ClusterSpec cluster, store.cluster(file.name));
            row.title = cluster.title;
            row.summary = summaryOf(cluster);
            break;
        }
        case ProfileKind::Model: {
            FABRICAST_TRY(readModelRow(file, row));
            break;
        }
        case ProfileKind::Kernel: {
            FABRICAST_ASSIGN(const GpuSpec gpu, store.gpu(file.name, file.source));
            row.title = "Kernels of the " + gpu.title;
            row.summary = summaryOf(*gpu.kernels);
            break;
        }
        case ProfileKind::Collective: {
            FABRICAST_TRY(readCollectiveRow(store, file, row));
            break;
        }
        case ProfileKind::Interval: {
            FABRICAST_ASSIGN(const StepIntervals intervals, store.intervals(file.name));
            row.title = intervals.title;
            row.summary = "uncertainty of forecasts, by class of evidence";
            break;
        }
        case ProfileKind::Correction: {
            FABRICAST_ASSIGN(const MachineCorrection correction, store.correction(file.name));
            row.title = correction.title;
            row.summary = correction.gpu + ": speed of one machine relative to its profile";
            break;
        }
        case ProfileKind::Host: {
            FABRICAST_ASSIGN(const HostProfile host, store.host(file.name));
            row.title = host.title;
            row.summary = "memory and PCIe rates of a node for an offloaded optimizer";
            break;
        }
        case ProfileKind::Runtime: {
            FABRICAST_ASSIGN(const RuntimeMemory runtime, store.runtime(file.name));
            row.title = runtime.title;
            row.summary = "context " + shortText(*runtime.context.value);
            if (runtime.communicator.value) {
                row.summary += ", a communicator " + shortText(*runtime.communicator.value);
            }
            break;
        }
        case ProfileKind::Software: {
            FABRICAST_ASSIGN(const SoftwareTiming software, store.software(file.name));
            row.title = software.title;
            row.summary = "host time for launching kernels";
            break;
        }
        case ProfileKind::Price: {
            FABRICAST_ASSIGN(const PriceProfile price, store.price(file.name));
            row.title = price.title;
            row.summary = price.date + ", " + std::to_string(price.gpus.size()) + " GPUs";
            break;
        }
        case ProfileKind::Site: {
            FABRICAST_ASSIGN(const SiteProfile site, store.site(file.name));
            row.title = site.title;
            row.summary = summaryOf(site);
            break;
        }
    }
    return row;
}

}  // namespace

Result<std::vector<ProfileRow>> listProfiles(const ProfileStore& store,
                                             std::optional<ProfileKind> kind) {
    std::vector<ProfileRow> rows;
    for (const ProfileKind one : kProfileKinds) {
        if (kind && *kind != one) {
            continue;
        }
        for (const ProfileFile& file : store.files(one)) {
            FABRICAST_ASSIGN(ProfileRow row, rowOf(store, file));
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

}  // namespace fabricast
