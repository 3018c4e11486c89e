#pragma once
#include "planner/base/result.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fabricast {

/// What files hold that were read before, by their path: standard input ("-"), or the files of a
/// commit. Null: none.
using KnownTexts = std::shared_ptr<const std::map<std::string, std::string>>;

/// Where the paths of files that a scenario names start: those in the scenario's file, and those
/// that were typed.
struct Folders {
    std::string file;
    std::string typed;
    KnownTexts known{};
};

/// A path as it is opened: "-" stays what it is.
std::string pathFrom(const std::string& folder, const std::string& path);

/// Whether a file or a folder of it is known or on the disk.
bool isInput(const std::string& path, const KnownTexts& known);

/// The text of a file, or of the config.json in a folder, and the path that was read.
struct InputText {
    std::string path;
    std::string text;
};
Result<InputText> readInputText(const std::string& path, const KnownTexts& known);

}  // namespace fabricast
