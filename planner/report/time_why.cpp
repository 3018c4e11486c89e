#include "planner/base/quantity_text.h"
#include "planner/report/plain_number.h"
#include "planner/report/scales.h"
#include "planner/report/subject_words.h"
#include "planner/report/table.h"
#include "planner/report/time_report.h"
#include "planner/result/answer_names.h"
#include "planner/spec/attention_model.h"
#include "planner/spec/setting_names.h"

#include <fmt/format.h>

#include <optional>

namespace fabricast {
namespace {

constexpr std::string_view kTimePrefix = "time.";
constexpr std::string_view kCommPrefix = "comm.";

std::string sixDigits(double value) {
    constexpr int kDigits = 6;
    return plainNumber(value, kDigits);
}

std::string timeSeconds(double value) {
    return sixDigits(value) + " s";
}

/// "16 microbatches", "1 microbatch".
std::string microBatchesText(const StepTerms& terms) {
    return fmt::format(
        "{:.0f} {}", terms.microBatches, terms.microBatches == 1.0 ? "microbatch" : "microbatches");
}

/// "16 microbatches x (0.101 s forward + 0.213 s backward)".
std::string passes(const StepTerms& terms, TimePart part) {
    return fmt::format("{} x ({} forward + {} backward)",
                       microBatchesText(terms),
                       timeSeconds(terms.forward.of(part)),
                       timeSeconds(terms.backward.of(part)));
}

std::string sumText(const TimeByPart& parts) {
    std::string text;
    for (const auto& [part, name] : namesOf(TimePart{})) {
        if (parts.of(part) > 0) {
            text += fmt::format(
                "{}{} {}", text.empty() ? "" : " + ", timeSeconds(parts.of(part)), name);
        }
    }
    return text;
}

/// The parts that a step has, as they are asked about: "time.gemm, time.shard".
std::string partKeys(const TimeByPart& parts) {
    std::string text;
    for (const auto& [part, name] : namesOf(TimePart{})) {
        if (parts.of(part) > 0) {
            text += (text.empty() ? "" : ", ") + std::string(kTimePrefix) + std::string(name);
        }
    }
    return text;
}

/// " + 0.07 s a step: 35 s of an outer step, each 500 steps"; empty without.
std::string outerText(const StepEstimate& step, TimePart part) {
    if (!step.outer) {
        return {};
    }
    const OuterStep& outer = *step.outer;
    const bool isUpdate = part == TimePart::Optimizer;
    return fmt::format("{}{} of {} that {} takes once in {} steps",
                       isUpdate ? "; + " : " + ",
                       timeSeconds(isUpdate ? outer.exposedUpdate : outer.exposedExchange),
                       timeSeconds(isUpdate ? outer.update : outer.exchange),
                       isUpdate ? "the outer optimizer" : "the exchange between sites",
                       outer.steps);
}

/// "2 x 2 B x 1e9 gradients cleared and read + … B x 1e9 parameters updated, at 2.9 TB/s".
std::string optimizerFormula(const OptimizerTerms& terms) {
    if (terms.onHost) {
        return fmt::format(
            "the CPUs of its node update {} parameters of each rank, at the rate "
            "that the line \"offload\" of the answer has",
            sixDigits(terms.stepped));
    }
    return fmt::format(
        "{} + ({} gradients x 2 x {} B cleared, and read for their norm + {} "
        "parameters "
        "x (2 x {} B of gradients scaled + {} B of moments, weights and gradient read and "
        "written)) / {}{}",
        timeSeconds(terms.launch.count()),
        sixDigits(terms.held),
        sixDigits(terms.gradientBytes),
        sixDigits(terms.stepped),
        sixDigits(terms.gradientBytes),
        sixDigits(terms.updateBytes),
        shortText(terms.rate),
        terms.products > 0.0
            ? fmt::format(" + {} of Muon's matrix products", timeSeconds(terms.products))
            : "");
}

std::string partFormula(const StepEstimate& step, TimePart part) {
    const StepTerms& terms = step.terms;
    const double pass = terms.forward.total() + terms.backward.total();
    switch (part) {
        case TimePart::Shard:
            return fmt::format("{} + {} once a step at the end of stage {}{}",
                               passes(terms, part),
                               timeSeconds(terms.tail),
                               terms.tailStage,
                               outerText(step, part));
        case TimePart::Bubble:
            return fmt::format(
                "{} from first forward to last backward - {} of transfers - "
                "{} x {} forward and backward of stage {}",
                timeSeconds(terms.span),
                timeSeconds(step.parts.of(TimePart::Stage)),
                microBatchesText(terms),
                timeSeconds(pass),
                step.slowest);
        case TimePart::Stage:
            return "the span of the schedule with transfers, minus the span without";
        case TimePart::Optimizer:
            return optimizerFormula(terms.optimizer) + outerText(step, part);
        case TimePart::Host:
            return fmt::format("{} + {} x {} of the training loop + {} a step",
                               passes(terms, part),
                               microBatchesText(terms),
                               timeSeconds(terms.hostMicroBatch.count()),
                               timeSeconds(terms.hostStep.count()));
        default:
            return passes(terms, part);
    }
}

/// Which attention runs, in transformers' words where it is transformers'; empty for other parts.
std::string attentionKernel(const Scenario& scenario, TimePart part) {
    const KernelSettings& kernels = scenario.settings.kernels;
    if (part != TimePart::Attention) {
        return {};
    }
    const std::string settings = fmt::format("settings.kernels.attention={}, attention_code={}",
                                             nameOf(kernels.attention),
                                             nameOf(kernels.attentionCode));
    return kernels.code == ModelCode::HuggingFace
               ? fmt::format(
                     "  kernel: {} ({})\n", attentionName(kernels, scenario.model), settings)
               : fmt::format("  kernel: {}\n", settings);
}

/// " between 2 sites, once in 500 steps"; empty for most calls.
std::string farText(const CommLine& line) {
    return line.sites <= 1
               ? ""
               : fmt::format(" between {} sites{}",
                             line.sites,
                             line.every > 1 ? fmt::format(", once in {} steps", line.every) : "");
}

/// Where the kernels' rates come from; empty for what is no kernel's time.
std::string kernelSource(const Scenario& scenario, TimePart part) {
    const std::optional<KernelProfile>& kernels = scenario.cluster.node.gpu.kernels;
    const bool isKernel = part == TimePart::Gemm || part == TimePart::Attention ||
                          part == TimePart::MemoryBound || part == TimePart::Optimizer;
    if (!isKernel || !kernels) {
        return {};
    }
    return fmt::format(
        "  source: the fit of {}'s kernels{} (fabricast profiles show {} --kind "
        "kernel)\n",
        kernels->name,
        kernels->donor.empty() ? "" : ", which is of " + kernels->donor,
        kernels->name);
}

std::string callText(const CommLine& line) {
    return fmt::format(
        "  {} x {} of {} along {}{}, {} each, {} ranks: {} in all, {} of it exposed\n",
        line.count,
        line.collective,
        line.use,
        line.axis,
        farText(line),
        shortText(line.bytes),
        line.groupSize,
        timeSeconds(line.seconds),
        timeSeconds(line.exposed));
}

/// The calls behind a part that is communication, those that add most first.
std::string callsText(const StepEstimate& step, TimePart part) {
    std::string text;
    for (const CommLine& line : step.comm) {
        text += line.part == part ? callText(line) : "";
    }
    return text;
}

/// The calls of an axis, a collective or what they move.
Result<std::string> commWhy(const StepEstimate& step, std::string_view key) {
    const std::string_view name = key.substr(kCommPrefix.size());
    std::string text;
    double seconds = 0.0;
    double exposed = 0.0;
    for (const CommLine& line : step.comm) {
        if (axisWords(line.axis) == name || line.axis == name || line.collective == name ||
            line.use == name) {
            text += callText(line);
            seconds += line.seconds;
            exposed += line.exposed;
        }
    }
    if (text.empty()) {
        return fail(Error::Code::NotFound,
                    "--why",
                    "no call is \"" + std::string(name) + "\"",
                    "--section comm lists them");
    }
    return fmt::format("{} = {} of calls, which add {} to the step\n{}",
                       key,
                       timeSeconds(seconds),
                       timeSeconds(exposed),
                       text);
}

std::string knownTimeKeys() {
    std::string text = "one of: time.step, time.tokens_per_s_gpu, time.mfu";
    for (const auto& [part, name] : namesOf(TimePart{})) {
        text += ", " + std::string(kTimePrefix) + std::string(name);
    }
    return text;
}

/// Sums and counts that other reports print; nothing for others.
std::optional<std::string> countWhy(const Scenario& scenario,
                                    const StepEstimate& step,
                                    std::string_view name) {
    if (name == "tokens_per_s") {
        return fmt::format(
            "time.tokens_per_s = {}\n  {} samples x {} tokens / {}\n"
            "  terms: --why time.step\n",
            sixDigits(step.tokensPerSecond),
            scenario.workload.globalBatch,
            scenario.workload.sequence,
            timeSeconds(step.step.value.count()));
    }
    if (name == "gpus") {
        const Layout& layout = scenario.layout;
        return fmt::format("time.gpus = {}\n  dp {} x tp {} x pp {} x cp {}\n",
                           layout.world(),
                           layout.dp,
                           layout.tp,
                           layout.pp,
                           layout.cp);
    }
    if (name == "recompute") {
        const double once = step.terms.recompute.total();
        return fmt::format(
            "time.recompute = {}\n  {} x {} of kernels that backward "
            "runs again, which the other parts contain\n",
            timeSeconds(step.terms.microBatches * once),
            microBatchesText(step.terms),
            timeSeconds(once));
    }
    if (name == "kernels") {
        const TimeByPart& parts = step.parts;
        return fmt::format("time.kernels = {}\n  {} gemm + {} attention + {} memory_bound\n",
                           timeSeconds(parts.of(TimePart::Gemm) + parts.of(TimePart::Attention) +
                                       parts.of(TimePart::MemoryBound)),
                           timeSeconds(parts.of(TimePart::Gemm)),
                           timeSeconds(parts.of(TimePart::Attention)),
                           timeSeconds(parts.of(TimePart::MemoryBound)));
    }
    return std::nullopt;
}

/// Keys other than parts; nothing for others.
std::optional<std::string> rateWhy(const Scenario& scenario,
                                   const StepEstimate& step,
                                   std::string_view name) {
    if (name == "step") {
        return fmt::format("time.step = {}\n  {}\n  terms: --why {}\n",
                           timeSeconds(step.step.value.count()),
                           sumText(step.parts),
                           partKeys(step.parts));
    }
    if (name == "tokens_per_s_gpu") {
        return fmt::format(
            "time.tokens_per_s_gpu = {}\n  {} samples x {} tokens / {} / {} GPUs\n"
            "  terms: --why time.step\n",
            sixDigits(step.tokensPerGpuSecond),
            scenario.workload.globalBatch,
            scenario.workload.sequence,
            timeSeconds(step.step.value.count()),
            scenario.layout.world());
    }
    const Utilisation& use = step.utilisation;
    if (name == "mfu" && use.mfu) {
        return fmt::format(
            "time.mfu = {:.2f} %\n  {} per token (convention matmul) x {} "
            "tokens/s per GPU / {} {} peak{}\n  source: the profile of {} (fabricast profiles show "
            "{})\n"
            "  terms: --why time.tokens_per_s_gpu\n",
            100.0 * *use.mfu,
            shortText(use.perToken),
            sixDigits(step.tokensPerGpuSecond),
            shortText(use.peak),
            use.peakType,
            scenario.settings.kernels.quantization == Quantization::None
                ? std::string()
                : fmt::format(", the only denominator: products in {} are over it too",
                              nameOf(scenario.settings.kernels.quantization)),
            scenario.cluster.node.gpu.name,
            scenario.cluster.node.gpu.name);
    }
    return std::nullopt;
}

}  // namespace

bool isTimeKey(std::string_view key) {
    return key == "time" || key == "mfu" || key.starts_with(kTimePrefix) ||
           key.starts_with(kCommPrefix);
}

Result<std::string> timeWhy(const Scenario& scenario,
                            const StepEstimate& step,
                            std::string_view key) {
    const std::string_view name = key.starts_with(kTimePrefix) ? key.substr(kTimePrefix.size())
                                  : key == "time"              ? std::string_view("step")
                                                               : key;
    if (const auto text = rateWhy(scenario, step, name)) {
        return *text;
    }
    if (const auto text = countWhy(scenario, step, name)) {
        return *text;
    }
    if (key.starts_with(kCommPrefix)) {
        return commWhy(step, key);
    }
    for (const auto& [part, partName] : namesOf(TimePart{})) {
        if (partName == name) {
            return fmt::format("time.{} = {}\n  {}\n{}{}{}",
                               name,
                               timeSeconds(step.parts.of(part)),
                               partFormula(step, part),
                               callsText(step, part),
                               attentionKernel(scenario, part),
                               kernelSource(scenario, part));
        }
    }
    if (name == "mfu") {
        return fail(Error::Code::NotFound, "--why", "MFU is not known: " + step.utilisation.why);
    }
    return fail(Error::Code::NotFound,
                "--why",
                "unknown number \"" + std::string(key) + "\"",
                knownTimeKeys());
}

}  // namespace fabricast
