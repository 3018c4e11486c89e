#include "planner/backtest/forecast_run.h"

#include "planner/backtest/run_readings.h"
#include "planner/base/quantity_text.h"
#include "planner/ops/flops.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fabricast {

namespace {

/// The type that most of the run's products are made in, as data sheets name it.
const char* peakDtype(const Settings& settings) {
    switch (settings.kernels.quantization) {
        case Quantization::None:
            return settings.precision.compute != Dtype::Fp32 ? "bf16"
                   : settings.precision.tf32                 ? "tf32"
                                                             : "fp32";
        case Quantization::NvFp4:
            return "fp4";
        default:
            return "fp8";
    }
}

/// Passes over the layers, each as long as a forward, of those that the model's own count has.
double repeated(const Settings& settings) {
    const double counted = settings.tuning == Tuning::Lora ? 2.0 : 3.0;
    const bool again = settings.recompute.kind == Checkpointing::Full;
    return again ? (counted + 1.0) / counted : 1.0;
}

/// Two measurements of one step that are farther apart than this are of two steps, or of two units.
constexpr double kSameStep = 1.1;

/// The step time that follows from the tokens per second of a row that has both.
Result<void> checkMeasurements(const PublishedRun& run) {
    const double said = run.stepSeconds.value_or(0.0);
    PublishedRun other = run;
    other.stepSeconds.reset();
    const double followed = other.measuredStep().value_or(said);
    if (said <= 0 || std::max(said, followed) <= kSameStep * std::min(said, followed)) {
        return {};
    }
    return fail(Error::Code::BadInput,
                "measured_step_s",
                "the row says " + shortText(Seconds(said)) +
                    ", and its measured_tokens_s_gpu a step of " + shortText(Seconds(followed)),
                "leave the wrong one of them empty");
}

/// A rate above what the GPUs can multiply: such a row was measured on another model or GPU than it
/// says.
Result<void> checkPossible(const PublishedRun& run, const Scenario& scenario) {
    const std::optional<double> measured = run.measuredStep();
    if (!measured || *measured <= 0) {
        return {};
    }
    const GpuSpec& gpu = scenario.cluster.node.gpu;
    const auto rated = gpu.densePeak.find(peakDtype(scenario.settings));
    const double peak =
        rated != gpu.densePeak.end() && rated->second.value ? rated->second.value->count() : 0.0;
    FABRICAST_ASSIGN(const Flops flops, modelFlopsPerGpu(scenario));
    const double rate = flops.count() * repeated(scenario.settings) / *measured;
    if (peak > 0 && rate > peak) {
        return fail(Error::Code::BadInput,
                    "measured_step_s",
                    "a step this short needs " + shortText(FlopsPerSecond(rate)) +
                        " from every GPU, whose peak is " + shortText(FlopsPerSecond(peak)),
                    "the row should have a smaller model or a faster GPU");
    }
    return {};
}

}  // namespace

Result<Flops> modelFlopsPerGpu(const Scenario& scenario) {
    FABRICAST_ASSIGN(
        const Flops perToken,
        flopsPerToken(scenario.model, scenario.attendedTokens(), FlopsConvention::Matmul));
    const double share = scenario.settings.tuning == Tuning::Lora ? 2.0 / 3.0 : 1.0;
    const double tokens = static_cast<double>(scenario.workload.globalBatch) *
                          static_cast<double>(scenario.workload.sequence);
    return Flops(share * perToken.count() * tokens / static_cast<double>(scenario.layout.world()));
}

std::optional<double> RunForecast::stepError() const {
    if (!step || !run->stepSeconds || *run->stepSeconds <= 0) {
        return std::nullopt;
    }
    return step->step.value.count() / *run->stepSeconds - 1.0;
}

RunForecast forecastRun(const PublishedRun& run,
                        const RunCatalog& catalog,
                        const TimingProfiles& profiles,
                        const StepModel& model) {
    RunForecast forecast{.run = &run};
    Result<RunScenario> read = runScenario(run, catalog);
    if (!read) {
        forecast.why = read.error().text();
        return forecast;
    }
    forecast.scenario = std::move(read->scenario);
    Result<StepEstimate> step =
        checkMeasurements(run)
            .and_then([&] { return checkPossible(run, *forecast.scenario); })
            .and_then([&] { return model(*forecast.scenario, profiles); });
    if (step) {
        forecast.step = std::move(*step);
    } else {
        forecast.why = step.error().text();
    }
    return forecast;
}

}  // namespace fabricast
