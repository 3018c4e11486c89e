#pragma once
#include "cli/run_program.h"
#include "planner/text/json_document.h"
#include "tests/support/typed_words.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace fabricast {

/// What the program answers to a line as typed, without quotes, and to further arguments.
///     ran("explain -m llama-3.1-8b -c dgx-h100", {"--section", "cost"}).out
inline ProgramOutput ran(const std::string& line, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = typedWords(line);
    arguments.insert(arguments.end(), more.begin(), more.end());
    return runProgram(arguments, {});
}

/// An answer that has to be JSON.
inline JsonValue jsonOf(const std::string& text) {
    auto root = parseJson(text, "out");
    EXPECT_TRUE(root) << text.substr(0, 400);
    return root ? *std::move(root) : JsonValue();
}

/// -1 where the key is missing, or no number.
inline double numberOf(const JsonValue& object, const std::string& key) {
    const JsonValue* value = object.find(key);
    return value == nullptr ? -1.0 : value->number(-1e30, 1e30).value_or(-1.0);
}

/// Empty where the key is missing, or no text.
inline std::string textOf(const JsonValue& object, const std::string& key) {
    const JsonValue* value = object.find(key);
    return value == nullptr ? "" : value->text().value_or("");
}

}  // namespace fabricast
