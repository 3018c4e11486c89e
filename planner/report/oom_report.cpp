#include "planner/report/oom_report.h"

#include "planner/base/quantity_text.h"
#include "planner/report/answer_json.h"
#include "planner/report/begin_answer.h"
#include "planner/report/memory_report.h"
#include "planner/report/note_line.h"
#include "planner/report/scales.h"
#include "planner/report/subject_words.h"
#include "planner/report/table.h"
#include "planner/text/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace fabricast {
namespace {

ByteScale layerScale(const OomAnswer& answer) {
    Bytes largest = answer.message.capacity.value_or(Bytes());
    for (const MemoryLayer& layer : answer.layers) {
        largest =
            std::max({largest, layer.measured.value_or(Bytes()), layer.forecast.value_or(Bytes())});
    }
    return byteScaleFor(largest);
}

std::string cellOf(const std::optional<Bytes>& bytes, const ByteScale& scale) {
    return bytes ? scale.text(*bytes) : "-";
}

Table layerTable(const OomAnswer& answer, const ByteScale& scale) {
    const std::string of = answer.message.isOfHost() ? " of a node's host" : " of this GPU";
    Table table{{{std::string(scale.unit) + of}, {"measured", Align::Right}}, {}};
    if (answer.forecast) {
        table.columns.push_back({"forecast", Align::Right});
    }
    for (const MemoryLayer& layer : answer.layers) {
        if (!layer.measured && !layer.forecast) {
            continue;
        }
        std::vector<std::string> row = {layer.name, cellOf(layer.measured, scale)};
        if (answer.forecast) {
            row.push_back(cellOf(layer.forecast, scale));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string_view failureHead(MemoryMessage::Kind kind) {
    switch (kind) {
        case MemoryMessage::Kind::Driver:
            return "OUT OF MEMORY  in the driver";
        case MemoryMessage::Kind::Nccl:
            return "OUT OF MEMORY  in NCCL";
        case MemoryMessage::Kind::Cublas:
            return "OUT OF MEMORY  in cuBLAS";
        case MemoryMessage::Kind::Cudnn:
            return "OUT OF MEMORY  in cuDNN";
        case MemoryMessage::Kind::Killed:
            return "KILLED  mostly as the host ran out of memory";
        case MemoryMessage::Kind::Unsized:
            return "OUT OF MEMORY  in PyTorch's allocator";
        case MemoryMessage::Kind::Host:
        case MemoryMessage::Kind::SharedMemory:
        case MemoryMessage::Kind::Pinned:
            return "OUT OF MEMORY  on the host";
        case MemoryMessage::Kind::TooLarge:
        case MemoryMessage::Kind::OutOfMemory:
            return "OUT OF MEMORY";
        case MemoryMessage::Kind::Snapshot:
            return "MEMORY SNAPSHOT";
        default:
            return "MEMORY REPORT";
    }
}

std::string oomHeadLine(const OomAnswer& answer) {
    const MemoryMessage& message = answer.message;
    std::string text(failureHead(message.kind));
    if (answer.shortBy) {
        text += "  short by " + shortText(*answer.shortBy) + " or more";
    } else if (message.maxAllocated) {
        text += "  " + shortText(*message.maxAllocated) + " in tensors" +
                (message.isPeak() ? " at the peak" : " when it was taken");
    } else if (message.maxReserved) {
        text += "  " + shortText(*message.maxReserved) + " reserved by PyTorch at the peak";
    } else if (!message.isFailure() && message.capacity && message.free) {
        text += "  " + shortText(*message.capacity - *message.free) + " in use";
    }
    if (message.isLimited()) {
        text += " of the " + shortText(*message.allowed) + " that PyTorch is allowed";
    } else if (message.capacity) {
        text += " of " + shortText(*message.capacity);
    }
    if (message.snapshot) {
        text +=
            fmt::format("  (device {}{}, {} segments)",
                        message.snapshot->device,
                        message.others > 0 ? fmt::format(", the fullest of {}", message.others + 1)
                                           : std::string(),
                        message.snapshot->segments);
    } else if (message.kind == MemoryMessage::Kind::NvidiaSmi) {
        text += fmt::format("  (GPU {}, the fullest of {})", message.gpu, message.others + 1);
    } else if (!message.hasSizes() && message.tried) {
        text += fmt::format("  ({} failed, line {})", shortText(*message.tried), message.line);
    } else if (!message.hasSizes()) {
        text += fmt::format("  (line {}, which says no sizes)", message.line);
    } else if (message.others > 0) {
        text += fmt::format(
            "  (the fullest of {} messages, line {})", message.others + 1, message.line);
    }
    return text;
}

/// The part that took most beyond its forecast, where that is more than a twentieth of the GPU.
std::string largestExcess(const OomAnswer& answer) {
    constexpr double kTold = 0.05;
    const MemoryLayer* most = nullptr;
    for (const MemoryLayer& layer : answer.layers) {
        const bool isMore = layer.measured && layer.forecast && *layer.measured > *layer.forecast;
        if (isMore && (most == nullptr ||
                       *layer.measured - *layer.forecast > *most->measured - *most->forecast)) {
            most = &layer;
        }
    }
    const bool isLess = answer.isOtherRun && answer.ofForecast < 1.0;
    if (most == nullptr || !answer.forecast || isLess ||
        (*most->measured - *most->forecast) / answer.forecast->capacity < kTold) {
        return {};
    }
    return fmt::format("larger than forecast: {}, by {}",
                       most->name,
                       shortText(*most->measured - *most->forecast));
}

/// "--layout recompute=full: about 63.1 GiB, fits (about a third more compute)".
std::vector<std::string> wayOutLines(const OomAnswer& answer) {
    std::vector<std::string> lines;
    if (!answer.forecast) {
        return lines;
    }
    for (const Rejection& rejection : answer.forecast->rejections) {
        for (const Fix& fix : rejection.fixes) {
            const Bytes after(
                std::llround(static_cast<double>(fix.peakAfter.count()) * answer.overForecast));
            lines.push_back(fmt::format("{}: about {}{}, {}{}",
                                        fix.behind,
                                        shortText(after),
                                        fixHostText(fix),
                                        fixOutcome(fix),
                                        fix.sideEffect.empty() ? "" : " (" + fix.sideEffect + ")"));
        }
    }
    return lines;
}

/// What to compare with what ran, where that was not the scenario.
std::string guessText(const OomAnswer& answer) {
    std::string text;
    for (const OomGuess& guess : answer.guesses) {
        text += fmt::format(
            "{}{} ({})", text.empty() ? "" : ", or ", guess.typed, shortText(guess.peak));
    }
    return text.empty()
               ? "  compare micro-batch, sequence length, recomputation and precision with "
                 "the run's" +
                     std::string(answer.ofForecast < 1.0 ? "" : "; a leak grows from step to step")
               : "  near to it: " + text;
}

std::string forecastLine(const OomAnswer& answer) {
    const MemoryBreakdown& memory = *answer.forecast;
    if (answer.message.isOfHost()) {
        return memory.host.perNode > Bytes() ? "forecast: " + hostNeedText(memory.host)
                                             : "forecast: no host memory beside the processes'";
    }
    std::string text = fmt::format("forecast: {}, {} of {}",
                                   verdictWord(memory.verdict),
                                   shortText(memory.peak.value),
                                   shortText(memory.capacity));
    const double percentMore = 100.0 * (answer.overForecast - 1.0);
    if (answer.isOtherRun && !answer.message.isFailure()) {
        // DeepSpeed prints the same line while it sets itself up.
        const bool maySetUp =
            answer.message.kind == MemoryMessage::Kind::DeepSpeed && answer.ofForecast < 1.0;
        return text + fmt::format(
                          "; this run went on with {:.0f} % of what is forecast for it: it "
                          "is not this scenario{}\n{}",
                          100.0 * answer.ofForecast,
                          maySetUp ? ", unless it is from before the first step" : "",
                          guessText(answer));
    }
    if (answer.isOtherRun) {
        return text + fmt::format(
                          "; this run took {:.0f} % more or above, and the scenario at "
                          "worst {}: something else ran, or is in the process too\n{}",
                          percentMore,
                          shortText(std::max(memory.unpressed, memory.peak.hi)),
                          guessText(answer));
    }
    if (percentMore > 0.5) {
        const bool hasWays = std::ranges::any_of(
            memory.rejections, [](const Rejection& one) { return !one.fixes.empty(); });
        text += fmt::format("; this run took {:.0f} % more or above, and {}",
                            percentMore,
                            hasWays ? "so do the ways out below"
                                    : "no change that was tried brings so much below what is left");
    }
    return text;
}

}  // namespace

std::string oomText(const OomAnswer& answer) {
    std::string text = oomHeadLine(answer) + "\n";
    if (answer.scenario) {
        text += "  " + subjectText(*answer.scenario) + "\n";
    }
    const Table layers = layerTable(answer, layerScale(answer));
    text += layers.rows.empty() ? "" : "\n" + alignedText(layers);
    for (const OomCause& cause : answer.causes) {
        text += "\n" + cause.what + "\n  try: " + cause.wayOut + "\n";
    }
    if (answer.forecast) {
        const std::string excess = largestExcess(answer);
        text += "\n" + forecastLine(answer) + "\n" + (excess.empty() ? "" : excess + "\n");
    }
    const std::vector<std::string> ways = wayOutLines(answer);
    text += ways.empty() ? ""
            : answer.overForecast > 1.0
                ? "\nways out by this run's measure, surest and cheapest first\n"
                : "\nways out by the forecast, surest and cheapest first\n";
    for (const std::string& way : ways) {
        text += "  " + way + "\n";
    }
    if (answer.forecast) {
        for (const std::string& note : answer.forecast->notes) {
            text += (&note == answer.forecast->notes.data() ? "\n" : "") + noteLine(note) + "\n";
        }
    }
    return text;
}

std::string oomMarkdown(const OomAnswer& answer) {
    std::string text = "**" + oomHeadLine(answer) + "**\n\n";
    const Table layers = layerTable(answer, layerScale(answer));
    text += layers.rows.empty() ? "" : markdownText(layers);
    for (const OomCause& cause : answer.causes) {
        text += "\n- " + cause.what + ": " + cause.wayOut + "\n";
    }
    if (answer.forecast) {
        text += "\n" + forecastLine(answer) + "\n";
    }
    for (const std::string& way : wayOutLines(answer)) {
        text += "- " + way + "\n";
    }
    return text;
}

std::string oomCsv(const OomAnswer& answer) {
    Table table{{{"part"}, {"measured_bytes"}, {"forecast_bytes"}}, {}};
    const auto bytes = [](const std::optional<Bytes>& size) {
        return size ? std::to_string(size->count()) : std::string();
    };
    for (const MemoryLayer& layer : answer.layers) {
        table.rows.push_back({layer.name, bytes(layer.measured), bytes(layer.forecast)});
    }
    return csvText(table);
}

std::string oomJson(const OomAnswer& answer, std::string_view version) {
    JsonText json;
    beginAnswer(json, "fabricast.oom/1", version);
    const auto add = [&json](std::string_view key, const std::optional<Bytes>& size) {
        if (size) {
            json.add(key, *size);
        } else {
            json.addNull(key);
        }
    };
    json.add("failed", answer.message.isFailure());
    json.add("line", answer.message.line);
    json.add("messages", answer.message.others + 1);
    add("capacity_bytes", answer.message.capacity);
    add("free_bytes", answer.message.free);
    add("allowed_bytes", answer.message.allowed);
    add("short_by_bytes", answer.shortBy);
    if (answer.message.snapshot) {
        json.beginObject("snapshot");
        json.add("device", answer.message.snapshot->device);
        json.add("segments", answer.message.snapshot->segments);
        json.add("largest_free_block_bytes", answer.message.snapshot->largestFree);
        json.add("expandable_segments", answer.message.snapshot->isExpandable);
        json.add("has_history", answer.message.snapshot->hasHistory);
        json.end();
    }
    json.beginArray("parts");
    for (const MemoryLayer& layer : answer.layers) {
        json.beginObject();
        json.add("part", layer.name);
        add("measured_bytes", layer.measured);
        add("forecast_bytes", layer.forecast);
        json.end();
    }
    json.end();
    json.beginArray("causes");
    for (const OomCause& cause : answer.causes) {
        json.beginObject();
        json.add("what", cause.what);
        json.add("try", cause.wayOut);
        json.end();
    }
    json.end();
    if (answer.forecast) {
        json.add("over_forecast", answer.overForecast);
        json.add("is_other_run", answer.isOtherRun);
        json.beginArray("near_to_it");
        for (const OomGuess& guess : answer.guesses) {
            json.beginObject();
            json.add("typed", guess.typed);
            json.add("peak_bytes", guess.peak);
            json.end();
        }
        json.end();
        writeMemory(json, *answer.forecast);
    }
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
