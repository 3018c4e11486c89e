#pragma once
#include "planner/base/result.h"
#include "study/question.h"

#include <functional>
#include <optional>
#include <string>

namespace fabricast {

/// The files of a folder as they were once, such as in a commit.
struct EarlierFiles {
    std::string name;  ///< how errors call that time: "main"
    std::function<Result<std::optional<std::string>>(const std::string& path)> text;
    std::function<Result<bool>(const std::string& path)> isLink;
};

/// The scenario of a file as it was, with the files that it names as they were then. `folders.file`
/// is the folder that the earlier files are of. Nothing where the file was not there.
Result<std::optional<Question>> earlierQuestion(const std::string& file,
                                                const EarlierFiles& earlier,
                                                const Folders& folders);

/// A launch file says nothing of the hardware but how many ranks it starts: what else was typed of
/// it for the question holds for what it is compared with too.
Result<std::optional<Question>> onTypedHardware(Result<std::optional<Question>> baseline,
                                                const Result<Question>& question);

}  // namespace fabricast
