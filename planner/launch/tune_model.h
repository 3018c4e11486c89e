#pragma once
#include "planner/launch/import_launch.h"

#include <string>
#include <string_view>

namespace fabricast {

/// What "torchtune.models.llama3_1.qlora_llama3_1_8b" says.
struct TuneModel {
    std::string name;        ///< of a built-in model: "llama3.1-8b"; empty: none that is known
    bool adapts = false;     ///< lora_ or qlora_ stands before it
    bool quantizes = false;  ///< qlora_
};

/// By the builder's name, which is its family's with the size behind it.
TuneModel tuneModel(std::string_view component, const ImportContext& context);

}  // namespace fabricast
