#include "machine/calibrate.h"
#include "machine/measured_table.h"
#include "machine/report_lines.h"
#include "planner/text/shell_text.h"
#include "probes/fit/collective_points.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::string_view kSchema = "fabricast.calibration/1";

std::string_view statusName(EngineOutcome::Status status) {
    constexpr std::array<std::string_view, 8> kNames = {"measured",
                                                        "interrupted",
                                                        "not_begun",
                                                        "wrong_results",
                                                        "bad_input",
                                                        "failed",
                                                        "stalled",
                                                        "out_of_time"};
    return kNames[static_cast<std::size_t>(status)];
}

/// Collectives, or a host's memory alone, without the machine that they are of.
bool lacksMachine(const CalibrationReport& report) {
    const std::vector<RecordedPoint>& points = report.measured.points;
    const auto kind = report.measured.machine.find("kind");
    const bool isCpu = kind != report.measured.machine.end() && kind->second == "cpu";
    return report.fit.machine.empty() && !isCpu && !points.empty() &&
           (std::ranges::any_of(points, &isCollective) || !report.measured.machine.contains("gpu"));
}

/// Fits the records, now or again, as it was asked to.
std::string fitCommand(const CalibrationReport& report) {
    const FitAsk& ask = report.fit;
    std::vector<std::string> words = {
        "fabricast", "calibrate", report.logs.empty() ? "--from-record" : "--from-nccl-tests"};
    const std::vector<std::string>& files = report.logs.empty() ? report.records : report.logs;
    words.insert(words.end(), files.begin(), files.end());
    const Result<std::string> usual =
        profileNameFor(FitAsk(), files.empty() ? std::string() : files.front());
    const bool isUsual = usual && *usual == ask.name;
    const std::string ranks = report.ranks > 0 ? std::to_string(report.ranks) : "";
    for (const auto& [flag, value] :
         {std::pair("--ranks", report.logs.empty() ? "" : ranks),
          std::pair("--machine", lacksMachine(report) ? "NAME" : ask.machine),
          std::pair("--gpu", ask.gpu),
          std::pair("--name", isUsual ? std::string() : ask.name),
          std::pair("--profile", ask.folder)}) {
        if (!value.empty()) {
            words.insert(words.end(), {flag, value});
        }
    }
    if (ask.folder.empty()) {
        words.insert(words.end(), {"--profile", "measured"});
    }
    return shellCommand(words);
}

/// What a fit that failed needs is in its error: the same command would only fail again.
std::vector<std::string> nextOf(const CalibrationReport& report) {
    if (report.profile) {
        return report.profile->next;
    }
    if (report.has(EngineOutcome::Status::Interrupted)) {
        return {measureCommand(report.measure, report.fit)};
    }
    const bool isAny = !report.records.empty() || !report.logs.empty();
    const bool wasTried = !report.fit.folder.empty();
    return isAny && !wasTried ? std::vector{fitCommand(report)} : std::vector<std::string>();
}

std::vector<std::string> linesOf(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        lines.emplace_back(text.substr(0, text.find('\n')));
        text.remove_prefix(std::min(lines.back().size() + 1, text.size()));
    }
    return lines;
}

void addEngines(JsonText& json, const std::vector<EngineOutcome>& engines) {
    json.beginArray("engines");
    for (const EngineOutcome& engine : engines) {
        json.beginObject();
        json.add("engine", engine.engine);
        json.add("status", statusName(engine.status));
        if (!engine.why.empty()) {
            json.add("why", engine.why);
        }
        json.add("record", engine.record);
        json.end();
    }
    json.end();
}

void addMeasured(JsonText& json, const MergedMeasurements& measured) {
    json.beginArray("measured");
    for (const MeasuredKind& kind : measuredKinds(measured)) {
        json.beginObject();
        json.add("kind", kind.name);
        json.add("points", kind.points);
        json.add("samples", kind.samples);
        json.add("refused", kind.refused);
        json.add("wrong", kind.wrong);
        if (kind.best > 0) {
            json.add("best", kind.best);
            json.add("unit", kind.unit);
        }
        if (kind.timed > 0) {
            json.add("spread", kind.spread);
        }
        json.end();
    }
    json.end();
}

void addNumbers(JsonText& json, const std::vector<FittedNumber>& numbers) {
    json.beginArray("numbers");
    for (const auto& [profile, change] : numbers) {
        json.beginObject();
        json.add("profile", profile);
        json.add("name", change.name);
        json.add("points", change.points);
        if (change.spread >= 0) {
            json.add("spread", change.spread);
        }
        json.add("before", change.before);
        json.add("now", change.now);
        json.end();
    }
    json.end();
}

void addFitted(JsonText& json, const FittedRecord& fitted) {
    json.beginObject("fitted");
    json.add("gpu", fitted.gpu);
    json.add("machine", fitted.machine);
    json.beginArray("sections");
    for (const FitSection& section : fitted.sections) {
        json.beginObject();
        json.add("name", section.name);
        json.add("fitted", section.refused.empty());
        if (section.refused.empty()) {
            json.add("rows", section.rows);
            json.add("judged_by", section.errors.rows);
            json.add("mean_error", section.errors.mean);
            json.add("p90_error", section.errors.p90);
            json.add("bias", section.errors.bias);
        } else {
            json.add("why", section.refused);
        }
        json.end();
    }
    json.end();
    addNumbers(json, fitted.numbers);
    addTexts(json, "report", linesOf(fitted.report));
    json.end();
}

}  // namespace

std::string calibrationText(const CalibrationReport& report) {
    if (report.records.empty() && report.logs.empty()) {
        return "";  // interrupted before anything was measured
    }
    std::string text = "MEASURED\n" + alignedText(measuredTable(report.measured));
    const std::vector<std::string> next = nextOf(report);
    if (!report.profile) {
        return text + (next.empty() ? "" : "\nNEXT\n" + indentedLines(next));
    }
    const CalibratedProfile& profile = *report.profile;
    return text + "\nFITTED\n" + profile.fitted.report + "\nWRITTEN\n" +
           indentedLines(profile.written) + "\nUSE IT\n" + indentedLines(next);
}

std::string calibrationJson(const CalibrationReport& report) {
    JsonText json;
    json.beginObject();
    json.add("schema", kSchema);
    json.add("dry_run", false);
    addEngines(json, report.engines);
    addTexts(json, "records", report.records);
    addMeasured(json, report.measured);
    if (report.profile) {
        addFitted(json, report.profile->fitted);
    } else {
        json.addNull("fitted", report.notFitted);
    }
    addTexts(
        json, "written", report.profile ? report.profile->written : std::vector<std::string>());
    addTexts(json, "next", nextOf(report));
    addTexts(json, "remarks", report.remarks);
    json.end();
    return std::move(json).finish();
}

std::string previewText(const CalibrationPreview& preview, bool names) {
    std::string text;
    for (const PlannedRun& run : preview.runs) {
        text += shellCommand(run.command) + ": " + std::to_string(run.points.size()) +
                " points into " + run.record + "\n";
        for (const std::string& point : run.points) {
            text += names ? point + "\n" : "";
        }
    }
    return text;
}

std::string previewJson(const CalibrationPreview& preview) {
    JsonText json;
    json.beginObject();
    json.add("schema", kSchema);
    json.add("dry_run", true);
    json.beginArray("engines");
    for (const PlannedRun& run : preview.runs) {
        json.beginObject();
        json.add("engine", run.engine);
        addTexts(json, "command", run.command);
        json.add("record", run.record);
        addTexts(json, "points", run.points);
        json.end();
    }
    json.end();
    addTexts(json, "remarks", preview.remarks);
    json.end();
    return std::move(json).finish();
}

}  // namespace fabricast
