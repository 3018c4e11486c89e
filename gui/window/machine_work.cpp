#include "gui/window/machine_work.h"

#include "machine/describe_machine.h"
#include "machine/inventory_probe.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

constexpr const char* kRecord = "this-machine.jsonl";
constexpr const char* kName = "this-machine";

CalibrationAsk calibrationAsk(const MachinePlaces& places) {
    return {.measure = {.seconds = places.seconds,
                        .out = places.measured + "/" + kRecord,
                        .probes = places.probes},
            .fit = {.folder = places.measured + "/profiles", .name = kName}};
}

Result<void> makeFolder(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    return error ? fail(Error::Code::Environment, folder, "cannot be made: " + error.message())
                 : Result<void>();
}

/// What would be measured, or why nothing can be.
std::string previewWords(const Result<CalibrationPreview>& preview) {
    if (!preview) {
        return "Nothing can be measured here: " + preview.error().text() + "\n";
    }
    std::string words = "What can be measured here:\n" + previewText(*preview, false);
    for (const std::string& remark : preview->remarks) {
        words += remark + "\n";
    }
    return words;
}

Result<SeenMachine> seenMachine(const Workbench& bench,
                                const MachinePlaces& places,
                                const Watch& watch) {
    FABRICAST_ASSIGN(MachineInventory inventory,
                     machineInventory({.probes = places.probes}, watch));
    FABRICAST_ASSIGN(const MachineDescription description,
                     describeMachine(bench.profiles(), std::move(inventory)));
    const CalibrationAsk ask = calibrationAsk(places);
    FABRICAST_TRY(makeFolder(ask.fit.folder));  // of the record too
    const Result<CalibrationPreview> preview = previewCalibration(ask, bench.profiles(), watch);
    return SeenMachine{.words = machineText(description) + "\n" + previewWords(preview),
                       .likely = description.nodes.empty() ? "" : description.nodes.front().name,
                       .isMeasurable = preview && !preview->runs.empty()};
}

Result<MeasuredMachine> measuredMachine(const Workbench& bench,
                                        const MachinePlaces& places,
                                        const Watch& watch) {
    const CalibrationAsk ask = calibrationAsk(places);
    FABRICAST_ASSIGN(const CalibrationReport report, calibrate(ask, bench.profiles(), watch));
    MeasuredMachine machine{.words = calibrationText(report), .folder = ask.fit.folder};
    for (const std::string& remark : report.remarks) {
        machine.words += remark + "\n";
    }
    if (report.profile) {
        machine.name = report.profile->fitted.machine;
    }
    return machine;
}

}  // namespace

LatestJob::Work lookWork(const Workbench& bench,
                         const MachinePlaces& places,
                         std::function<void(Result<SeenMachine>)> take) {
    return
        [bench, places, take = std::move(take)](const Watch& watch, const LatestJob::Post& post) {
            post([take, seen = seenMachine(bench, places, watch)] { take(seen); });
        };
}

LatestJob::Work measureWork(const Workbench& bench,
                            const MachinePlaces& places,
                            SaidMeanwhile said,
                            std::function<void(Result<MeasuredMachine>)> take) {
    return [bench, places, said = std::move(said), take = std::move(take)](
               const Watch& watch, const LatestJob::Post& post) {
        Watch telling = watch;
        telling.status = [&](std::string_view what) {
            post([said, words = std::string(what)] { said(words); });
        };
        post([take, machine = measuredMachine(bench, places, telling)] { take(machine); });
    };
}

}  // namespace fabricast
