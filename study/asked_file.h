#pragma once
#include "planner/launch/launch_files.h"
#include "planner/launch/opened_file.h"
#include "study/question.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// A file of the question's, as it is written.
struct AskedText {
    LaunchKind kind = LaunchKind::Script;
    std::string name;
    std::string text;
};

/// What of the launch file that a question came from is not in its scenario: keys that change no
/// forecast. Empty where it came from no such file.
struct AskedFile {
    std::vector<LaunchKey> unread;
    std::optional<std::int64_t> loraAlpha{};
    bool hasOtherKeys = false;       ///< of NeMo and Bridge, which were not looked at
    std::vector<AskedText> texts{};  ///< of the files whose keys can be told by their lines
};

AskedFile askedFile(const Question& question);

/// The launch file that a question came from, and those that it names; empty where it came from
/// none.
std::vector<OpenedFile> askedFiles(const Question& question);

/// The names of those keys that other files do not say, or say otherwise; switches that are off say
/// nothing.
///     leftBehind(file, launch.files)  →  {"datasets", "learning_rate", "special_tokens"}
std::vector<std::string> leftBehind(const AskedFile& file, const std::vector<LaunchFile>& files);

}  // namespace fabricast
