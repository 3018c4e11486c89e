#include "planner/base/words.h"
#include "planner/load/input_text.h"
#include "planner/models/model_file.h"
#include "planner/text/text_files.h"
#include "study/launch_folder.h"
#include "study/launch_reader.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>

namespace fabricast {
namespace {

using std::filesystem::path;

/// What a file names, and what the command in it starts: both are among the others.
void addNamed(const OpenedFile& file, std::set<std::string>& named) {
    const LaunchKey* const script = file.keys.find("script");
    for (const std::string& name :
         {file.names, script == nullptr || script->values.empty() ? "" : script->values.front()}) {
        const bool isItself = path(file.keys.source()).filename() == path(name).filename();
        if (!name.empty() && !isItself) {
            named.insert(path(name).filename().string());
        }
    }
}

struct TypedFile {
    std::string name;
    OpenedFile opened;
};

/// Kinds that others read, in the order in which they are left out of those that may start a run.
constexpr std::array kReadByOthers = {LaunchKind::Deepspeed, LaunchKind::Accelerate};

std::vector<std::string> typedNames(const std::vector<TypedFile>& files) {
    std::vector<std::string> names;
    std::ranges::transform(files, std::back_inserter(names), &TypedFile::name);
    return names;
}

/// The files that no other one names, without those that are only read by others.
std::vector<TypedFile> startsAmong(std::vector<TypedFile> files) {
    std::set<std::string> named;
    for (const TypedFile& file : files) {
        addNamed(file.opened, named);
    }
    std::erase_if(files, [&named](const TypedFile& file) {
        return named.contains(path(file.name).filename().string());
    });
    for (const LaunchKind kind : kReadByOthers) {
        const auto isOfKind = [kind](const TypedFile& file) { return file.opened.kind == kind; };
        if (files.size() > 1 && !std::ranges::all_of(files, isOfKind)) {
            std::erase_if(files, isOfKind);
        }
    }
    return files;
}

/// Of several the script that starts something which it does not name.
std::vector<TypedFile> withoutStarted(std::vector<TypedFile> files) {
    const auto isOpen = [](const TypedFile& file) {
        const std::string& names = file.opened.names;
        return file.opened.kind == LaunchKind::Script && (names.empty() || names.starts_with("$"));
    };
    if (files.size() > 1 && std::ranges::count_if(files, isOpen) == 1) {
        std::erase_if(files, [&isOpen](const TypedFile& file) { return !isOpen(file); });
    }
    return files;
}

/// A launch file, or a model.
Result<void> takeFile(const std::string& file,
                      const std::string& from,
                      const std::string& directory,
                      RunFiles& run,
                      std::vector<TypedFile>& launch) {
    if (file == "-") {
        return fail(Error::Code::BadInput,
                    "-",
                    "standard input is read alone",
                    "the name of its file, beside the others");
    }
    const std::string place = pathFrom(directory, file);
    const std::string source = sourceName(place);
    FABRICAST_ASSIGN(const std::string text, readTextFile(place));
    if (isLaunchFile(text, source, from)) {
        const std::string told = isLaunchFile(text, source) ? "" : from;
        FABRICAST_ASSIGN(OpenedFile opened, openLaunchFile(text, source, told));
        launch.push_back({file, std::move(opened)});
        return {};
    }
    FABRICAST_ASSIGN(const JsonValue root, parseJson(text, source));
    if (!isModelFile(root)) {
        return fail(Error::Code::BadInput,
                    source,
                    "is a scenario, which holds everything of a run",
                    "that file alone; fabricast compare takes two");
    }
    if (!run.model.empty()) {
        return fail(
            Error::Code::BadInput, source, "is a model, as " + run.model + " is", "one of them");
    }
    run.model = file;
    return {};
}

bool isSameFilePlace(const std::string& one, const std::string& other) {
    return path(one).lexically_normal() == path(other).lexically_normal();
}

/// Each of them is read; what is not named by the others is noted.
Result<void> checkRead(const std::string& from, const std::string& directory, RunFiles& run) {
    const std::string place = pathFrom(directory, run.start);
    FABRICAST_ASSIGN(const std::string text, readTextFile(place));
    const Folders folders{.file = path(place).parent_path().string(), .typed = directory};
    const ReadNamed read = launchReader(folders, {.beside = run.beside, .from = from});
    const Result<std::vector<OpenedFile>> opened = openLaunchFiles(text, sourceName(place), read);
    if (!opened) {
        return {};  // which its import says
    }
    for (const std::string& one : run.beside) {
        const std::string source = sourceName(pathFrom(directory, one));
        const bool isRead = std::ranges::any_of(*opened, [&source](const OpenedFile& file) {
            return isSameFilePlace(file.keys.source(), source);
        });
        if (!isRead) {
            return fail(Error::Code::BadInput,
                        source,
                        "is read by none of the other files: they are several runs",
                        run.start + " alone, or " + one + " alone");
        }
    }
    for (const OpenedFile& file : *opened) {
        run.taken.insert(run.taken.end(), file.taken.begin(), file.taken.end());
    }
    return {};
}

Result<OpenedFile> openedText(const std::string& text, const std::string& source) {
    return isLaunchFile(text, source)
               ? openLaunchFile(text, source)
               : Result<OpenedFile>(
                     fail(Error::Code::BadInput, source, "is no launch file of a framework"));
}

}  // namespace

std::vector<std::string> startingFiles(const std::map<std::string, std::string>& texts) {
    std::vector<TypedFile> opened;
    for (const auto& [name, text] : texts) {
        if (Result<OpenedFile> one = openedText(text, name)) {
            opened.push_back({name, *std::move(one)});
        }
    }
    return typedNames(startsAmong(std::move(opened)));
}

Result<OpenedFile> openedAt(const std::string& file, const std::string& directory) {
    const std::string place = pathFrom(directory, file);
    FABRICAST_ASSIGN(const std::string text, readTextFile(place, kMostTextBytes, ReadFor::Look));
    return openedText(text, sourceName(place));
}

std::vector<std::string> startingFiles(const std::vector<std::string>& files,
                                       const std::string& directory) {
    std::vector<TypedFile> opened;
    for (const std::string& file : files) {
        if (Result<OpenedFile> one = openedAt(file, directory)) {
            opened.push_back({file, *std::move(one)});
        }
    }
    return typedNames(startsAmong(std::move(opened)));
}

Result<RunFiles> runFiles(const std::vector<std::string>& files,
                          const std::string& from,
                          const std::string& directory) {
    RunFiles run;
    std::vector<TypedFile> launch;
    for (const std::string& file : files) {
        FABRICAST_TRY(takeFile(file, from, directory, run, launch));
    }
    const std::vector<std::string> all = typedNames(launch);
    const std::vector<std::string> starts =
        typedNames(withoutStarted(startsAmong(std::move(launch))));
    if (starts.size() != 1) {
        return fail(Error::Code::BadInput,
                    joined(starts.empty() ? files : starts, ", "),
                    starts.empty() ? "none of them starts a training" : "are several runs",
                    starts.empty()
                        ? "the file that starts it"
                        : "one of them, or fabricast compare " + starts[0] + " " + starts[1]);
    }
    run.start = starts.front();
    std::ranges::copy_if(all, std::back_inserter(run.beside), [&run](const std::string& file) {
        return file != run.start;
    });
    FABRICAST_TRY(checkRead(from, directory, run));
    return run;
}

}  // namespace fabricast
