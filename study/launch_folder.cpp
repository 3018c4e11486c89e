#include "study/launch_folder.h"

#include "planner/launch/opened_file.h"
#include "planner/load/input_text.h"
#include "planner/text/text_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <string_view>

namespace fabricast {
namespace {

using std::filesystem::path;

constexpr std::array<std::string_view, 9> kEndings = {
    ".json", ".yaml", ".yml", ".toml", ".sh", ".bash", ".sbatch", ".slurm", ".py"};

/// More are looked at in more than a moment, and are no folder of launch files.
constexpr std::size_t kMostFiles = 1000;

/// A manifest of Kubernetes has no key of a framework: it starts what stands beside it.
bool isManifest(const std::string& file, const std::string& directory) {
    const Result<std::string> text =
        readTextFile(pathFrom(directory, file), kMostTextBytes, ReadFor::Look);
    const auto begins = [&text](std::string_view key) {
        return text->starts_with(key) || text->find("\n" + std::string(key)) != std::string::npos;
    };
    return text && begins("apiVersion:") && begins("kind:");
}

/// A folder has many programs: those that train are looked at.
bool isLookedAt(const std::string& file, const std::string& directory) {
    const std::string ending = path(file).extension().string();
    const bool isYaml = ending == ".yaml" || ending == ".yml";
    return isYaml ? !isManifest(file, directory)
                  : ending != ".py" || openedAt(file, directory).has_value();
}

std::string someOf(const std::vector<std::string>& files) {
    constexpr std::size_t kMostListed = 8;
    std::string text;
    for (std::size_t i = 0; i < files.size() && i < kMostListed; ++i) {
        text += (i == 0 ? "" : ", ") + path(files[i]).filename().string();
    }
    return text + (files.size() > kMostListed ? ", …" : "");
}

/// Whether it is told by its launcher what no file says: a Trainer's program that names none.
bool isToldByLauncher(const std::string& file, const std::string& directory) {
    const Result<OpenedFile> opened = openedAt(file, directory);
    return opened && opened->kind == LaunchKind::Trainer && opened->names.empty();
}

/// What a launcher may tell of a program: configurations of Accelerate, or of DeepSpeed where there
/// is none of those.
std::vector<std::string> configurationsAmong(const std::vector<std::string>& files,
                                             const std::string& directory) {
    std::vector<std::string> ofAccelerate;
    std::vector<std::string> ofDeepspeed;
    for (const std::string& file : files) {
        const Result<OpenedFile> opened = openedAt(file, directory);
        if (opened && opened->kind == LaunchKind::Accelerate) {
            ofAccelerate.push_back(file);
        } else if (opened && opened->kind == LaunchKind::Deepspeed) {
            ofDeepspeed.push_back(file);
        }
    }
    return ofAccelerate.empty() ? ofDeepspeed : ofAccelerate;
}

bool isNamedIn(const std::string& file, const std::string& other, const std::string& directory) {
    const Result<OpenedFile> opened = openedAt(other, directory);
    return opened && !opened->names.empty() &&
           path(file).filename() == path(opened->names).filename();
}

/// The program among the files that its launcher tells the only configuration among them, unless
/// another file names that, with it and what it names. Empty: there is none.
std::vector<std::string> toldRun(const std::vector<std::string>& files,
                                 const std::string& directory) {
    std::vector<std::string> programs = startingFiles(files, directory);
    std::erase_if(programs, [&directory](const std::string& file) {
        return !isToldByLauncher(file, directory);
    });
    const std::vector<std::string> told = configurationsAmong(files, directory);
    const auto namesIt = [&](const std::string& other) {
        return isNamedIn(told.front(), other, directory);
    };
    if (programs.size() != 1 || told.size() != 1 || std::ranges::any_of(files, namesIt)) {
        return {};
    }
    std::vector<std::string> run = {programs.front(), told.front()};
    std::ranges::copy_if(files, std::back_inserter(run), [&](const std::string& file) {
        return isNamedIn(file, told.front(), directory);
    });
    return run;
}

}  // namespace

bool mayBeLaunchFile(const std::string& file) {
    return std::ranges::find(kEndings, path(file).extension().string()) != kEndings.end();
}

bool isLaunchFileAt(const std::string& path) {
    return mayBeLaunchFile(path) && openedAt(path, "").has_value();
}

Result<std::vector<std::string>> launchFilesIn(const std::string& folder,
                                               const std::string& directory) {
    std::vector<std::string> files;
    std::error_code trouble;
    for (const auto& entry :
         std::filesystem::directory_iterator(pathFrom(directory, folder), trouble)) {
        const std::string file =
            (path(folder) / entry.path().filename()).lexically_normal().string();
        std::error_code ignored;
        if (entry.is_regular_file(ignored) && mayBeLaunchFile(file)) {
            files.push_back(file);
        }
        if (files.size() > kMostFiles) {
            return fail(
                Error::Code::BadInput,
                folder,
                "has more than " + std::to_string(kMostFiles) + " files that may be launch files",
                "the files themselves, or folders of fewer");
        }
    }
    std::erase_if(files, [&](const std::string& file) { return !isLookedAt(file, directory); });
    if (trouble) {
        return fail(Error::Code::BadInput, folder, "cannot be read: " + trouble.message());
    }
    if (files.empty()) {
        return fail(Error::Code::BadInput,
                    folder,
                    "is a folder without launch files: .json, .yaml, .toml, .sh, .sbatch, .slurm, "
                    "or a .py that trains",
                    "the file that starts the training");
    }
    std::ranges::sort(files);
    return files;
}

bool hasLaunchFiles(const std::string& folder, const std::string& directory) {
    const Result<std::vector<std::string>> files = launchFilesIn(folder, directory);
    return files && std::ranges::any_of(*files, [&directory](const std::string& file) {
               return openedAt(file, directory).has_value();
           });
}

Result<std::string> startOfFolder(const std::string& folder, const std::string& directory) {
    FABRICAST_ASSIGN(const std::vector<std::string> all, launchFilesIn(folder, directory));
    std::vector<std::string> readable;
    std::ranges::copy_if(all, std::back_inserter(readable), [&directory](const std::string& file) {
        return openedAt(file, directory).has_value();
    });
    const std::vector<std::string> starts = startingFiles(readable, directory);
    if (starts.size() == 1) {
        return starts.front();
    }
    const std::vector<std::string>& some = readable.empty() ? all : readable;
    return fail(Error::Code::BadInput,
                folder,
                readable.empty()
                    ? "is a folder whose files are of no framework: " + someOf(some)
                    : "is a folder of several runs: " + someOf(starts.empty() ? readable : starts),
                (path(folder) / path(some.front()).filename()).string());
}

Result<std::vector<std::string>> filesOfFolder(const std::string& folder,
                                               const std::string& directory) {
    FABRICAST_ASSIGN(const std::string start, startOfFolder(folder, directory));
    if (!isToldByLauncher(start, directory)) {
        return std::vector{start};
    }
    FABRICAST_ASSIGN(const std::vector<std::string> all, launchFilesIn(folder, directory));
    const std::vector<std::string> told = configurationsAmong(all, directory);
    if (told.size() > 1) {
        return fail(Error::Code::BadInput,
                    folder,
                    "has several configurations that " + path(start).filename().string() +
                        " may be started with: " + someOf(told),
                    "the program and one of them: " + start + " " + told.front());
    }
    return told.empty() ? std::vector{start} : std::vector{start, told.front()};
}

std::vector<std::vector<std::string>> runsAmong(const std::vector<std::string>& files,
                                                const std::string& directory) {
    std::vector<std::string> opened = files;
    std::erase(opened, "-");  // is read once
    const std::vector<std::string> joined =
        opened.size() > 1 ? toldRun(opened, directory) : std::vector<std::string>();
    std::vector<std::vector<std::string>> runs;
    for (const std::string& file : files) {
        const auto place = std::ranges::find(joined, file);
        if (place == joined.end()) {
            runs.push_back({file});
        } else if (place == joined.begin()) {
            runs.push_back(joined);
        }
    }
    return runs;
}

Result<std::optional<std::string>> startAmong(const std::string& folder,
                                              const std::map<std::string, std::string>& texts) {
    const std::vector<std::string> starts = startingFiles(texts);
    if (starts.size() > 1) {
        return fail(Error::Code::BadInput,
                    folder,
                    "is a folder of several runs: " + someOf(starts),
                    "the file itself, by a name that it has there too");
    }
    return starts.empty() ? std::nullopt : std::optional(starts.front());
}

}  // namespace fabricast
