#pragma once
#include "flags/global_options.h"
#include "planner/base/result.h"
#include "study/question.h"
#include "study/question_flags.h"
#include "study/workbench.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What was typed about a question: its files, and flags, each of which sets one key.
///     fabricast explain run.json -n 4 --layout tp=8 --set settings.precision.reduce=bf16
///     fabricast explain axolotl.yaml zero3.json -c dgx-h100
struct QuestionArguments {
    std::vector<std::string> files{};  ///< one scenario, or the launch files of one run
    std::string from{};                ///< the framework of a launch file; empty: as it looks
    std::map<std::string_view, std::optional<std::string>> values{};  ///< by the flag as typed
    std::map<std::string_view, std::vector<std::string>> lists{};     ///< of flags that repeat
    bool triesLora = false;  ///< the command does so whatever the tuning is

    [[nodiscard]] bool says(std::string_view flag) const;
};

/// Declares flags of the table, but for those that the command takes in its own way.
void addQuestionFlags(const FlagSet& command,
                      QuestionArguments& arguments,
                      std::span<const QuestionFlag> table,
                      const std::vector<std::string_view>& without = {});
/// Declares --from, the framework of a launch file.
void addFrameworkFlag(const FlagSet& command, QuestionArguments& arguments);
/// Declares the scenario's file and flags.
void addScenarioArguments(const FlagSet& command,
                          QuestionArguments& arguments,
                          const std::vector<std::string_view>& without = {});

/// The question in the file with every flag and --set over it.
Result<Question> questionOf(const QuestionArguments& arguments, const GlobalOptions& options);
/// The same of one of several that are answered though another is refused: that it reads nothing
/// which is written (checkInputs) is for the caller to see to, of all of them.
Result<Question> oneQuestionOf(const QuestionArguments& arguments, const GlobalOptions& options);

/// Those of several runs, each with its files and every flag and --set over it; without any the one
/// that was typed.
Result<std::vector<Question>> questionsOf(const QuestionArguments& arguments,
                                          const std::vector<std::vector<std::string>>& runs,
                                          const GlobalOptions& options);

/// What flags and --set say, of keys that are said twice the first value: what was asked before a
/// change was typed behind it.
Result<std::vector<Edit>> firstSaid(const QuestionArguments& arguments,
                                    const GlobalOptions& options);

/// The program's options that answers depend on, as edits without a path that `typed` puts first:
/// "-C runs --profile-dir ours". A question of questionOf has them.
std::vector<Edit> optionEdits(const GlobalOptions& options);

/// What the question is answered with. The user's profiles are sound, also those that nothing asks
/// for: a number that was meant to count is not left out for another.
Result<Workbench> workbenchOf(const GlobalOptions& options);

/// The same with profiles that nobody read yet: to list, check or replace them.
Result<Workbench> unreadWorkbenchOf(const GlobalOptions& options);

}  // namespace fabricast
