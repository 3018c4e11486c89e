#include "study/fit_files.h"

#include "planner/profiles/correction_json.h"
#include "planner/profiles/read_profile.h"
#include "planner/text/shell_text.h"
#include "planner/text/text_files.h"
#include "study/question.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace fabricast {
namespace {

constexpr const char* kCorrections = "corrections";

/// "ours.json" for the machine of a table, "ours-b200-sxm-180gb.json" for each of several.
std::filesystem::path correctionFile(const std::filesystem::path& file,
                                     const MachineFit& fit,
                                     bool alone) {
    if (alone) {
        return file;
    }
    std::filesystem::path own = file;
    return own.replace_filename(file.stem().string() + "-" + fit.gpu + file.extension().string());
}

/// The name of each of several files has the GPU in it too: told before one is written.
Result<void> checkFitNames(const std::string& typed, const std::vector<MachineFit>& fits) {
    for (const MachineFit& fit : fits) {
        const std::filesystem::path file = correctionFile(typed, fit, fits.size() == 1);
        if (fit.correction && !isProfileName(file.stem().string())) {
            return fail(Error::Code::BadInput,
                        "--fit",
                        "\"" + file.stem().string() + "\", one of " + std::to_string(fits.size()) +
                            " GPUs, is longer than the name of a profile",
                        "--fit " + shellWord((file.parent_path() / "our.json").string()));
        }
    }
    return {};
}

/// A question about the first GPU that was fitted: the first run on it whose model is known, else a
/// usual model.
std::string questionOfFit(const MachineFit& fit, const RunTable& table, const Workbench& bench) {
    const std::string machine = " --gpu " + shellWord(fit.gpu) + " --gpus ";
    for (const PublishedRun& run : table.runs) {
        const Result<ProfileFile> gpu = bench.profiles().find(ProfileKind::Gpu, run.gpu, "gpu");
        const Result<ProfileFile> model = bench.profiles().model(run.model, "model");
        if (gpu && gpu->name == fit.gpu && model && run.gpus && run.sequence) {
            return "-m " + model->name + machine + std::to_string(*run.gpus) + " --seq " +
                   std::to_string(*run.sequence);
        }
    }
    return "-m llama-3.1-8b" + machine + "8";
}

}  // namespace

Result<void> checkFitFile(const std::string& typed, const std::string& directory) {
    const std::filesystem::path file = typed;
    const std::string stem = file.stem().string();
    const std::filesystem::path place(pathFrom(directory, typed));
    if (isProfileName(stem) && place.parent_path().filename() != kCorrections) {
        return fail(
            Error::Code::BadInput,
            "--fit",
            "\"" + file.string() + "\" is in no folder " + kCorrections +
                ", which is where --profile-dir looks for it",
            "--fit " + shellWord((file.parent_path() / kCorrections / (stem + ".json")).string()));
    }
    if (isProfileName(stem)) {
        return file.extension() == ".json"
                   ? Result<void>()
                   : fail(Error::Code::BadInput,
                          "--fit",
                          "\"" + file.string() + "\" is not read as a profile: no .json",
                          "--fit " + shellWord((file.parent_path() / (stem + ".json")).string()));
    }
    const std::string near = profileName(stem);
    const std::string name = isProfileName(near) ? near : "our-gpus";
    return fail(
        Error::Code::BadInput,
        "--fit",
        "\"" + stem + "\" is not a valid profile name: lower case letters, digits and hyphens",
        "--fit " + shellWord((file.parent_path() / (name + ".json")).string()));
}

Result<void> writeFits(const std::string& typed,
                       const std::string& directory,
                       const std::vector<MachineFit>& fits) {
    FABRICAST_TRY(checkFitNames(typed, fits));
    for (const MachineFit& fit : fits) {
        if (fit.correction) {
            const std::filesystem::path file =
                correctionFile(pathFrom(directory, typed), fit, fits.size() == 1);
            std::error_code ignored;  // where there is no folder then, writing says so
            std::filesystem::create_directories(file.parent_path(), ignored);
            FABRICAST_TRY(writeTextFile(
                file.string(), machineCorrectionJson(*fit.correction, file.stem().string())));
        }
    }
    return {};
}

Result<void> writeIntervals(const std::string& path, const StepIntervals& intervals) {
    if (intervals.classes.empty()) {
        return fail(Error::Code::BadInput,
                    "--write-intervals",
                    "no run that counts has both a measured step and a forecast",
                    "the columns are listed in docs/backtest.md");
    }
    const std::string text =
        stepIntervalsJson(intervals, std::filesystem::path(path).stem().string());
    FABRICAST_ASSIGN(const JsonValue root, parseJson(text, path));
    if (const Result<StepIntervals> again = readStepIntervals(root); !again) {
        return fail(Error::Code::BadInput,
                    "--write-intervals",
                    "no command would read this file: " + again.error().why,
                    again.error().hint.empty()
                        ? "are steps in seconds, and is the name a profile's?"
                        : again.error().hint);
    }
    return writeTextFile(path, text);
}

std::vector<std::string> fitRemarks(const std::string& typed,
                                    const std::vector<MachineFit>& fits,
                                    const RunTable& table,
                                    const Workbench& bench) {
    std::vector<std::string> remarks;
    for (const MachineFit& fit : fits) {
        if (fit.correction) {
            remarks.push_back("wrote " + correctionFile(typed, fit, fits.size() == 1).string());
        }
    }
    const std::filesystem::path kind = std::filesystem::path(typed).parent_path();
    const std::string folder = kind.empty() ? ".." : kind.parent_path().string();
    const auto fitted = std::ranges::find_if(
        fits, [](const MachineFit& fit) { return fit.correction.has_value(); });
    if (fitted != fits.end()) {
        remarks.push_back("next: fabricast --profile-dir " +
                          shellWord(folder.empty() ? "." : folder) + " plan " +
                          questionOfFit(*fitted, table, bench));
    }
    return remarks;
}

}  // namespace fabricast
