#pragma once
#include <string>

namespace fabricast {

/// A hint as it can be typed behind a command: keys of a question that it says alone are a --set,
/// which also replaces what a flag said before.
///     typedHint("settings.tuning=lora")      →  "--set settings.tuning=lora"
///     typedHint("cp=1, or --stack fsdp2")    →  "--set layout.cp=1, or --stack fsdp2"
std::string typedHint(const std::string& hint);

}  // namespace fabricast
