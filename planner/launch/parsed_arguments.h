#pragma once
#include "planner/launch/launch_keys.h"
#include "planner/launch/python_values.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace fabricast {

// What a program has HfArgumentParser or TrlParser make of its command line.

/// Key of a program whose Trainer's arguments are typed behind it: its values are the arguments
/// that it reads otherwise, "--use_lora" of a dataclass of its own.
inline constexpr const char* kParsesArguments = "parses arguments";
/// Key of one that has argparse read what is typed, and gives its Trainer what it likes.
inline constexpr const char* kOwnParser = "parse_args";
/// The fields of its dataclasses, "--use_lora".
inline constexpr const char* kParsedFields = "parses fields";
/// A length that the program's own dataclass has, "parsed model_max_length".
inline constexpr const char* kParsedLength = "parsed ";

/// One of the dataclasses.
struct ParsedClass {
    std::string name;
    std::string base;    ///< "TrainingArguments" that it is or extends; empty: neither
    std::size_t at = 0;  ///< the word "class", or its name among the parser's
    bool isOwn = false;  ///< of the program
    std::vector<ParsedField> fields{};
};

struct ParsedArguments {
    std::vector<ParsedClass> classes{};
    std::map<std::string, std::size_t> objects{};  ///< by "model_args", as functions call it, too
};

/// The classes of the parser with the names that what it parses is given to.
///     a, t = HfArgumentParser((A, TrainingArguments)).parse_args_into_dataclasses()
///     →  a of A, t of TrainingArguments
ParsedArguments parsedArgumentsOf(const PythonValues& program);

/// Has "a.lora_r" be what is typed, or else the field's default.
void nameFields(const ParsedArguments& parsed, PythonValues& program);

/// Adds the arguments that the Trainer has where none is typed, and kParsesArguments.
void addParsedArguments(const PythonValues& program,
                        const ParsedArguments& parsed,
                        LaunchKeys& keys);

/// Whether what a file says of the Trainer is typed: in a script, or for a program that parses it.
bool isTypedIn(const LaunchKeys& keys);

}  // namespace fabricast
