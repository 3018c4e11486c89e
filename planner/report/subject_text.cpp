#include "planner/report/subject_words.h"
#include "planner/spec/layout_fields.h"
#include "planner/spec/names.h"
#include "planner/spec/setting_names.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace fabricast {
namespace {

/// ", LoRA rank 16 over nf4"
std::string tuningText(const Settings& settings) {
    if (settings.tuning == Tuning::Full) {
        return settings.train.all() ? "" : ", train=" + trainedText(settings.train);
    }
    const LoraSettings& lora = settings.lora;
    std::string whole;
    for (const std::string& module : lora.modulesToSave) {
        whole += (whole.empty() ? " with " : "+") + module;
    }
    return fmt::format(", {} rank {} over {}{}{}",
                       lora.dora ? "DoRA" : "LoRA",
                       lora.rank,
                       nameOf(lora.base),
                       lora.doubleQuantization ? " (double)" : "",
                       whole);
}

/// The type of matrix products; "pure" where nothing is kept more precisely.
std::string precisionText(const Settings& settings) {
    if (settings.kernels.quantization != Quantization::None) {
        return std::string(nameOf(settings.kernels.quantization));
    }
    const PrecisionSettings& precision = settings.precision;
    const bool isPure =
        precision.parameters == precision.compute && !precision.masterWeights &&
        !precision.masterRemainder && precision.compute != Dtype::Fp32 &&
        (settings.tuning == Tuning::Full || settings.lora.dtype == precision.compute);
    return (isPure ? "pure " : "") + std::string(nameOf(precision.compute));
}

/// Whether there are more GPUs in its boxes: "8x-rtx-4090" says so in its name.
bool isPart(const ClusterSpec& cluster) {
    std::int64_t whole = 0;
    const char* const end = cluster.name.data() + cluster.name.size();
    const auto [stop, trouble] = std::from_chars(cluster.name.data(), end, whole);
    const bool isCounted = trouble == std::errc() && std::string_view(stop, end).starts_with("x-");
    return isCounted && whole > cluster.node.gpus;
}

std::string referenceText(const Settings& settings) {
    const ReferenceSettings& model = settings.referenceModel;
    if (settings.reference == Reference::None) {
        return "";
    }
    return ", reference=" + std::string(nameOf(settings.reference)) +
           (model.dtype == Dtype::Bf16 ? "" : " " + std::string(nameOf(model.dtype))) +
           (model.parameters == 0 ? ""
                                  : " of " + std::to_string(model.parameters) + " parameters") +
           (model.forward ? "" : " average");
}

}  // namespace

std::string trainingText(const Settings& settings) {
    return precisionText(settings) + " " + std::string(nameOf(settings.optimizer.kind)) +
           tuningText(settings) + referenceText(settings);
}

std::string clusterText(const ClusterSpec& cluster) {
    const std::string sites =
        cluster.sites.count > 1 ? fmt::format(" at {} sites", cluster.sites.count) : "";
    if (isPart(cluster)) {
        return fmt::format("{} {}, part of {} x {}{}",
                           cluster.gpus(),
                           cluster.node.gpu.name,
                           cluster.nodes,
                           cluster.name,
                           sites);
    }
    return fmt::format("{} x {} ({} {}){}",
                       cluster.nodes,
                       cluster.name,
                       cluster.gpus(),
                       cluster.node.gpu.name,
                       sites);
}

std::string subjectText(const Scenario& scenario) {
    return fmt::format("{} on {}, {}, {}, recompute={}, {}, sequence {}, global batch {}",
                       scenario.model.name,
                       clusterText(scenario.cluster),
                       scenario.stack,
                       layoutWords(scenario),
                       recomputeText(scenario.settings.recompute),
                       trainingText(scenario.settings),
                       scenario.workload.sequence,
                       scenario.workload.globalBatch);
}

std::string subjectLine(const Scenario& scenario, Subject subject) {
    return subject == Subject::Said ? "  " + subjectText(scenario) + "\n" : "";
}

}  // namespace fabricast
