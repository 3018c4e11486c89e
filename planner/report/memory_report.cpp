#include "planner/report/memory_report.h"

#include "planner/base/quantity_text.h"
#include "planner/report/memory_table.h"
#include "planner/report/note_line.h"
#include "planner/report/scales.h"
#include "planner/report/subject_words.h"
#include "planner/report/table.h"
#include "planner/result/memory_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

std::string_view boundWords(Bound bound) {
    switch (bound) {
        case Bound::GpuMemory:
            return "GPU memory";
        case Bound::HostMemory:
            return "host memory";
        case Bound::NvmeSpace:
            return "NVMe space";
    }
    return "memory";
}

ByteScale scaleOf(const MemoryBreakdown& memory) {
    return byteScaleFor(std::max(memory.peak.value, Bytes(1)));
}

std::string fullestText(const MemoryBreakdown& memory) {
    if (memory.fullest >= memory.stages.size()) {
        return {};
    }
    const StageMemory& stage = memory.stages[memory.fullest];
    const std::string place =
        memory.stages.size() > 1 ? fmt::format("stage {}, ", stage.stage) : "";
    return place + stage.peakAt;
}

/// Where the verdict comes from: the fullest stage's peak, or what a node's host lacks.
std::string causeText(const MemoryBreakdown& memory) {
    return memory.ofNode().verdict() > memory.onDevice ? hostNeedText(memory.ofNode())
                                                       : fullestText(memory);
}

/// What a table of GPUs does not show; a host that lacks something has a line of its own.
std::string hostLine(const HostNeed& host) {
    const bool isSaid = host.perNode == Bytes() || host.verdict() != Verdict::Fits;
    return isSaid ? "" : hostNeedText(host) + "\n";
}

/// "61.20 GiB [58.31..65.02] of 79.18 GiB"; ", less 10 %" where a share is to be left free.
std::string peakText(const MemoryBreakdown& memory) {
    const ByteScale scale = scaleOf(memory);
    return fmt::format(
        "{} {} [{}..{}] of {} {}{}",
        scale.text(memory.peak.value),
        scale.unit,
        scale.text(memory.peak.lo),
        scale.text(memory.peak.hi),
        scale.text(memory.capacity),
        scale.unit,
        memory.reserve > 0.0 ? fmt::format(" less {:.3g} %", 100.0 * memory.reserve) : "");
}

/// Why it is not sure: the tensors may fit, and what the allocator holds back with them may not.
std::string uncertainLine(const MemoryBreakdown& memory, const Rejection& rejection) {
    const ByteScale scale = scaleOf(memory);
    const bool over = memory.pinned > memory.room();
    const Bytes worst = memory.peak.hi - memory.room();
    return fmt::format(
        "{}: with more memory the caching allocator would hold up to {} {}; what it cannot give "
        "back is {} {}, {} {} {} what there is{}: {}\n"
        "  it gives back the rest and asks again, which takes time; --reserve 10% asks for room",
        fitText(memory.onDevice),
        scale.text(memory.unpressed),
        scale.unit,
        scale.text(memory.pinned),
        scale.unit,
        scale.text(over ? memory.pinned - memory.room() : memory.room() - memory.pinned),
        scale.unit,
        over ? "over" : "below",
        worst > Bytes() ? fmt::format(", {} {} over at worst", scale.text(worst), scale.unit) : "",
        rejection.where);
}

/// The phases of a run with more than steps, and which of them the verdict is of.
std::string phasesLine(const MemoryBreakdown& memory) {
    if (memory.fullest >= memory.stages.size() || memory.stages[memory.fullest].phases.empty()) {
        return {};
    }
    const StageMemory& stage = memory.stages[memory.fullest];
    const ByteScale scale = scaleOf(memory);
    std::string text = fmt::format("tensors of each phase, {}:", scale.unit);
    for (const PhasePeak& phase : stage.phases) {
        text += fmt::format(" {} {},", phase.name, scale.text(phase.requested));
    }
    text.back() = ';';
    return fmt::format("{} fullest: {} (--why phases)\n", text, fullestPhase(memory));
}

std::string fixText(const Fix& fix, const ByteScale& scale) {
    std::string text = fmt::format("{}: {} {}{}, {}",
                                   fix.behind,
                                   scale.text(fix.peakAfter),
                                   scale.unit,
                                   fixHostText(fix),
                                   fixOutcome(fix));
    return fix.sideEffect.empty() ? text : text + " (" + fix.sideEffect + ")";
}

std::string rejectionLine(const Rejection& rejection, const ByteScale& scale) {
    if (rejection.over == Bytes()) {
        return fmt::format("{} of a node is not known: {} states it",
                           boundWords(rejection.bound),
                           rejection.bound == Bound::NvmeSpace ? "--nvme" : "--host-memory");
    }
    const bool onDevice = rejection.bound == Bound::GpuMemory;
    return fmt::format("{} is short by {}{}",
                       boundWords(rejection.bound),
                       onDevice ? scale.text(rejection.over) + " " + std::string(scale.unit)
                                : shortText(rejection.over),
                       rejection.where.empty() ? "" : ": " + rejection.where);
}

std::vector<std::string> rejectionLines(const MemoryBreakdown& memory) {
    const ByteScale scale = scaleOf(memory);
    std::vector<std::string> lines;
    for (const Rejection& rejection : memory.rejections) {
        const bool onDevice = rejection.bound == Bound::GpuMemory;
        lines.push_back(onDevice && isUnsure(memory.onDevice) ? uncertainLine(memory, rejection)
                                                              : rejectionLine(rejection, scale));
        for (const Fix& fix : rejection.fixes) {
            lines.push_back("  " + fixText(fix, scale));
        }
    }
    return lines;
}

/// A bar per row of the table, beside what there is.
BarChart memoryBars(const MemoryBreakdown& memory, const ByteScale& scale) {
    constexpr std::size_t kFirst = 2;  // behind the stage and what is in flight
    const Table table = stageTable(memory, scale);
    BarChart chart = stackedBarsOf(table, table.columns[kFirst].title, "peak");
    chart.title = fmt::format("Memory at its peak, {} per GPU", scale.unit);
    chart.limit = {.at = numberIn(scale.text(memory.room())).value_or(0.0),
                   .text = fmt::format("{} {}", scale.text(memory.room()), scale.unit)};
    return chart;
}

}  // namespace

std::string_view fullestPhase(const MemoryBreakdown& memory) {
    if (memory.fullest >= memory.stages.size()) {
        return {};
    }
    const StageMemory& stage = memory.stages[memory.fullest];
    const auto found = std::ranges::find(stage.phases, stage.requested, &PhasePeak::requested);
    return found == stage.phases.end() ? std::string_view() : found->name;
}

std::string_view verdictWord(Verdict verdict) {
    switch (verdict) {
        case Verdict::Fits:
            return "FITS";
        case Verdict::Likely:
            return "LIKELY FITS";
        case Verdict::Unlikely:
            return "UNLIKELY TO FIT";
        case Verdict::DoesNotFit:
            break;
    }
    return "DOES NOT FIT";
}

std::string hostNeedText(const HostNeed& host) {
    return fmt::format("{} per node: {} {}",
                       host.what,
                       shortText(host.perNode),
                       host.there ? "of " + shortText(*host.there) : "needed, not known");
}

std::string_view fitText(Verdict verdict) {
    switch (verdict) {
        case Verdict::Fits:
            return "fits";
        case Verdict::Likely:
            return "likely fits";
        case Verdict::Unlikely:
            return "unlikely to fit";
        case Verdict::DoesNotFit:
            break;
    }
    return "does not fit";
}

std::string fixHostText(const Fix& fix) {
    const bool isSaid =
        fix.hostAfter > Bytes() && (fix.needs.empty() || fix.onDevice == Verdict::DoesNotFit);
    return isSaid ? " and " + shortText(fix.hostAfter) + " of a host" : "";
}

std::string fixOutcome(const Fix& fix) {
    return fix.needs.empty() || fix.onDevice == Verdict::DoesNotFit
               ? std::string(fixText(fix.verdict))
               : std::string(fitText(fix.onDevice)) + " if a node has " + fix.needs;
}

std::string_view fixText(Verdict verdict) {
    return verdict == Verdict::DoesNotFit ? "still does not fit" : fitText(verdict);
}

Report memoryReport(const Scenario& scenario, const MemoryBreakdown& memory) {
    const ByteScale scale = scaleOf(memory);
    Report report(fmt::format("{}  {}  {}\n  {}\n\n{} per GPU\n",
                              verdictWord(memory.verdict),
                              peakText(memory),
                              causeText(memory),
                              subjectText(scenario),
                              scale.unit));
    report.add(stageTable(memory, scale)).add(memoryBars(memory, scale));
    std::string text = phasesLine(memory) + hostLine(memory.host) + hostLine(memory.drives);
    for (const std::string& line : rejectionLines(memory)) {
        text += (line.starts_with(" ") ? "" : "\n") + line + "\n";
    }
    for (const std::string& note : memory.notes) {
        text += (&note == memory.notes.data() ? "\n" : "") + noteLine(note) + "\n";
    }
    return std::move(report.add(text));
}

std::string memoryText(const Scenario& scenario, const MemoryBreakdown& memory) {
    return reportText(memoryReport(scenario, memory));
}

std::string memoryMarkdown(const Scenario& scenario, const MemoryBreakdown& memory) {
    const ByteScale scale = scaleOf(memory);
    std::string text = fmt::format("**{}** {} ({})\n\n{}\n\n{} per GPU:\n\n{}",
                                   verdictWord(memory.verdict),
                                   peakText(memory),
                                   causeText(memory),
                                   subjectText(scenario),
                                   scale.unit,
                                   markdownText(stageTable(memory, scale)));
    if (const std::string phases = phasesLine(memory); !phases.empty()) {
        text += "\n" + phases;
    }
    for (const std::string& line : rejectionLines(memory)) {
        text += (line.starts_with(" ") ? "- " + line.substr(2) : "\n" + line + "\n") + "\n";
    }
    for (const std::string& note : memory.notes) {
        text += "\n_" + noteLine(note) + "_\n";
    }
    return text;
}

std::string memoryCsv(const MemoryBreakdown& memory) {
    Table table = stageBytesTable(memory);
    table.columns.push_back({"capacity_bytes"});
    table.columns.push_back({"verdict"});
    for (std::vector<std::string>& row : table.rows) {
        row.push_back(std::to_string(memory.capacity.count()));
        row.emplace_back(nameOf(memory.verdict));
    }
    return csvText(table);
}

}  // namespace fabricast
