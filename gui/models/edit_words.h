#pragma once
#include "planner/base/result.h"
#include "planner/spec/edit.h"

#include <span>
#include <string>

namespace fabricast {

/// Edits in words, for those who type no flags: "servers: 16", "training software:
/// torchtitan", "tensor parallel (tp): auto".
std::string editWords(std::span<const Edit> edits);

/// A key as controls call it: "workload.sequence" is "sequence length".
std::string keyWords(const std::string& path);

/// What a message says to type, in words of the window: "--seq 8192" is "sequence length 8192".
std::string windowWords(const std::string& message);
/// The same of what is to be typed, with the controls to set: "-c dgx-h100, or --gpu …" is
/// "set "Hardware" on the left, such as dgx-h100".
std::string windowHint(const std::string& hint);
/// Where, why, and what to do about it, in such words.
std::string errorWords(const Error& error);
/// Where and why alone.
std::string whyWords(const Error& error);

}  // namespace fabricast
