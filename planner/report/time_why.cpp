#include "planner/base/quantity_text.h"
#include "planner/report/table.h"
#include "planner/report/time_report.h"
#include "planner/report/time_scale.h"
#include "planner/result/step_names.h"

#include <fmt/format.h>

#include <optional>

namespace fabricast {
namespace {

constexpr std::string_view kTimePrefix = "time.";

std::string timeSeconds(double value) {
    return fmt::format("{:.6g} s", value);
}

/// "16 microbatches x (0.101 s forward + 0.213 s backward)".
std::string passes(const StepTerms& terms, TimePart part) {
    return fmt::format("{:.0f} microbatches x ({} forward + {} backward)",
                       terms.microBatches,
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
                "{:.0f} microbatches x {} forward and backward of stage {}",
                timeSeconds(terms.span),
                timeSeconds(step.parts.of(TimePart::Stage)),
                terms.microBatches,
                timeSeconds(pass),
                step.slowest);
        case TimePart::Stage:
            return "the span of the schedule with transfers, minus the span without";
        case TimePart::Optimizer:
            return std::string(
                       "bytes of gradients, moments and weights that a rank reads and writes once "
                       "per "
                       "step, divided by the sustained memory rate; of the stage with most bytes") +
                   outerText(step, part);
        case TimePart::Host:
            return fmt::format("{} + {:.0f} microbatches x {} of the training loop + {} a step",
                               passes(terms, part),
                               terms.microBatches,
                               timeSeconds(terms.hostMicroBatch.count()),
                               timeSeconds(terms.hostStep.count()));
        default:
            return passes(terms, part);
    }
}

/// " between 2 sites, once in 500 steps"; empty for most calls.
std::string farText(const CommLine& line) {
    return line.sites <= 1
               ? ""
               : fmt::format(" between {} sites{}",
                             line.sites,
                             line.every > 1 ? fmt::format(", once in {} steps", line.every) : "");
}

/// The calls behind a part that is communication, those that add most first.
std::string callsText(const StepEstimate& step, TimePart part) {
    std::string text;
    for (const CommLine& line : step.comm) {
        if (line.part == part) {
            text += fmt::format(
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
    }
    return text;
}

std::string knownTimeKeys() {
    std::string text = "one of: time.step, time.tokens_per_s_gpu, time.mfu";
    for (const auto& [part, name] : namesOf(TimePart{})) {
        text += ", " + std::string(kTimePrefix) + std::string(name);
    }
    return text;
}

/// Keys other than parts; nothing for others.
std::optional<std::string> rateWhy(const Scenario& scenario,
                                   const StepEstimate& step,
                                   std::string_view name) {
    if (name == "step") {
        return fmt::format(
            "time.step = {}\n  {}\n", timeSeconds(step.step.value.count()), sumText(step.parts));
    }
    if (name == "tokens_per_s_gpu") {
        return fmt::format(
            "time.tokens_per_s_gpu = {:.6g}\n  {} samples x {} tokens / {} / {} GPUs\n",
            step.tokensPerGpuSecond,
            scenario.workload.globalBatch,
            scenario.workload.sequence,
            timeSeconds(step.step.value.count()),
            scenario.layout.world());
    }
    const Utilisation& use = step.utilisation;
    if (name == "mfu" && use.mfu) {
        return fmt::format(
            "time.mfu = {:.2f} %\n  {} per token (convention matmul) x {:.6g} "
            "tokens/s per GPU / {} {} peak{}\n",
            100.0 * *use.mfu,
            shortText(use.perToken),
            step.tokensPerGpuSecond,
            shortText(use.peak),
            use.peakType,
            scenario.settings.kernels.quantization == Quantization::None
                ? std::string()
                : fmt::format(", the only denominator: products in {} are over it too",
                              nameOf(scenario.settings.kernels.quantization)));
    }
    return std::nullopt;
}

}  // namespace

bool isTimeKey(std::string_view key) {
    return key == "time" || key == "mfu" || key.starts_with(kTimePrefix);
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
    for (const auto& [part, partName] : namesOf(TimePart{})) {
        if (partName == name) {
            return fmt::format("time.{} = {}\n  {}\n{}",
                               name,
                               timeSeconds(step.parts.of(part)),
                               partFormula(step, part),
                               callsText(step, part));
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
