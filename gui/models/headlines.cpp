#include "gui/models/headlines.h"

#include "planner/base/quantity_text.h"
#include "planner/report/cost_report.h"
#include "planner/report/durations.h"
#include "planner/report/memory_report.h"
#include "planner/report/plain_number.h"
#include "planner/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricast {
namespace {

HeadlineTone toneOf(Verdict verdict) {
    switch (verdict) {
        case Verdict::Fits:
            return HeadlineTone::Good;
        case Verdict::Likely:
            return HeadlineTone::Unsure;
        case Verdict::Unlikely:
            return HeadlineTone::Doubtful;
        case Verdict::DoesNotFit:
            break;
    }
    return HeadlineTone::Bad;
}

std::string rangeText(const std::string& low, const std::string& high) {
    return low == high ? "" : low + " – " + high;
}

/// A rate has the interval of the step upside down.
double rateAt(const Headline<Seconds>& step, double rate, Seconds other) {
    return other.count() > 0.0 ? rate * (step.value.count() / other.count()) : rate;
}

std::string firstUpper(std::string_view words) {
    std::string text(words);
    text.front() = text.front() == 'h' ? 'H' : text.front();
    return text;
}

/// "19.8 of 23.6 GiB", in the unit of the whole.
std::string partOfWhole(Bytes part, Bytes whole) {
    const std::string text = shortText(whole);
    const std::string unit = text.substr(text.find(' ') + 1);
    constexpr std::array<std::string_view, 6> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    const auto power = std::ranges::find(kUnits, unit) - kUnits.begin();
    const double parts = static_cast<double>(part.count()) / std::pow(1024.0, power);
    return roundedNumber(parts, 3) + " of " + text;
}

std::string hostRange(const HostNeed& host) {
    return host.there ? partOfWhole(host.perNode, *host.there)
                      : shortText(host.perNode) + ", not known";
}

/// Of the stage that keeps most there.
std::string hostKey(const MemoryBreakdown& memory, const HostNeed& host) {
    const bool isMemory = &host == &memory.host;
    const auto most = std::ranges::max_element(
        memory.stages, {}, isMemory ? &StageMemory::host : &StageMemory::nvme);
    return "stages[" + std::to_string(most - memory.stages.begin()) +
           (isMemory ? "].host" : "].nvme");
}

HeadlineTile verdictTile(const MemoryBreakdown& memory) {
    const std::string_view word = verdictWord(memory.verdict);
    std::string sentence(word.substr(0, 1));
    for (const char letter : word.substr(1)) {
        sentence += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    const HostNeed& host = memory.ofNode();
    const bool hostDecides = host.verdict() > memory.onDevice;
    return {
        .key = "verdict",
        .title = hostDecides ? firstUpper(host.what) : "GPU memory",
        .value = sentence,
        .range = hostDecides ? hostRange(host) : partOfWhole(memory.peak.value, memory.capacity),
        .evidence = std::string(evidenceWords(memory.peak.evidence)),
        .why = hostDecides ? hostKey(memory, host) : std::string("peak"),
        .tone = toneOf(memory.verdict)};
}

/// Of a plan that does not fit, only its memory is known.
bool hasStep(const StepEstimate& step) {
    return step.step.value.count() > 0.0;
}

HeadlineTile unknownTile(const char* key, const char* title) {
    return {.key = key, .title = title, .value = "–", .range = {}, .evidence = {}, .why = {}};
}

/// All but the verdict.
std::vector<HeadlineTile> unknownTiles() {
    return {unknownTile("step", "Step time"),
            unknownTile("speed", "Tokens per second"),
            unknownTile("mfu", "GPU use (MFU)"),
            unknownTile("price", "Price of 1M tokens"),
            unknownTile("run", "Whole run")};
}

HeadlineTile stepTile(const Headline<Seconds>& step) {
    return {.key = "step",
            .title = "Step time",
            .value = durationText(step.value),
            .range = durationRange(step.lo, step.hi, step.value),
            .evidence = std::string(evidenceWords(step.evidence)),
            .why = "time.step"};
}

HeadlineTile speedTile(const StepEstimate& step) {
    const auto tokens = [&step](Seconds other) {
        return grouped(std::llround(rateAt(step.step, step.tokensPerSecond, other)));
    };
    return {.key = "speed",
            .title = "Tokens per second",
            .value = tokens(step.step.value),
            .range = rangeText(tokens(step.step.hi), tokens(step.step.lo)),
            .evidence = std::string(evidenceWords(step.step.evidence)),
            .why = "time.tokens_per_s"};
}

HeadlineTile mfuTile(const StepEstimate& step) {
    HeadlineTile tile{.key = "mfu",
                      .title = "GPU use (MFU)",
                      .value = "–",
                      .range = step.utilisation.why,
                      .evidence = std::string(evidenceWords(step.step.evidence)),
                      .why = "time.mfu"};
    if (const std::optional<double>& mfu = step.utilisation.mfu) {
        const auto share = [&](Seconds other) {
            return percentText(rateAt(step.step, *mfu, other));
        };
        tile.value = percentText(*mfu);
        tile.range = rangeText(share(step.step.hi), share(step.step.lo));
    }
    return tile;
}

HeadlineTile priceTile(const std::optional<RunCost>& cost) {
    HeadlineTile tile{.key = "price",
                      .title = "Price of 1M tokens",
                      .value = cost ? "no price" : "…",
                      .range = cost ? "choose a price list" : "",
                      .evidence = {},
                      .why = "cost.usd_per_mtok"};
    if (cost && cost->perMtok) {
        const Headline<Usd>& price = *cost->perMtok;
        tile.value = dollarText(price.value.count());
        tile.range = rangeText(dollarText(price.lo.count()), dollarText(price.hi.count()));
        tile.evidence = std::string(evidenceWords(price.evidence));
    }
    return tile;
}

HeadlineTile runTile(const std::optional<RunCost>& cost) {
    HeadlineTile tile{.key = "run",
                      .title = "Whole run",
                      .value = cost ? "–" : "…",
                      .range = cost ? "enter its tokens" : "",
                      .evidence = {},
                      .why = {}};
    if (cost && cost->run) {
        const RunTotals& run = *cost->run;
        tile.value = runText(run.wall.value);
        if (run.price) {
            tile.value += ", " + dollarText(run.price->value.count());
        }
        tile.range = runRange(run.wall.lo, run.wall.hi, run.wall.value);
        tile.evidence = std::string(evidenceWords(run.wall.evidence));
        tile.why = run.price ? "cost.days cost.usd_per_run" : "cost.days";
    }
    return tile;
}

}  // namespace

std::string_view evidenceWords(Evidence evidence) {
    switch (evidence) {
        case Evidence::MeasuredHere:
            return "measured on your machine";
        case Evidence::MeasuredProfile:
            return "measured on this kind of GPU";
        case Evidence::VendorSpec:
            return "from data sheets";
        case Evidence::Modelled:
            return "modelled";
        case Evidence::Extrapolated:
            break;
    }
    return "beyond what was measured";
}

std::vector<HeadlineTile> headlineTiles(const Plan& plan) {
    if (!hasStep(plan.step)) {
        std::vector<HeadlineTile> tiles = unknownTiles();
        for (HeadlineTile& tile : tiles) {
            tile.range = "once it fits";
        }
        tiles.insert(tiles.begin(), verdictTile(plan.memory));
        return tiles;
    }
    return {verdictTile(plan.memory),
            stepTile(plan.step.step),
            speedTile(plan.step),
            mfuTile(plan.step),
            priceTile(plan.cost),
            runTile(plan.cost)};
}

std::vector<HeadlineTile> openTiles() {
    std::vector<HeadlineTile> tiles = unknownTiles();
    tiles.insert(tiles.begin(), unknownTile("verdict", "GPU memory"));
    return tiles;
}

}  // namespace fabricast
