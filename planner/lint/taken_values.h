#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fabricast {

/// What reads the values of a file: it decides which spellings of a number or a switch are taken.
enum class ValueLoader {
    Words,     ///< a command line, by Python's int() and float(), and true or false in words
    Switches,  ///< the same, where a switch takes no value: "--x" or "--no-x"
    Json,      ///< pydantic, on values of JSON: 5e8 is a whole number, "5e8" is none
    Yaml,      ///< pydantic, on values of YAML 1.1, to which 1e3 is a text and 1.0e+3 a number
    Toml       ///< nothing looks at what TOML says
};

/// Why a key does not take a value, as "a whole number"; empty where it does. `takes` is what the
/// table of keys says, one of them is enough: "whole", "number", "switch", "figure" (a number that
/// stands in no quotes) or a word itself. None: anything is taken.
///     whyNotTaken({"whole"}, "4k", false, ValueLoader::Yaml)  // "a whole number"
std::string whyNotTaken(std::span<const std::string> takes,
                        std::string_view value,
                        bool isQuoted,
                        ValueLoader loader);

/// Whether a key takes numbers or switches alone, and no words of its own.
bool takesNoWords(std::span<const std::string> takes);

/// The words among what a key takes: those that a wrong one may have meant.
std::string nearestTaken(std::span<const std::string> takes, std::string_view value);

}  // namespace fabricast
