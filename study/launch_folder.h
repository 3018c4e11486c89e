#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"
#include "planner/launch/opened_file.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// The launch files of a folder, by their endings and in order of their names; of programs in
/// Python those that train. An error where there is none. `directory` is where `folder` starts.
Result<std::vector<std::string>> launchFilesIn(const std::string& folder,
                                               const std::string& directory);

/// Whether any of its files is a framework's.
bool hasLaunchFiles(const std::string& folder, const std::string& directory);

/// The one of them that starts what the others say: no other names it. An error that lists them
/// where there are several.
///     startOfFolder("launch", "")  →  "launch/job.sbatch", which starts launch/run.sh
Result<std::string> startOfFolder(const std::string& folder, const std::string& directory);

/// That file, and beside a Trainer's program that names no configuration the folder's one of
/// Accelerate or DeepSpeed, which its launcher is told by. An error where there are several.
///     filesOfFolder("acc", "")  →  {"acc/train.py", "acc/fsdp.yaml"}
Result<std::vector<std::string>> filesOfFolder(const std::string& folder,
                                               const std::string& directory);

/// Files that were typed together, by the runs that they are of, each with the one first that
/// starts it: a Trainer's program that names no configuration, and the only one of Accelerate or
/// DeepSpeed among them, are one; any other file is one by itself.
///     runsAmong({"acc.yaml", "sft.py", "run.json"}, "")  →  {{"sft.py", "acc.yaml"}, {"run.json"}}
std::vector<std::vector<std::string>> runsAmong(const std::vector<std::string>& files,
                                                const std::string& directory);

/// The same of a folder as it was once, by the texts of its files. Nothing where none of them is a
/// framework's.
Result<std::optional<std::string>> startAmong(const std::string& folder,
                                              const std::map<std::string, std::string>& texts);

/// Whether a name ends as those of launch files do.
bool mayBeLaunchFile(const std::string& file);

/// Whether there is a launch file at a path, as its name and its text say.
bool isLaunchFileAt(const std::string& path);

/// Writes launch files into a folder, all or none. A user's own changes are not lost: a file that
/// is there and differs stays, and nothing is written, unless it `replaces` them.
///     FABRICAST_TRY(writeLaunchFiles(emitted.launch.files, "launch", false));
Result<void> writeLaunchFiles(std::span<const LaunchFile> files,
                              const std::string& folder,
                              bool replaces);

/// The file at a path as a launch file; an error where it is none. `directory` is where it starts.
Result<OpenedFile> openedAt(const std::string& file, const std::string& directory);

/// Those of some launch files that no other one of them names or starts, but for what is only read
/// by others: DeepSpeed's JSON beside anything else.
std::vector<std::string> startingFiles(const std::vector<std::string>& files,
                                       const std::string& directory);

/// The same by their texts: none of them is read from the disk.
std::vector<std::string> startingFiles(const std::map<std::string, std::string>& texts);

/// Files that were typed together, by what each is for.
struct RunFiles {
    std::string start;                ///< the one that starts what the others say
    std::vector<std::string> beside;  ///< other launch files, in the order typed
    std::string model;                ///< a config.json; empty: none
    /// What `start` is taken to name, though it does not.
    std::vector<std::string> taken{};
};

/// An error where they are several runs, or where one of them is read by none of the others.
///     runFiles({"zero3.json", "axolotl.yaml"}, "", "")  →  {"axolotl.yaml", {"zero3.json"}}
Result<RunFiles> runFiles(const std::vector<std::string>& files,
                          const std::string& from,
                          const std::string& directory);

}  // namespace fabricast
