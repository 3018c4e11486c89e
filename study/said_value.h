#pragma once
#include "study/question.h"

#include <optional>
#include <string>
#include <string_view>

namespace fabricast {

/// What a question says at a path, as it is typed, however it is spelled: "cluster" may be the
/// cluster's name alone, "layout" may be in the form of --layout. Nothing where it says nothing;
/// the items of a list with commas between them.
///     saidValue(question, "layout.tp")  →  "8"
std::optional<std::string> saidValue(const Question& question, std::string_view path);

}  // namespace fabricast
