#pragma once
#include "planner/base/result.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace fabricast {

/// What files hold that were read before, by their path: standard input ("-"), or the files of a
/// commit, with nothing for those that it does not have. Null: none.
using TextsByPath = std::map<std::string, std::optional<std::string>>;
using KnownTexts = std::shared_ptr<const TextsByPath>;

/// Where the paths of files that a scenario names start: those in the scenario's file, and those
/// that were typed.
struct Folders {
    std::string file;
    std::string typed;
    KnownTexts known{};
};

/// A path as it is opened: "-" stays what it is.
std::string pathFrom(const std::string& folder, const std::string& path);

/// A file that a launch file names, as a path from that file's folder: beside it, or else in the
/// nearest folder above, where the run may start. The name itself where it is in none.
std::string nameSeenFrom(const std::string& folder,
                         const std::string& name,
                         const KnownTexts& known);

/// Whether a file or a folder of it is known or on the disk.
bool isInput(const std::string& path, const KnownTexts& known);

/// The text of a file, or of the config.json in a folder, and the path that was read.
struct InputText {
    std::string path;
    std::string text;
};
Result<InputText> readInputText(const std::string& path, const KnownTexts& known);

}  // namespace fabricast
