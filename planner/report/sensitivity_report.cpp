#include "planner/report/sensitivity_report.h"

#include "planner/report/scales.h"
#include "planner/report/table.h"
#include "planner/result/memory_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

/// Letters of a bar that is as long as the whole step.
constexpr double kWholeBar = 30.0;
/// Smaller values count as zero.
constexpr double kNoElasticity = 0.0005;

/// What helps most first; what has no slope after it, in its order.
std::vector<KnobEffect> sorted(const Sensitivity& sensitivity) {
    std::vector<KnobEffect> knobs = sensitivity.knobs;
    std::ranges::stable_sort(knobs, [](const KnobEffect& a, const KnobEffect& b) {
        return a.elasticity.value_or(-1.0) > b.elasticity.value_or(-1.0);
    });
    return knobs;
}

std::string verdictText(Verdict verdict) {
    switch (verdict) {
        case Verdict::Fits:
            return "fits";
        case Verdict::Likely:
            return "likely fits";
        case Verdict::Unlikely:
            return "unlikely to fit";
        case Verdict::DoesNotFit:
            return "does not fit";
    }
    return "";
}

std::string gain(const Outcome& outcome, const Outcome& now) {
    const double change = outcome.tokensPerGpuSecond / now.tokensPerGpuSecond - 1.0;
    return fmt::format("{:+.1f} %", std::abs(change) < kNoElasticity ? 0.0 : 100.0 * change);
}

void addSearched(std::vector<std::string>& row,
                 const KnobEffect& knob,
                 const Outcome& now,
                 const TimeScale& scale) {
    if (!knob.searched) {
        row.insert(row.end(), {"", "", ""});
        return;
    }
    row.push_back(scale.text(knob.searched->step.count()) + (knob.isCut ? "*" : ""));
    row.push_back(gain(*knob.searched, now));
    row.push_back(knob.searchedLayout.empty() ? "the same" : knob.searchedLayout);
}

std::vector<std::string> knobRow(const KnobEffect& knob,
                                 const Sensitivity& sensitivity,
                                 const TimeScale& scale) {
    std::vector<std::string> row = {std::string(knob.title), "", ""};
    if (knob.elasticity) {
        const double slope = std::abs(*knob.elasticity) < kNoElasticity ? 0.0 : *knob.elasticity;
        const auto length = static_cast<std::size_t>(std::max(0.0, std::round(kWholeBar * slope)));
        row[1] = fmt::format("{:.3f}", slope);
        row[2] = std::string(length, '#');
    }
    if (knob.twice) {
        row.push_back(scale.text(knob.twice->step.count()));
        row.push_back(gain(*knob.twice, sensitivity.now));
        row.push_back(verdictText(knob.twice->verdict));
    } else {
        row.insert(row.end(), {"-", "", ""});
    }
    if (sensitivity.isSearched) {
        addSearched(row, knob, sensitivity.now, scale);
    }
    return row;
}

Table knobTable(const Sensitivity& sensitivity) {
    const TimeScale scale = timeScaleFor(sensitivity.now.step.count());
    const std::string step = fmt::format("x2: {}", scale.unit);
    Table table{{{"knob"},
                 {"elasticity", Align::Right},
                 {""},
                 {step, Align::Right},
                 {"tokens/s", Align::Right},
                 {"memory"}},
                {}};
    if (sensitivity.isSearched) {
        table.columns.push_back({fmt::format("best: {}", scale.unit), Align::Right});
        table.columns.push_back({"tokens/s", Align::Right});
        table.columns.push_back({"layout"});
    }
    for (const KnobEffect& knob : sorted(sensitivity)) {
        table.rows.push_back(knobRow(knob, sensitivity, scale));
    }
    return table;
}

std::string sensitivityHead(const Sensitivity& sensitivity) {
    const Outcome& now = sensitivity.now;
    const TimeScale time = timeScaleFor(now.step.count());
    const ByteScale bytes = byteScaleFor(now.peak);
    return fmt::format("SENSITIVITY  {}, {} tokens/s per GPU, {} {} ({}), layout held{}",
                       time.withUnit(now.step.count()),
                       grouped(std::llround(now.tokensPerGpuSecond)),
                       bytes.text(now.peak),
                       bytes.unit,
                       verdictText(now.verdict),
                       sensitivity.isSearched ? ", and with a new search" : "");
}

bool gains(const std::optional<Outcome>& outcome, const Outcome& now) {
    return outcome && outcome->tokensPerGpuSecond / now.tokensPerGpuSecond - 1.0 >= kNoElasticity;
}

bool isFaster(const std::optional<Outcome>& outcome, const Outcome& now) {
    return gains(outcome, now) && outcome->verdict != Verdict::DoesNotFit;
}

bool isNoFaster(const KnobEffect& knob, const Outcome& now) {
    return !isFaster(knob.twice, now) && !isFaster(knob.searched, now);
}

/// Faster in the table, if only it did fit.
bool wantsRoom(const KnobEffect& knob, const Outcome& now) {
    return isNoFaster(knob, now) && (gains(knob.twice, now) || gains(knob.searched, now));
}

/// Of what does not fit, what twice as much of makes room.
std::string roomText(const Sensitivity& sensitivity) {
    const auto fits = [](const std::optional<Outcome>& outcome) {
        return outcome && outcome->verdict != Verdict::DoesNotFit;
    };
    std::string names;
    for (const KnobEffect& knob : sorted(sensitivity)) {
        if (fits(knob.twice) || fits(knob.searched)) {
            names += (names.empty() ? "" : ", ") + std::string(knob.title);
        }
    }
    return names.empty() ? "twice as much of none makes it fit"
                         : "what makes it fit, twice as much of: " + names;
}

/// What the table does not say: searches that ended early or were not made, and a line for each
/// knob that cannot be turned.
std::string remarks(const Sensitivity& sensitivity) {
    std::string text;
    if (sensitivity.now.verdict == Verdict::DoesNotFit ||
        std::ranges::all_of(sensitivity.knobs, [&sensitivity](const KnobEffect& knob) {
            return isNoFaster(knob, sensitivity.now);
        })) {
        text += noFasterText(sensitivity) + "\n";
    }
    text += searchedEarlyText(sensitivity);
    for (const KnobEffect& knob : sensitivity.knobs) {
        if (!knob.twice) {
            text += fmt::format("no {} x2: {}\n", knob.title, knob.whyNot);
        }
    }
    return text;
}

constexpr std::string_view kLegend =
    "elasticity: percent reduction of the step time per percent of speed; x2: twice the value";

}  // namespace

std::string noFasterText(const Sensitivity& sensitivity) {
    if (sensitivity.now.verdict == Verdict::DoesNotFit) {
        return roomText(sensitivity);
    }
    std::string names;
    std::string tooLarge;
    std::size_t count = 0;
    for (const KnobEffect& knob : sorted(sensitivity)) {
        if (isNoFaster(knob, sensitivity.now)) {
            std::string& list = wantsRoom(knob, sensitivity.now) ? tooLarge : names;
            list += (list.empty() ? "" : ", ") + std::string(knob.title);
            ++count;
        }
    }
    if (count > 0 && count == sensitivity.knobs.size()) {
        return "none is faster: of all that fits, twice as much of nothing makes the step shorter";
    }
    const std::string faster = tooLarge.empty() ? "" : "faster, but does not fit: " + tooLarge;
    return names.empty() ? faster : "no faster: " + names + (faster.empty() ? "" : "; " + faster);
}

std::string searchedEarlyText(const Sensitivity& sensitivity) {
    const bool isCut = std::ranges::any_of(sensitivity.knobs, &KnobEffect::isCut);
    return (isCut ? "*: the search ended early, a better layout may exist\n" : "") +
           (sensitivity.notSearched.empty() ? "" : sensitivity.notSearched + "\n");
}

Report sensitivityReport(const Sensitivity& sensitivity) {
    Report report(sensitivityHead(sensitivity) + "\n\n");
    report.add(knobTable(sensitivity));
    return std::move(report.add(fmt::format("\n{}\n{}", kLegend, remarks(sensitivity))));
}

std::string sensitivityMarkdown(const Sensitivity& sensitivity) {
    return fmt::format("**{}**\n\n{}\n{}\n{}",
                       sensitivityHead(sensitivity),
                       markdownText(knobTable(sensitivity)),
                       kLegend,
                       remarks(sensitivity));
}

std::string sensitivityCsv(const Sensitivity& sensitivity) {
    Table table{{{"knob"},
                 {"elasticity"},
                 {"twice_step_s"},
                 {"twice_tokens_per_s_gpu"},
                 {"twice_peak_bytes"},
                 {"twice_verdict"},
                 {"searched_step_s"},
                 {"searched_tokens_per_s_gpu"},
                 {"searched_layout"}},
                {}};
    for (const KnobEffect& knob : sensitivity.knobs) {
        std::vector<std::string> row = {
            std::string(knob.key), knob.elasticity ? fmt::format("{:.6f}", *knob.elasticity) : ""};
        if (knob.twice) {
            row.push_back(fmt::format("{:.9g}", knob.twice->step.count()));
            row.push_back(fmt::format("{:.9g}", knob.twice->tokensPerGpuSecond));
            row.push_back(std::to_string(knob.twice->peak.count()));
            row.emplace_back(nameOf(knob.twice->verdict));
        } else {
            row.insert(row.end(), {"", "", "", ""});
        }
        if (knob.searched) {
            row.push_back(fmt::format("{:.9g}", knob.searched->step.count()));
            row.push_back(fmt::format("{:.9g}", knob.searched->tokensPerGpuSecond));
        } else {
            row.insert(row.end(), {"", ""});
        }
        row.push_back(knob.searchedLayout);
        table.rows.push_back(std::move(row));
    }
    return csvText(table);
}

}  // namespace fabricast
