#pragma once
#include "planner/launch/parsed_arguments.h"
#include "planner/launch/python_branches.h"
#include "planner/launch/scenario_draft.h"

#include <string_view>

namespace fabricast {

// Numbers that may be the length of a sample, by their names alone: --max_len of a job script, and
// what a program has without. Where nothing else says the sequence they are asked about, rather
// than forecast as the default.

/// Keys of them begin so: "may be a length --max_len", "may be a length ctx".
inline constexpr const char* kPossibleLength = "may be a length ";

/// Whether a name says a length in tokens: "--max-len", "ctx", "block_size"; not "eval_len".
bool mayBeLength(std::string_view name);

/// Adds those of a program: names and fields that are given a number, arguments of argparse,
/// parameters of its functions with their defaults.
void addPossibleLengths(const PythonValues& program,
                        const PythonCourse& course,
                        const ParsedArguments& parsed,
                        LaunchKeys& keys);

/// Adds what a script types for the program that it starts, whoever reads it.
void addTypedLengths(const OpenedFile& script, OpenedFile& program);

/// Asks for the sequence where it is not known, and one of these may say it.
void askForLength(ScenarioDraft& draft);

}  // namespace fabricast
