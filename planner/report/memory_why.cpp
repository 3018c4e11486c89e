#include "planner/report/memory_report.h"
#include "planner/report/scales.h"
#include "planner/report/table.h"
#include "planner/result/memory_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// "stages[2].activations" as the stage's number and what follows it; without a number the stage
/// with the highest peak.
std::pair<std::size_t, std::string_view> splitKey(const MemoryBreakdown& memory,
                                                  std::string_view key) {
    for (std::size_t stage = 0; stage < memory.stages.size(); ++stage) {
        const std::string prefix = fmt::format("stages[{}].", stage);
        if (key.starts_with(prefix)) {
            return {stage, key.substr(prefix.size())};
        }
    }
    return {memory.fullest, key};
}

/// The part of a term's key behind its stage.
std::string_view bareKey(std::string_view key) {
    const std::size_t dot = key.find("].");
    return key.starts_with("stages[") && dot != std::string_view::npos ? key.substr(dot + 2) : key;
}

bool belongsTo(std::string_view termKey, std::string_view asked) {
    return termKey == asked ||
           (termKey.starts_with(asked) && termKey.substr(asked.size()).starts_with("."));
}

std::string termText(const Term& term) {
    const ByteScale scale = byteScaleFor(term.bytes);
    std::string text = fmt::format("{} = {} B", term.key, grouped(term.bytes.count()));
    if (scale.bytes > 1) {
        text += fmt::format(" ({} {})", scale.text(term.bytes), scale.unit);
    }
    text += "\n  " + term.formula + "\n";
    return term.source.empty() ? text : text + "  source: " + term.source + "\n";
}

std::string bytesText(Bytes size) {
    return grouped(size.count()) + " B";
}

/// The parts that a peak is the sum of, those that are nothing left out.
std::string sumOf(const StageMemory& stage) {
    std::string text;
    const auto add = [&text](std::string_view name, Bytes size) {
        if (size != Bytes()) {
            text += fmt::format("{}{} {}", text.empty() ? "" : " + ", name, bytesText(size));
        }
    };
    for (const auto& [kind, name] : namesOf(MemoryKind{})) {
        add(name, stage.atPeak.of(kind));
    }
    add("rounding", stage.allocated - stage.requested);
    add("context", stage.context);
    add("collectives", stage.collectives);
    return text + ", at " + stage.peakAt;
}

/// The columns of the table that are sums and differences of others, and what they are judged by.
std::vector<Term> tableTerms(const MemoryBreakdown& memory, const StageMemory& stage) {
    const auto term = [&stage](std::string_view name, Bytes size, std::string formula) {
        return Term{.key = fmt::format("stages[{}].{}", stage.stage, name),
                    .bytes = size,
                    .formula = std::move(formula),
                    .source = {}};
    };
    return {term("rounding",
                 stage.allocated - stage.requested,
                 fmt::format("{} that PyTorch's allocator hands out - {} that tensors ask for",
                             bytesText(stage.allocated),
                             bytesText(stage.requested))),
            term("peak", stage.allocated + stage.context + stage.collectives, sumOf(stage)),
            term("reserve",
                 stage.reserved.value - stage.allocated,
                 fmt::format("{} that PyTorch's allocator takes from the device - {} that it hands "
                             "out at the peak",
                             bytesText(stage.reserved.value),
                             bytesText(stage.allocated))),
            term("headroom",
                 memory.capacity - (stage.allocated + stage.context + stage.collectives),
                 fmt::format("{} of the GPU's usable memory - {} of peak",
                             bytesText(memory.capacity),
                             bytesText(stage.allocated + stage.context + stage.collectives))),
            term("capacity",
                 memory.capacity,
                 "usable_memory of the GPU's profile: what the driver reports")};
}

/// Each phase of a run at its own fullest moment.
void addPhaseTerms(const StageMemory& stage, std::vector<Term>& terms) {
    for (const PhasePeak& phase : stage.phases) {
        const bool decides = phase.requested == stage.requested;
        terms.push_back(
            {.key = fmt::format("stages[{}].phases.{}", stage.stage, phase.name),
             .bytes = phase.requested,
             .formula = fmt::format("what tensors ask for, at {}{}",
                                    phase.peakAt,
                                    decides ? "; the fullest of all, which the answer is of" : ""),
             .source = {}});
    }
}

std::vector<Term> allTerms(const MemoryBreakdown& memory, const StageMemory& stage) {
    std::vector<Term> terms = stage.terms;
    std::ranges::move(tableTerms(memory, stage), std::back_inserter(terms));
    addPhaseTerms(stage, terms);
    if (&stage == &memory.stages[memory.fullest]) {
        terms.insert(terms.end(), memory.limits.begin(), memory.limits.end());
    }
    return terms;
}

/// The terms of a stage that are asked for; all that there are go to `known`.
std::string termsOf(const MemoryBreakdown& memory,
                    std::size_t stage,
                    std::string_view asked,
                    std::string& known) {
    std::string text;
    if (stage < memory.stages.size()) {
        for (const Term& term : allTerms(memory, memory.stages[stage])) {
            const std::string_view name = bareKey(term.key);
            text += belongsTo(name, asked) ? termText(term) : "";
            known += (known.empty() ? "" : ", ") + std::string(name);
        }
    }
    return text;
}

}  // namespace

std::string memoryFormulas(const MemoryBreakdown& memory) {
    std::string text;
    if (memory.fullest < memory.stages.size()) {
        for (const Term& term : memory.stages[memory.fullest].terms) {
            text += termText(term);
        }
    }
    return text;
}

std::string largestTerm(const MemoryBreakdown& memory) {
    if (memory.fullest >= memory.stages.size() || memory.stages[memory.fullest].terms.empty()) {
        return {};
    }
    const std::vector<Term>& terms = memory.stages[memory.fullest].terms;
    const auto largest = std::max_element(
        terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.bytes < b.bytes; });
    return std::string(bareKey(largest->key));
}

Result<std::string> memoryWhy(const MemoryBreakdown& memory, std::string_view key) {
    const auto [stage, asked] = splitKey(memory, key);
    if (asked == "in_flight" && stage < memory.stages.size()) {
        return fmt::format(
            "stages[{}].in_flight = {}\n  microbatches, or chunks of them, whose "
            "forward is done and whose backward is not, at {}\n",
            memory.stages[stage].stage,
            memory.stages[stage].inFlight,
            memory.stages[stage].peakAt);
    }
    std::string known;
    std::string text = termsOf(memory, stage, asked, known);
    // What the fullest stage has none of may be in the table for another one.
    for (std::size_t other = 0; text.empty() && asked == key && other < memory.stages.size();
         ++other) {
        std::string ignored;
        text = termsOf(memory, other, asked, ignored);
    }
    if (text.empty()) {
        return fail(Error::Code::NotFound,
                    "--why",
                    "unknown number \"" + std::string(key) + "\"",
                    known.empty() ? "" : "one of: " + known);
    }
    return text;
}

}  // namespace fabricast
