// What pages show is made of study's answers: nothing is lost, and parts sum to their whole.
#include "gui/models/edit_words.h"
#include "gui/models/headlines.h"
#include "gui/models/network_view.h"
#include "gui/models/page_views.h"
#include "gui/models/row_texts.h"
#include "gui/models/step_timeline.h"
#include "gui/models/suggestions.h"
#include "gui/models/why_words.h"
#include "planner/base/quantity_text.h"
#include "planner/report/compared_words.h"
#include "planner/report/cost_report.h"
#include "planner/report/durations.h"
#include "planner/report/explanation_report.h"
#include "planner/report/fixes_report.h"
#include "planner/report/memory_table.h"
#include "planner/report/sensitivity_report.h"
#include "planner/report/table.h"
#include "study/compare.h"
#include "study/explain.h"
#include "study/plan.h"
#include "study/simulate.h"
#include "tests/gui/used_window.h"

#include <QLabel>
#include <algorithm>
#include <array>
#include <set>

namespace fabricast {
namespace {

/// A layout with two pipeline stages on two servers.
Question twoStages(std::vector<Edit> more = {}) {
    std::vector<Edit> edits = {{"stack", "megatron", "--stack"},
                               {"cluster.name", "dgx-h100", "-c"},
                               {"cluster.nodes", "2", "-n"},
                               {"layout.tp", "4", "--layout"},
                               {"layout.pp", "2", "--layout"}};
    edits.insert(edits.end(), more.begin(), more.end());
    const std::vector<Edit> small = {{"model", "llama-3.2-1b", "-m"},
                                     {"workload.sequence", "2048", "--seq"},
                                     {"workload.global_batch", "16", "--global-batch"}};
    return with(with(readQuestion("", "").value(), small).value(), edits).value();
}

TEST(ComparedText, SaysTheSameWhereTheNumberWouldBeNone) {
    EXPECT_EQ(comparedText(0.0004, "the forecast"), "the same as the forecast");
    EXPECT_EQ(comparedText(-0.0), "the same");
    EXPECT_EQ(comparedText(0.02, "simulated"), "2.0 % more than simulated");
    EXPECT_EQ(comparedText(-0.0841), "8.4 % less");
}

TEST(WhyWords, AreThoseOfThePages) {
    EXPECT_EQ(numberWords("time.gemm"), "matrix products");
    EXPECT_EQ(numberWords("stages[1].optimizer"), "optimizer states of stage 1");
    EXPECT_EQ(numberWords("cost.days"), "time of the whole run");
    EXPECT_EQ(
        formulasInWords("stages[0].peak = 9 B\n  weights 4 B + context 1,005 B, at stage 0\n"),
        "peak of the memory of stage 0 = 9 B\n  weights 4 B + runtime context 1,005 B, at stage "
        "0\n");
    EXPECT_EQ(formulasInWords("time.step = 2 s\n  1.5 s gemm + 0.5 s stage\n"),
              "step time = 2 s\n  1.5 s matrix products + 0.5 s transfers between stages\n");
}

const Explanation& explained() {
    static const Explanation kAnswer =
        explain(twoStages({{"workload.tokens", "1B", "--tokens"}}),
                {.memory = true, .step = true, .cost = true, .sensitivity = true},
                openBench(),
                {})
            .value();
    return kAnswer;
}

TEST(MemoryView, PartsSumToThePeakOfEachStage) {
    const MemoryBreakdown& memory = *explained().memory;
    const MemoryBarValues bars = memoryBars(memory, nullptr, runtimeNames("NVIDIA"));
    ASSERT_EQ(bars.bars.size(), 2U);
    for (std::size_t stage = 0; stage < bars.bars.size(); ++stage) {
        EXPECT_DOUBLE_EQ(bars.bars[stage].total(),
                         static_cast<double>(devicePeak(memory.stages[stage]).count()));
    }
    EXPECT_EQ(bars.usable, static_cast<double>(memory.room().count()));
    EXPECT_TRUE(bars.ghosts.empty());
    EXPECT_EQ(memoryBars(memory, &memory, runtimeNames("NVIDIA")).ghosts.size(), 2U);
}

TEST(MemoryView, EachPartHasTheKeyOfItsFormula) {
    const RuntimeNames names = runtimeNames("NVIDIA");
    const MemoryBarValues bars = memoryBars(*explained().memory, nullptr, names);
    EXPECT_EQ(memoryPartKey(bars, names, 1, 0), "stages[1].weights");
    const MemoryParts parts = memoryParts(*explained().memory, nullptr, names);
    ASSERT_EQ(parts.why.size(), parts.table.rows.size());
    EXPECT_TRUE(parts.why.front().ends_with("weights")) << parts.why.front();
}

/// As the command line has them.
TEST(MemoryView, HasTheWordsOfTheGpusVendor) {
    const Question question =
        smallQuestion({{"cluster.name", "mi300x-8", "-c"}, {"stack", "megatron", "--stack"}});
    const Explanation answer = explain(question, {}, openBench(), {}).value();
    const RuntimeNames names = runtimeNames(answer.scenario.cluster.node.gpu.vendor);
    const MemoryBarValues bars = memoryBars(*answer.memory, nullptr, names);
    for (const char* part : {"HIP context", "RCCL buffers"}) {
        const auto place = std::ranges::find(bars.parts, part);
        ASSERT_NE(place, bars.parts.end()) << part;
        EXPECT_NE(
            memoryPartKey(bars, names, 0, static_cast<std::size_t>(place - bars.parts.begin())),
            "");
    }
    std::string all = timelineHeadline(simulate(question, {}, openBench(), {}).value());
    for (const std::string& line : assumptionLines(answer)) {
        all += line;
    }
    for (const Term& term : answer.memory->stages.front().terms) {
        all += term.key == "context" || term.key == "collectives" ? term.formula : "";
    }
    EXPECT_EQ(all.find("CUDA"), std::string::npos) << all;
    EXPECT_EQ(all.find("NCCL"), std::string::npos) << all;
    EXPECT_NE(all.find("the HIP context"), std::string::npos) << all;
}

/// A search leaves out what waits for more to be said: not in silence where its layout is judged.
TEST(Evidence, HasTheNotesOfTheSearchOnceEach) {
    PlanReport search;
    search.notes = explained().step->notes;
    search.notes.emplace_back("left out: ddp: 2 s a step (--host-memory states it)");
    const std::size_t before = assumptionLines(explained()).size();
    const std::vector<std::string> lines = assumptionLines(explained(), &search);
    ASSERT_EQ(lines.size(), before + 1);
    EXPECT_EQ(lines.back(), "left out: ddp: 2 s a step (host memory on the left states it)");
}

TEST(Evidence, LinksEachFormulaThatATerminalTypes) {
    UsedWindow used({smallQuestion(), {.page = "evidence"}});
    const QString text = used.find<QLabel>("evidence.assumed").text();
    for (const char* key : {"context", "collectives"}) {
        EXPECT_TRUE(text.contains(QString("<a href=\"%1\">why %1</a>").arg(key)))
            << text.toStdString();
    }
    EXPECT_FALSE(text.contains("--why")) << text.toStdString();
}

TEST(TimeView, RowsAreThePartsAndTheirSum) {
    const TimeParts parts = timeParts(*explained().step);
    ASSERT_EQ(parts.why.size(), parts.table.rows.size());
    EXPECT_EQ(parts.why.back(), "time.step");
    EXPECT_TRUE(std::ranges::any_of(
        parts.table.rows, [](const auto& row) { return row.front() == "matrix products"; }));
}

TEST(PlanList, SaysWhatItsMarksMean) {
    PlanReport report = plan(smallQuestion(), {}, openBench(), {}).value();
    ASSERT_GE(report.plans.size(), 2U);
    const auto note = [&report] { return planListNote(&report, report.plans.size(), {}); };
    report.plans.front().memory.verdict = Verdict::Likely;
    report.plans.front().alike = {report.plans[1]};
    report.tighter = report.plans[1];
    EXPECT_NE(note().find("?: likely fits. "), std::string::npos) << note();
    EXPECT_NE(note().find("alike: the same division of the ranks"), std::string::npos) << note();
    EXPECT_NE(note().find("the price of safety: 1 is "), std::string::npos) << note();
    EXPECT_EQ(note().find("--"), std::string::npos) << "no flags in a window: " << note();
}

/// What would be faster with more host memory is not left out of a window in silence.
TEST(PlanList, SaysWhatTheCommandLineSaysBelowItsTable) {
    PlanReport report = plan(smallQuestion(), {}, openBench(), {}).value();
    ASSERT_GE(report.plans.size(), 2U);
    report.notes.emplace_back("left out: deepspeed dp=2: 28.2 s a step (--host-memory states it)");
    report.notes.emplace_back("sequence 4096 (default)");
    report.rejections.push_back({.stack = "fsdp2", .layouts = 0, .why = "has no LoRA"});
    report.plans[1].scenario.layout.offload = Offload::OptimizerCpu;
    report.plans[1].memory.host.perNode = Bytes(160LL << 30U);
    const std::string note = planListNote(&report, report.plans.size(), {});
    for (const char* line :
         {"\nleft out: deepspeed dp=2: 28.2 s a step (host memory on the left states it)\n",
          "\nassumed: sequence 4096 (default)\n",
          "\n2 in host memory\n",
          "per node: 160 GiB needed, not known (host memory on the left states it)\n",
          "\nexcluded: fsdp2: has no LoRA"}) {
        EXPECT_NE(note.find(line), std::string::npos) << line << note;
    }
    EXPECT_EQ(note.find("--"), std::string::npos) << "no flags in a window: " << note;
}

TEST(TimeView, TheWaterfallEndsAtB) {
    const std::array both = {twoStages(), twoStages({{"layout.recompute", "full", "--layout"}})};
    const Comparison comparison = compare(both, {}, openBench(), {}).value();
    const Waterfall& fall = *comparison.differences.front().time;
    const WaterfallValues shown = stepWaterfall(fall, false);
    EXPECT_DOUBLE_EQ(shown.from, fall.from);
    EXPECT_NEAR(shown.to(), fall.to, 1e-9 * fall.to);
    EXPECT_GT(shown.to(), shown.from) << "recomputing takes time";
}

TEST(TimeView, TheTornadoHasEveryKnobWithWhichItFits) {
    const Sensitivity& sensitivity = *explained().sensitivity;
    const TornadoValues values = speedTornado(sensitivity);
    const auto turned = std::ranges::count_if(sensitivity.knobs, [](const KnobEffect& knob) {
        return knob.twice && knob.twice->verdict != Verdict::DoesNotFit;
    });
    EXPECT_EQ(values.rows.size(), static_cast<std::size_t>(turned));
    EXPECT_EQ(values.base, sensitivity.now.tokensPerGpuSecond);
    EXPECT_FALSE(values.lowName.empty()) << "a legend says what the bars are";
    EXPECT_EQ(sensitivityRows(sensitivity).rows.size(), sensitivity.knobs.size());
}

TEST(TimeView, WhatDoesNotFitHasNoBarAndTheTableIsInTheOrderOfTheChart) {
    const auto at = [](double speed, Verdict verdict) {
        return Outcome{.tokensPerGpuSecond = speed, .verdict = verdict};
    };
    const Sensitivity sensitivity{
        .now = at(100.0, Verdict::Fits),
        .knobs = {{.title = "little", .twice = at(101.0, Verdict::Fits)},
                  {.title = "too large", .twice = at(300.0, Verdict::DoesNotFit)},
                  {.title = "much", .twice = at(150.0, Verdict::Likely)},
                  {.title = "with another layout",
                   .twice = at(400.0, Verdict::DoesNotFit),
                   .searched = at(120.0, Verdict::Fits)}}};
    const TornadoValues values = speedTornado(sensitivity);
    ASSERT_EQ(values.rows.size(), 3U);
    EXPECT_EQ(values.rows[1].low, 100.0) << "no bar";
    EXPECT_EQ(values.rows[1].high, 120.0);
    EXPECT_FALSE(values.rows[0].high) << "no bar of what was not searched";
    const Table rows = sensitivityRows(sensitivity);
    ASSERT_EQ(rows.rows.size(), 4U);
    for (std::size_t row = 0; row < values.rows.size(); ++row) {
        EXPECT_EQ(rows.rows[row].front(), values.rows[row].label);
    }
    EXPECT_EQ(rows.rows.back().front(), "too large");
}

TEST(TimeView, SaysInWordsWhatIsNoFaster) {
    const auto at = [](double speed, Verdict verdict) {
        return Outcome{.step = Seconds(1.0), .tokensPerGpuSecond = speed, .verdict = verdict};
    };
    Sensitivity sensitivity{
        .now = at(100.0, Verdict::Fits),
        .knobs = {{.title = "host", .twice = at(100.01, Verdict::Fits)},
                  {.title = "global batch", .twice = at(300.0, Verdict::DoesNotFit)}}};
    const std::string none = noFasterText(sensitivity);
    EXPECT_TRUE(none.starts_with("none is faster: ")) << none;
    EXPECT_NE(reportText(sensitivityReport(sensitivity)).find(none), std::string::npos);
    sensitivity.knobs.push_back({.title = "matrix units", .twice = at(150.0, Verdict::Fits)});
    EXPECT_EQ(noFasterText(sensitivity), "no faster: host; faster, but does not fit: global batch");
    EXPECT_EQ(reportText(sensitivityReport(sensitivity)).find("faster:"), std::string::npos);
    sensitivity.knobs = {sensitivity.knobs.back()};
    EXPECT_EQ(noFasterText(sensitivity), "");
}

/// "The same" with a mark: it may be better than that.
TEST(TimeView, MarksASearchThatEndedEarly) {
    Sensitivity sensitivity{.now = {.tokensPerGpuSecond = 100.0},
                            .knobs = {{.title = "host",
                                       .twice = Outcome{.tokensPerGpuSecond = 100.0},
                                       .searched = Outcome{.tokensPerGpuSecond = 130.0}}},
                            .isSearched = true};
    EXPECT_EQ(sensitivityRows(sensitivity).rows.front()[4], "130");
    EXPECT_EQ(searchedEarlyText(sensitivity), "");
    sensitivity.knobs.front().isCut = true;
    EXPECT_EQ(sensitivityRows(sensitivity).rows.front()[4], "130*");
    EXPECT_EQ(searchedEarlyText(sensitivity),
              "*: the search ended early, a better layout may exist\n");
}

TEST(StepTimeline, SaysWhatItsMemoryLeavesOut) {
    const Simulation simulation = simulate(twoStages(), {}, openBench(), {}).value();
    const std::string headline = timelineHeadline(simulation);
    const MemoryBreakdown& memory = simulation.memory;
    const StageMemory& fullest = memory.stages[memory.fullest];
    EXPECT_GT(fullest.context + fullest.collectives, Bytes());
    EXPECT_NE(headline.find(shortText(memory.peak.value - fullest.requested)), std::string::npos)
        << headline;
    EXPECT_NE(headline.find("NCCL"), std::string::npos);
}

TEST(StepTimeline, LanesHoldAllComputeAndDoNotOverlap) {
    const Simulation simulation = simulate(twoStages(), {}, openBench(), {}).value();
    const TimelineValues values = stepTimeline(simulation);
    const double makespan = secondsOf(simulation.step.run.makespan);
    double shown = 0.0;
    for (const SpanLane& lane : values.lanes) {
        for (std::size_t span = 0; span < lane.size(); ++span) {
            EXPECT_LT(lane.start[span], lane.end[span]);
            EXPECT_LE(lane.end[span], makespan);
            EXPECT_TRUE(span == 0 || lane.end[span - 1] <= lane.start[span]);
            shown += lane.name.ends_with("compute") ? lane.end[span] - lane.start[span] : 0.0;
        }
    }
    double busy = 0.0;
    for (OpIndex op = 0; op < simulation.step.program.ops().size(); ++op) {
        const bool isCompute = simulation.step.program.ops()[op].stream == SimStream::Compute;
        busy += isCompute ? secondsOf(simulation.step.run.lasted(op)) : 0.0;
    }
    EXPECT_NEAR(shown, busy, 1e-6 * busy);
    EXPECT_FALSE(values.arrows.empty());
    EXPECT_FALSE(values.curves.empty());
}

TEST(NetworkView, HasEveryServerAndAllTheirCables) {
    TopologyAsk ask;
    ask.cluster.name = "dgx-h100";
    ask.cluster.nodes = 4;
    const TopologyAnswer answer = topology(ask, openBench()).value();
    const NetworkMapValues map = networkMap(answer, {}).values;
    const auto servers = std::ranges::count_if(
        map.boxes, [](const MapBox& box) { return box.level == MapLevel::Node; });
    EXPECT_EQ(servers, 4);
    double fromServers = 0.0;
    for (const MapLink& link : map.links) {
        fromServers += link.from < 4 || link.to < 4 ? link.capacity : 0.0;
    }
    EXPECT_DOUBLE_EQ(fromServers, 4 * 8 * 50e9);  // eight ports of 400 Gbit/s each
}

/// What is offloaded is copied over links that the transfers of the network hardly load.
TEST(NetworkView, CopiesToTheHostAreNotSaidToBeNone) {
    TopologyAsk ask;
    ask.cluster.name = "dgx-h100";
    const TopologyAnswer answer = topology(ask, openBench()).value();
    const std::vector<LinkUse> uses = {{.name = "pci-cpu"}, {.name = "gpu-nvswitch"}};
    const auto busyOf = [&](const char* links, bool offloads) {
        const Table rows = linkRows(answer, uses, offloads);
        const auto row =
            std::ranges::find_if(rows.rows, [links](const auto& one) { return one[0] == links; });
        return row == rows.rows.end() ? "none" : (*row)[4];
    };
    EXPECT_EQ(busyOf("pci to cpu", false), "0.0 %");
    EXPECT_EQ(busyOf("pci to cpu", true), "0.0 % and copies");
    EXPECT_EQ(busyOf("gpu to nvswitch", true), "0.0 %");
}

TEST(PlanMetrics, APointIsThePlanOfItsId) {
    const PlanReport report = plan(smallQuestion(), {}, openBench(), {}).value();
    const std::span<const PlanMetric> metrics = planMetrics();
    std::set<std::string_view> keys;
    for (const PlanMetric& metric : metrics) {
        EXPECT_TRUE(keys.insert(metric.key).second) << metric.key;
    }
    const ScatterValues values = planScatter(report.plans, metrics[0], metrics[1]);
    ASSERT_EQ(values.points.size(), report.plans.size());
    for (const ScatterPoint& point : values.points) {
        const Plan& plan = report.plans[point.id];
        EXPECT_EQ(point.x, static_cast<double>(plan.memory.peak.value.count()));
        EXPECT_EQ(point.y, plan.step.tokensPerSecond);
    }
}

TEST(Headlines, SayNoStepOfWhatDoesNotFit) {
    Plan plan;
    plan.memory.verdict = Verdict::DoesNotFit;
    const std::vector<HeadlineTile> tiles = headlineTiles(plan);
    EXPECT_EQ(tiles[0].value, "Does not fit");
    EXPECT_EQ(tiles[0].tone, HeadlineTone::Bad);
    EXPECT_EQ(tiles[1].value, "–");
}

TEST(Headlines, ARateHasTheIntervalOfTheStepUpsideDown) {
    Plan plan;
    plan.step.step = {.value = Seconds(2.0), .lo = Seconds(1.0), .hi = Seconds(4.0)};
    plan.step.tokensPerSecond = 1000.0;
    const HeadlineTile speed = headlineTiles(plan)[2];
    EXPECT_EQ(speed.value, "1,000");
    EXPECT_EQ(speed.range, "500 – 2,000");  // 1000 · 2/4 and 1000 · 2/1
}

TEST(Headlines, HaveOneUnitInATile) {
    Plan plan;
    plan.memory.peak.value = Bytes(600'000'000);
    plan.memory.capacity = Bytes(24'000'000'000);
    plan.step.step = {.value = Seconds(1.02), .lo = Seconds(0.98), .hi = Seconds(1.06)};
    const std::vector<HeadlineTile> tiles = headlineTiles(plan);
    EXPECT_EQ(tiles[0].range, "0.559 of 22.4 GiB");
    EXPECT_EQ(tiles[1].value, "1.02 s");
    EXPECT_EQ(tiles[1].range, "0.980 – 1.06 s");
}

TEST(EditWords, AreForThoseWhoTypeNoFlags) {
    const std::vector<Edit> edits = {{"cluster.nodes", "16", "-n"},
                                     {"layout.tp", "null", "--set"},
                                     {"settings.torch.reshard_after", "true", "--set"}};
    EXPECT_EQ(editWords(edits), "servers: 16, tensor parallel (tp): auto, reshard after: on");
}

TEST(EditWords, HaveNoNamesOfCodeForWhatIsSuggested) {
    const std::vector<Edit> edits = {{"settings.megatron.overlap_grad_reduce", "true", "--set"},
                                     {"settings.megatron.overlap_param_gather", "true", "--set"},
                                     {"settings.kernels.loss", "liger", "--set"},
                                     {"settings.kernels.attention_code", "flash2", "--set"},
                                     {"settings.torch.sync", "each_micro_batch", "--set"},
                                     {"settings.phases.loading", "cpu", "--set"},
                                     {"layout.offload", "parameters_cpu", "--layout"}};
    EXPECT_EQ(editWords(edits),
              "reduce gradients during backward: on, gather weights during forward: on, "
              "loss kernel: Liger's, attention package: FlashAttention 2, "
              "gradients are reduced: after each micro-batch, "
              "weights are loaded in: host memory, "
              "keep in host memory: weights and optimizer states");
    EXPECT_EQ(windowWords("if it is never taken back (how often it is: --mtbf)"),
              "if it is never taken back (how often it is: time between failures)");
}

TEST(Suggestions, AreTypedAsASearchIs) {
    const Suggestion one{.edits = {{"stack", "fsdp2", "--stack"}, {"layout.tp", "2", "--layout"}}};
    const std::vector<Edit> edits = editsForPlan(one);
    EXPECT_EQ(edits[0], (Edit{"search.stacks", "fsdp2", "--stack"}));
    EXPECT_EQ(edits[1], (Edit{"layout.tp", "2", "--fix"}));
}

/// Where only to fit was wanted, what likely fits is not "nearer".
TEST(Suggestions, SayHowSurelyAChangeFits) {
    PlanFixes fixes{.targets = {},
                    .fixes = {{.edits = {{"layout.recompute", "full", "--fix"}},
                               .outcome = {.verdict = Verdict::Likely}}}};
    EXPECT_TRUE(suggestionsOf(fixes).front().effect.starts_with("likely fits: "));
    EXPECT_NE(suggestionsOf(fixes).front().group, "costs nothing");
    EXPECT_EQ(fixesText(fixes).find("closer"), std::string::npos) << fixesText(fixes);
    fixes.targets.push_back({.target = {.wanted = 1e9}, .reached = 1e6});
    EXPECT_TRUE(suggestionsOf(fixes).front().effect.starts_with("nearer: "));
    EXPECT_NE(fixesText(fixes).find("closer"), std::string::npos) << fixesText(fixes);
}

TEST(Headlines, TheRunOpensTheFormulaOfItsPriceToo) {
    const Explanation& answer = explained();
    Plan plan{.scenario = answer.scenario, .step = *answer.step, .memory = *answer.memory};
    plan.cost = *answer.cost;
    const HeadlineTile run = headlineTiles(plan).back();
    ASSERT_TRUE(plan.cost->run && plan.cost->run->price);
    EXPECT_EQ(run.why, "cost.days cost.usd_per_run");
    const std::string formula = reportText(explanationWhy(answer, "cost.usd_per_run").value());
    EXPECT_NE(formula.find("source: $"), std::string::npos) << formula;
}

TEST(CostView, HasAFormulaForEveryRow) {
    const CostRows rows = costRows(*explained().cost);
    ASSERT_EQ(rows.why.size(), rows.table.rows.size());
    const auto days = std::ranges::find(rows.why, "cost.days");
    EXPECT_NE(days, rows.why.end()) << "the run's tokens were said";
}

/// A buyer who has both open reads one number.
TEST(CostView, HasTheNumbersOfTheCommandLine) {
    RunCost cost = *explained().cost;
    cost.run->gpuTime = {
        Seconds(261'257 * kHour), Seconds(238'182 * kHour), Seconds(292'769 * kHour)};
    cost.run->energy =
        Headline<Joules>{Joules(3.094e6 * kKwh), Joules(2.7e6 * kKwh), Joules(4.9e6 * kKwh)};
    cost.gpuHour.price = UsdPerHour(0.13131);
    cost.power.perGpu->value = Watts(1112.0);
    const CostRows rows = costRows(cost);
    const std::string printed =
        reportText(costReport(explained().scenario, cost, explained().basis));
    const auto cell = [&rows](const char* key, std::size_t column) {
        const auto row = std::ranges::find(rows.why, key) - rows.why.begin();
        return rows.table.rows.at(static_cast<std::size_t>(row)).at(column);
    };
    EXPECT_EQ(cell("cost.gpu_hours", 2), "238,000 – 293,000");
    EXPECT_EQ(cell("cost.usd_per_gpu_hour", 1), "$0.1313");
    for (const auto& [key, value] : {std::pair("cost.gpu_hours", "261,000"),
                                     std::pair("cost.kwh", "3,090 MWh"),
                                     std::pair("cost.watts_per_gpu", "1.11 kW")}) {
        EXPECT_EQ(cell(key, 1), value);
        EXPECT_NE(printed.find(value), std::string::npos) << printed;
    }
}

/// "44.6 h – 2.3 d" would be two units for one number.
TEST(CostView, HasTheRangeOfATimeInTheUnitOfTheTime) {
    constexpr double kSomeDay = 86400.0;
    RunCost cost = *explained().cost;
    cost.run->wall = {Seconds(2.04 * kSomeDay), Seconds(1.86 * kSomeDay), Seconds(2.3 * kSomeDay)};
    const CostRows rows = costRows(cost);
    const auto days = std::ranges::find(rows.why, "cost.days") - rows.why.begin();
    const std::vector<std::string>& row = rows.table.rows[static_cast<std::size_t>(days)];
    EXPECT_EQ(row[1], "2.04 days");
    EXPECT_EQ(row[2], "1.86 – 2.30 days");
}

TEST(Headlines, EachOpensItsOwnFormula) {
    const Explanation& answer = explained();
    const Plan plan{.scenario = answer.scenario, .step = *answer.step, .memory = *answer.memory};
    const std::vector<HeadlineTile> tiles = headlineTiles(plan);
    const auto formula = [&answer](const HeadlineTile& tile) {
        return reportText(explanationWhy(answer, tile.why).value());
    };
    EXPECT_TRUE(formula(tiles[0]).find("].peak = " + grouped(answer.memory->peak.value.count()) +
                                       " B") != std::string::npos);
    EXPECT_TRUE(formula(tiles[2]).starts_with("time.tokens_per_s = "));
}

TEST(Headlines, HostMemoryThatDecidesOpensItsFormula) {
    for (const char* const offload : {"parameters_cpu", "parameters_nvme"}) {
        const Explanation answer =
            explain(with(readQuestion("", "").value(),
                         std::vector<Edit>{{"model", "gpt2", "-m"},
                                           {"cluster.name", "4x-rtx-4090", "-c"},
                                           {"stack", "deepspeed", "--stack"},
                                           {"layout.shard", "zero3", "--layout"},
                                           {"layout.offload", offload, "--layout"}})
                        .value(),
                    {.memory = true},
                    openBench(),
                    {})
                .value();
        const Plan plan{.scenario = answer.scenario, .step = {}, .memory = *answer.memory};
        const std::string formula =
            reportText(explanationWhy(answer, headlineTiles(plan)[0].why).value());
        EXPECT_TRUE(formula.find("4 ranks of a node need") != std::string::npos) << formula;
    }
}

TEST(Headlines, WhatIsUnlikelyHasAColourOfItsOwn) {
    Plan plan;
    plan.memory.verdict = Verdict::Likely;
    const HeadlineTone likely = headlineTiles(plan).front().tone;
    plan.memory.verdict = Verdict::Unlikely;
    EXPECT_NE(headlineTiles(plan).front().tone, likely);
}

TEST(Headlines, AreNamedBeforeAnythingIsKnown) {
    for (const HeadlineTile& tile : openTiles()) {
        EXPECT_FALSE(tile.title.empty());
        EXPECT_EQ(tile.value, "–");
    }
    EXPECT_EQ(openTiles().size(), headlineTiles({}).size());
}

/// One layout is within the error of no other.
TEST(PlanListNote, ComparesNoSingleLayout) {
    PlanReport report;
    report.candidates = 1;
    report.plans.resize(1);
    EXPECT_EQ(planListNote(&report, 1, {}).find("Those within"), std::string::npos);
    report.plans.resize(2);
    EXPECT_NE(planListNote(&report, 2, {}).find("Those within"), std::string::npos);
}

}  // namespace
}  // namespace fabricast
