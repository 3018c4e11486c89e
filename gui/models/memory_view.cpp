#include "gui/models/page_views.h"
#include "gui/models/why_words.h"
#include "planner/base/quantity_text.h"
#include "planner/report/memory_report.h"
#include "planner/report/memory_table.h"
#include "planner/report/plan_views.h"
#include "planner/result/memory_names.h"

#include <algorithm>

namespace fabricast {
namespace {

/// One thing that bytes of a GPU are for.
struct MemoryPart {
    std::string key;    ///< as --why takes it
    std::string words;  ///< for somebody who has never heard of it
    Bytes (*outside)(const StageMemory& stage) = nullptr;  ///< of the allocator's bookkeeping
    MemoryKind kind = MemoryKind::Count_;

    [[nodiscard]] Bytes of(const StageMemory& stage) const {
        return outside != nullptr ? outside(stage) : stage.atPeak.of(kind);
    }
};

const char* wordsOf(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::Weights:
            return "weights";
        case MemoryKind::Gradients:
            return "gradients";
        case MemoryKind::Optimizer:
            return "optimizer states";
        case MemoryKind::Activations:
            return "activations, kept for backward";
        case MemoryKind::Recomputed:
            return "activations, computed again";
        case MemoryKind::Gathered:
            return "gathered weights";
        case MemoryKind::Communication:
            return "communication buffers";
        case MemoryKind::Backward:
            return "backward of one layer";
        case MemoryKind::Loss:
            return "logits and loss";
        case MemoryKind::Workspace:
            return "workspace of kernels";
        case MemoryKind::Buffers:
            return "model buffers";
        case MemoryKind::Count_:
            break;
    }
    return "other";
}

std::vector<MemoryPart> allParts(const RuntimeNames& names) {
    std::vector<MemoryPart> parts;
    for (const auto& [kind, name] : namesOf(MemoryKind{})) {
        parts.push_back({std::string(name), wordsOf(kind), nullptr, kind});
    }
    parts.push_back({"rounding", "rounding of the allocator", [](const StageMemory& stage) {
                         return stage.allocated - stage.requested;
                     }});
    parts.push_back({"context",
                     std::string(names.runtime) + " context",
                     [](const StageMemory& stage) { return stage.context; }});
    parts.push_back({"collectives",
                     std::string(names.collectives) + " buffers",
                     [](const StageMemory& stage) { return stage.collectives; }});
    return parts;
}

bool anyStageHasPart(const MemoryBreakdown& memory, const MemoryPart& part) {
    return std::ranges::any_of(
        memory.stages, [&part](const StageMemory& stage) { return part.of(stage) != Bytes(); });
}

/// Those that a stage of either has.
std::vector<MemoryPart> partsOf(const MemoryBreakdown& memory,
                                const MemoryBreakdown* other,
                                const RuntimeNames& names) {
    std::vector<MemoryPart> parts = allParts(names);
    std::erase_if(parts, [&](const MemoryPart& part) {
        return !anyStageHasPart(memory, part) &&
               (other == nullptr || !anyStageHasPart(*other, part));
    });
    return parts;
}

double asNumber(Bytes size) {
    return static_cast<double>(size.count());
}

MemoryBar barOf(const StageMemory& stage,
                const MemoryBreakdown& memory,
                const std::vector<MemoryPart>& parts) {
    MemoryBar bar{
        .label = memory.stages.size() == 1 ? "every GPU" : "stage " + std::to_string(stage.stage),
        .parts = {},
        .interval = {},
        .note = stage.peakAt.empty() ? "" : "peak: " + stage.peakAt};
    for (const MemoryPart& part : parts) {
        bar.parts.push_back(asNumber(part.of(stage)));
    }
    if (&stage == &memory.stages[memory.fullest]) {
        bar.interval = ValueRange{asNumber(memory.peak.lo), asNumber(memory.peak.hi)};
    }
    return bar;
}

const StageMemory& fullestOf(const MemoryBreakdown& memory) {
    return memory.stages[memory.fullest];
}

std::string termKey(const StageMemory& stage, const std::string& part) {
    for (const Term& term : stage.terms) {
        if (term.key.ends_with("." + part) || term.key == part) {
            return term.key;
        }
    }
    return "";
}

std::string formulaOfTerm(const StageMemory& stage, const std::string& key) {
    for (const Term& term : stage.terms) {
        if (!key.empty() && term.key == key) {
            return term.formula;
        }
    }
    return "";
}

void addRow(MemoryParts& parts,
            const std::vector<std::string>& row,
            const std::string& b,
            const std::string& formula) {
    std::vector<std::string> cells = row;
    if (!b.empty()) {
        cells.push_back(b);
    }
    cells.push_back(formula);
    parts.table.rows.push_back(std::move(cells));
}

}  // namespace

std::string memoryPartWords(std::string_view name) {
    const std::vector<MemoryPart> parts =
        allParts({.runtime = "runtime", .collectives = "collectives'"});
    const auto part = std::ranges::find(parts, name, &MemoryPart::key);
    return part == parts.end() ? std::string() : part->words;
}

MemoryBarValues memoryBars(const MemoryBreakdown& memory,
                           const MemoryBreakdown* other,
                           const RuntimeNames& names) {
    MemoryBarValues values{.title = {},
                           .parts = {},
                           .bars = {},
                           .ghosts = {},
                           .usable = asNumber(memory.room()),
                           .present = asNumber(memory.capacity)};
    const std::vector<MemoryPart> parts = partsOf(memory, other, names);
    for (const MemoryPart& part : parts) {
        values.parts.push_back(part.words);
    }
    for (const StageMemory& stage : memory.stages) {
        values.bars.push_back(barOf(stage, memory, parts));
    }
    if (other != nullptr) {
        for (const StageMemory& stage : other->stages) {
            values.ghosts.push_back(barOf(stage, *other, parts));
        }
    }
    return values;
}

MemoryParts memoryParts(const MemoryBreakdown& memory,
                        const MemoryBreakdown* other,
                        const RuntimeNames& names) {
    MemoryParts parts;
    parts.table.columns = {{"what it is for"}, {"GiB", Align::Right}, {"share", Align::Right}};
    if (other != nullptr) {
        parts.table.columns.push_back({"GiB of B", Align::Right});
    }
    parts.table.columns.push_back({"how it is counted"});
    const StageMemory& stage = fullestOf(memory);
    const Bytes peak = devicePeak(stage);
    for (const MemoryPart& part : allParts(names)) {
        const Bytes size = part.of(stage);
        const Bytes ofOther = other != nullptr ? part.of(fullestOf(*other)) : Bytes();
        if (size == Bytes() && ofOther == Bytes()) {
            continue;
        }
        const std::string key = termKey(stage, part.key);
        addRow(parts,
               {part.words, gibText(size), percentText(size / peak)},
               other != nullptr ? gibText(ofOther) : "",
               formulaOfTerm(stage, key));
        parts.why.push_back(key);
    }
    addRow(parts,
           {"in all", gibText(peak), percentText(1.0)},
           other != nullptr ? gibText(devicePeak(fullestOf(*other))) : "",
           "of " + gibText(memory.capacity) + " GiB that a process can have");
    parts.why.emplace_back();
    return parts;
}

std::string memoryHeadline(const MemoryBreakdown& memory) {
    const StageMemory& stage = fullestOf(memory);
    std::string text =
        std::string(verdictWord(memory.verdict)) + ": " +
        (memory.stages.size() == 1 ? std::string("each GPU")
                                   : "stage " + std::to_string(stage.stage) + " needs most,") +
        " " + shortText(memory.peak.value) + " (" + gibText(memory.peak.lo) + " – " +
        gibText(memory.peak.hi) + " GiB) of " + shortText(memory.capacity);
    text += stage.peakAt.empty() ? "" : ", at its peak: " + stage.peakAt;
    for (const HostNeed& need : {memory.host, memory.drives}) {
        text += need.perNode > Bytes() ? "; " + hostNeedText(need) : "";
    }
    return text;
}

std::string memoryPartKey(const MemoryBarValues& values,
                          const RuntimeNames& names,
                          std::size_t stage,
                          std::size_t part) {
    for (const MemoryPart& one : allParts(names)) {
        if (part < values.parts.size() && one.words == values.parts[part]) {
            return "stages[" + std::to_string(stage) + "]." + one.key;
        }
    }
    return "";
}

}  // namespace fabricast
