#pragma once
#include "planner/base/result.h"
#include "planner/launch/opened_file.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A Python program by what it calls: a loop of its own under fully_shard or
/// DistributedDataParallel, Hugging Face's Trainer, or Megatron Bridge or NeMo, whose keys are then
/// those of a command line ("--bf16"). An error where it trains with none.
Result<OpenedFile> pythonFile(LaunchKeys keys);
/// Whether a class holds the arguments of Hugging Face's Trainer or of one of TRL's.
bool holdsTrainerArguments(std::string_view className);
/// TRL's classes that train on preferences or rewards: keys of a Trainer's file that calls them.
std::span<const std::string_view> trainersOfPreferences();

/// A word of a Python program. Comments and blanks are left out; where a logical line ends there
/// is an `End`.
struct PythonWord {
    enum class Kind : std::uint8_t { Name, Number, Text, Sign, End };
    Kind kind = Kind::Name;
    std::string text;       ///< of a text, what is between its quotes
    bool isOpen = false;    ///< a text that the program fills in: f"{name}"
    std::size_t close = 0;  ///< of an opening bracket: which word closes it
    std::int64_t line = 1;
    std::int64_t column = 1;
};

/// A program as its words; an error has its place.
///     readPythonWords("f(a, 2)  # two\n", "train.py")  →  f ( a , 2 ) End
Result<std::vector<PythonWord>> readPythonWords(std::string_view program,
                                                const std::string& source);

/// Refuses a line that is deeper than the one before without a colon, or as deep as none around it:
/// Python does not start such a program.
Result<void> checkIndentation(const std::vector<PythonWord>& words, const std::string& source);

}  // namespace fabricast
