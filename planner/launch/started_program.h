#pragma once
#include "planner/launch/opened_file.h"

namespace fabricast {

// A job script whose arguments are those of Hugging Face's Trainer, and the program that it starts.

/// Has the script name that program, which is then opened, where it is a Trainer's: the model, its
/// type and its adapters are what the program says. A program that is not found, or trains with
/// something else, is noted; what is known without reading them, as transformers' run_clm.py, is
/// not opened.
void nameProgram(OpenedFile& script, const ReadNamed& read);

/// What is typed for the program that reads it: it wins over what the program has without.
void addProgramsArguments(const OpenedFile& script, OpenedFile& program);

}  // namespace fabricast
