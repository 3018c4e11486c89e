#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_keys.h"
#include "planner/launch/read_named.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Who reads a launch file. Megatron is NeMo's and Bridge's, too. A script is of Megatron or
/// torchtitan where its arguments are theirs, of Trainer where they are those of Hugging Face's
/// TrainingArguments, or a Python program makes these. Torch is a Python program with a loop of its
/// own under DDP or FSDP2. Tune is the config of a recipe of torchtune.
enum class LaunchKind : std::uint8_t {
    Megatron,
    Titan,
    Deepspeed,
    Accelerate,
    Axolotl,
    Trainer,
    Torch,
    Tune,
    Script
};

/// In which words a file says what are Megatron's arguments.
enum class MegatronWords : std::uint8_t { Arguments, Nemo, Bridge };

/// A launch file that was opened: whose it is, and what it says.
struct OpenedFile {
    LaunchKind kind = LaunchKind::Script;
    LaunchKeys keys;
    MegatronWords words = MegatronWords::Arguments;
    std::string names{};               ///< another launch file that it starts or reads; empty: none
    std::string namedBy{};             ///< the key that does so
    std::string notOpened{};           ///< why that file is not among the opened ones; empty: it is
    std::vector<std::string> taken{};  ///< what was given with it, where it does not name that
    std::string unreadProgram{};       ///< the program that its arguments are for, and is not read
    std::optional<Error> refusedProgram{};  ///< why that is refused
};

/// The text of a file that a key names; one that cannot be read is an error at that key.
Result<NamedText> readNamedText(const LaunchKeys& keys,
                                const LaunchKey& key,
                                const std::string& name,
                                const ReadNamed& read);

/// Whether a file is read as a launch file (file_form.h). `from`: the framework that its user
/// names.
bool isLaunchFile(std::string_view text, const std::string& source, std::string_view from = {});

/// One file as its keys; whose it is follows from them.
Result<OpenedFile> openLaunchFile(std::string_view text,
                                  const std::string& source,
                                  std::string_view from = {});

/// The one that starts what the others say, with what was given together with it.
Result<OpenedFile> openFirst(std::string_view text,
                             const std::string& source,
                             const ReadNamed& read);

/// Whether it names the program that it starts, and no file that a framework reads.
bool namesProgram(const OpenedFile& file);

/// The program that a script starts beside Accelerate's file, where it is one of Trainer: it reads
/// that file unless it names one of DeepSpeed's itself.
std::optional<OpenedFile> programBeside(const OpenedFile& script,
                                        const OpenedFile& named,
                                        const ReadNamed& read);

/// The file that `file` names: a script only where it is a job that starts one. Arguments behind a
/// TOML are among its keys, and so are those of whoever starts a program or a script.
Result<OpenedFile> openNamed(const OpenedFile& file, const ReadNamed& read);

/// A file, the one that it names, and so on. What is named and cannot be opened is left out:
/// `notOpened` says why, but for programs, which may be of no framework.
Result<std::vector<OpenedFile>> openLaunchFiles(std::string_view text,
                                                const std::string& source,
                                                const ReadNamed& read);

}  // namespace fabricast
