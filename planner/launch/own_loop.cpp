#include "planner/launch/own_loop.h"

#include "planner/launch/python_models.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

std::string singleValueOf(const LaunchKey& key) {
    return key.values.size() == 1 ? key.values.front() : "";
}

/// deepspeed.initialize(…), which makes an engine of a model.
const LaunchKey* engineOf(const LaunchKeys& program) {
    const LaunchKey* const call = program.find("initialize");
    return call != nullptr && singleValueOf(*call) == "deepspeed.initialize" ? call : nullptr;
}

/// "--deepspeed.bf16.enabled" of deepspeed.initialize(config={"bf16": {"enabled": True}}).
std::string engineArgument(const std::string& path) {
    for (const std::string_view before : {"initialize.config_params", "initialize.config"}) {
        if (path == before || path.starts_with(std::string(before) + ".")) {
            return "--deepspeed" + path.substr(before.size());
        }
    }
    return "";
}

/// "--bf16" of autocast and of Accelerator(mixed_precision="bf16").
std::string precisionArgument(const LaunchKeys& program, const LaunchKey& key) {
    const std::string value = singleValueOf(key);
    const bool isAutocast = key.path == "autocast.dtype" || key.path == "autocast.1";
    const std::string type = key.path == "Accelerator.mixed_precision" || isAutocast
                                 ? value.substr(value.rfind('.') + 1)
                                 : "";
    if (key.path == "autocast" && !program.has("autocast.dtype") && !program.has("autocast.1") &&
        singleValueOf(key).find("accelerator") == std::string::npos) {
        return "--fp16";  // CUDA's usual type
    }
    return type == "bf16" || type == "bfloat16"                    ? "--bf16"
           : type == "fp16" || type == "float16" || type == "half" ? "--fp16"
                                                                   : "";
}

bool loadsModel(const LaunchKeys& program) {
    return std::ranges::any_of(program.all(), [](const LaunchKey& key) {
        return (key.path == "from_pretrained" || key.path == "from_config") &&
               isModelClass(singleValueOf(key));
    });
}

}  // namespace

bool hasOwnLoop(const LaunchKeys& program) {
    return program.find("backward") != nullptr || engineOf(program) != nullptr;
}

LaunchKeys ownLoopKeys(const LaunchKeys& program, LaunchKeys trainer) {
    std::set<std::string> said;
    for (const LaunchKey& key : trainer.all()) {
        said.insert(key.path);
    }
    LaunchKeys keys = std::move(trainer);
    const LaunchKey* const engine = engineOf(program);
    LaunchKey loop = engine != nullptr ? *engine : *program.find("backward");
    for (const char* const path : {kOwnLoop, "script"}) {
        keys.add(
            {.path = path, .values = {program.source()}, .line = loop.line, .column = loop.column});
    }
    if (!loadsModel(program)) {
        keys.add(
            {.path = "--dtype", .values = {"float32"}, .line = loop.line, .column = loop.column});
    }
    for (LaunchKey key : program.all()) {
        const std::string precision = precisionArgument(program, key);
        const std::string argument = engine != nullptr ? engineArgument(key.path) : "";
        if (!precision.empty()) {
            key.path = precision;
            key.values = {"true"};
        } else if (!argument.empty()) {
            key.path = argument;
        }
        if (!said.contains(key.path)) {
            keys.add(std::move(key));
        }
    }
    return keys;
}

}  // namespace fabricast
