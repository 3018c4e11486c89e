#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/launch/launch_files.h"
#include "planner/report/launch_report.h"
#include "study/question.h"
#include "study/workbench.h"

#include <string>

namespace fabricast {

/// What launch files are wanted for.
struct EmitAsk {
    std::string target{};    ///< empty: the stack's own
    std::string version{};   ///< of the framework; empty: the newest that is known
    std::string loadFrom{};  ///< the model's weights or config: a Hub name or a folder
    Launcher launcher = Launcher::Torchrun;
    bool ncclTuner = false;  ///< with a table for NCCL's example tuner plugin
    std::string madeBy{};    ///< what is written into the files: program and version
};

/// The question with the stack whose runs a target starts, where the question names none.
Result<Question> withStackOf(const std::string& target, Question question);

/// The files that start one layout under its stack, or under a target of that stack; an error where
/// the framework would refuse them.
///     FABRICAST_ASSIGN(const Emitted emitted, emit(question, {}, bench, watch));
///     for (const LaunchFile& file : emitted.launch.files) { … file.name … file.text … }
Result<Emitted> emit(const Question& question,
                     const EmitAsk& ask,
                     const Workbench& bench,
                     const Watch& watch);

}  // namespace fabricast
