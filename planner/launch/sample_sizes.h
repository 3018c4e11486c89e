#pragma once
#include "planner/launch/launch_keys.h"
#include "planner/launch/python_branches.h"
#include "planner/launch/scenario_draft.h"

#include <cstdint>
#include <optional>

namespace fabricast {

// How many samples a step of a Python program takes, and how long they are, by what the program
// does with numbers: it makes random tokens, cuts texts in pieces, pads them, loads batches.

/// Key of the tokens in each piece that a program cuts its texts in: 1024 of
///     [t[i : i + 1024] for i in range(0, total, 1024)]
inline constexpr const char* kPieceLength = "tokens of a piece";
/// Keys of the arguments of argparse begin so: "argument batch_size".
inline constexpr const char* kParsedArgument = "argument ";

/// Adds the first of these keys: of a function that a data set is mapped by, or that stacks pieces,
/// or else of batch["input_ids"][:, :args.ctx].
void addPieces(const PythonValues& program, const PythonCourse& course, LaunchKeys& keys);

/// The length to which a program's tokenizer pads or cuts what it is called with; nothing where two
/// calls differ, or it is worked out when the program runs.
std::optional<LaunchKey> tokenizedLength(const LaunchKeys& program);

/// One that differs from the first of them; nothing where all are the same.
std::optional<LaunchKey> otherTokenizedLength(const LaunchKeys& program);

/// Key of such a length, of a Trainer's program.
inline constexpr const char* kOtherLength = "tokens of another call";

/// Asks for the length where two calls of a tokenizer have one each.
void askForTokenizedLength(ScenarioDraft& draft, const LaunchKey& other);

/// Sets the tokens of a sample to those of a piece. Where the program works their number out, it
/// has to be typed.
void importPieceLength(ScenarioDraft& draft);

/// What a program shows of its batches.
struct ShownBatch {
    bool samples = false;
    bool tokens = false;
};
/// What a loop's batches are made of: "layout.micro_batch" and, where they are random tokens, the
/// sequence. What the program works out has to be typed.
ShownBatch importBatchSource(ScenarioDraft& draft, bool hasBatch);

/// Samples of the batches that a program's DataLoader has: those of the training, or of its
/// evaluation. Without a count they are worked out when the program runs, or differ.
struct LoadedBatch {
    LaunchKey at;
    std::optional<std::int64_t> samples{};
};
std::optional<LoadedBatch> loadedBatch(const LaunchKeys& program, bool ofEvaluation);

/// Key of the samples in each part of a batch that a loop splits before its backward passes: 2 of
///     for part in x.split(2): model(part).loss.backward()
inline constexpr const char* kSplitBatch = "samples of a part";

/// Adds that key; "$" where the parts are not of samples.
void addSplitBatch(const PythonValues& program, const PythonCourse& course, LaunchKeys& keys);

/// Sets the microbatch of a draft to such a part, and gives how many parts the batch has. Where
/// that is not known, the microbatch has to be typed.
std::int64_t importSplitBatch(ScenarioDraft& draft);

/// Key of how many microbatches a loop of the program's own accumulates gradients of.
inline constexpr const char* kLoopAccumulation = "loop accumulation";
/// The same where it is worked out when the program runs.
inline constexpr const char* kUnknownAccumulation = "loop accumulation unknown";

/// Key of a loop over so many parts of a batch around its backward pass: x.chunk(4).
inline constexpr const char* kDividedBatch = "batch in parts";

/// Adds that key, and one of the two before it: of what counts a loop, or its steps, and divides
/// the loss, or of how often an optimizer steps.
///     for k in range(parts): (model(x).loss / parts).backward()
///     if (i + 1) % steps == 0: optimizer.step()
void addAccumulation(const PythonValues& program, const PythonCourse& course, LaunchKeys& keys);

}  // namespace fabricast
