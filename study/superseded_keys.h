#pragma once
#include "planner/base/result.h"
#include "study/question.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A key of a question that an edit of another one, `by`, removes.
struct SupersededKey {
    std::string_view path;
    std::string_view by;
    bool saysTheSame = false;  ///< in other words: it is no part of it, and nothing beside it
};
std::span<const SupersededKey> supersededKeys();

/// What is said in a part of a question and stays when the part is said anew; empty: nothing. The
/// reserve of a cluster is none of its numbers, and TF32 no type of a tensor.
std::string_view keptOf(std::string_view path);

/// Where an error about an edit's value points at.
std::string whereOf(const Edit& edit);

/// Everything in a question that an edit replaces or says in another way.
std::vector<std::string_view> supersededBy(const Edit& edit);

/// The question without that; `isAnswer`: it is what a program answered, which says defaults too.
Result<JsonValue> withoutSuperseded(JsonValue root, const Edit& edit, bool isAnswer);

}  // namespace fabricast
