#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/text/json_document.h"
#include "study/question.h"
#include "study/workbench.h"

#include <string>

namespace fabricast {

/// The text of a new scenario file, with comments, that asks the question. What `explain` refuses
/// is refused; without a stack and a layout, what `plan` refuses; and what could not be read back.
Result<std::string> newScenario(const std::string& path,
                                const Question& question,
                                const Workbench& bench,
                                const Watch& watch);

/// A scenario file to be edited: every part of one, with what it means. What `root` does not say
/// stands there as a comment.
///     // A built-in name (fabricast profiles list --kind model), or a config.json
///     "model": "llama-3.1-8b",
std::string scenarioTemplate(const JsonValue& root);

/// A profile of a node to be filled in: every key with a value that is valid, and what it means.
std::string nodeTemplate(const std::string& name);
/// The same of a GPU.
std::string gpuTemplate(const std::string& name);
/// The same of prices, for --price FILE.
std::string priceTemplate(const std::string& name);

}  // namespace fabricast
