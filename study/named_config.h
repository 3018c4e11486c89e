#pragma once
#include "planner/text/json_document.h"
#include "study/question.h"
#include "study/workbench.h"

#include <initializer_list>
#include <optional>
#include <string>

namespace fabricast {

/// The config.json of the model that a question names, and where its weights are.
struct NamedConfig {
    std::string weights{};              ///< a name on the Hub or a folder; empty where not known
    std::optional<JsonValue> config{};  ///< nothing where the question names no model

    /// What stands at a path, {"quantization_config", "quant_method"}; nothing where that is none.
    [[nodiscard]] std::string text(std::initializer_list<const char*> path) const;
    [[nodiscard]] std::optional<double> number(const char* key) const;
};

/// A built-in model is on the Hub, under the name that was typed where it is one of there; a file's
/// is in its folder.
NamedConfig namedConfig(const Question& question, const Workbench& bench);

}  // namespace fabricast
