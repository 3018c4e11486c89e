#pragma once
#include "planner/base/result.h"
#include "planner/load/load_question.h"
#include "planner/spec/edit.h"
#include "planner/text/json_document.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What was typed of a launch file beside its name.
struct GivenFiles {
    std::vector<std::string> beside{};  ///< other files of the same run, as typed
    std::string from{};                 ///< the framework that reads it; empty: as it looks
};

/// This is what a user edits, saves and undoes: a scenario file and the edits made to it. It is a
/// value: undo keeps the question from before the edit.
///     FABRICAST_ASSIGN(const Question asked, readQuestion("run.json", ""));
///     FABRICAST_ASSIGN(const Question changed, with(asked, {{"layout.tp", "8", "--set"}}));
///     typed(changed)  →  "run.json --set layout.tp=8"
struct Question {
    JsonValue root{};           ///< the document with every edit applied
    Folders folders{};          ///< where the paths in it start
    std::string file{};         ///< as it was typed; empty where everything is an edit
    GivenFiles given{};         ///< beside `file`
    std::vector<Edit> edits{};  ///< in the order made; of one path only the last
    /// Flags that were typed and then replaced by --set: they cannot be typed again.
    std::vector<Edit> replaced{};
    /// It is the scenario of an answer that does not hold what was asked: it states every setting
    /// whether or not it was asked for.
    bool isAnswer = false;
};

/// The scenario in a file, "-" for standard input, or what an answer of `explain`, `plan` or
/// `advise` in JSON was asked; of a folder that of the launch file which starts the others; of a
/// model's config.json one that names it. An empty path is an empty question. `directory` is where
/// `path` and the paths of edits start. This and readInput are the only functions here that read
/// files.
Result<Question> readQuestion(const std::string& path, const std::string& directory);

/// The same of several files of one run: the one that starts what the others say, which may name a
/// model's config.json among them. `from` is the framework whose file it is; empty: as it looks.
///     readQuestion({"zero3.json", "axolotl.yaml"}, "", "")  →  of axolotl.yaml
Result<Question> readQuestion(const std::vector<std::string>& paths,
                              const std::string& from,
                              const std::string& directory);

/// The same of a text that was read before; `source` is what errors call it, and `folders` is where
/// the paths in it start.
Result<Question> parseQuestion(std::string_view text,
                               const std::string& source,
                               Folders folders,
                               GivenFiles given = {});

/// A name in a question that may be that of a file, and the folder that it is seen from: that of
/// the scenario's file, or the one where it was typed.
struct FileName {
    std::string_view key;  ///< "cluster.name"
    std::string name;
    std::string folder;
};
/// Those of the model, the cluster, prices and the site.
std::vector<FileName> filesNamed(const Question& question);

/// The question with standard input read, where its model or cluster is "-".
Result<Question> readInput(Question question);

/// The question with some keys changed at once. What an edit says wins over everything in the
/// question that says the same in another way: nodes over gpus, workload.precision over
/// settings.precision. Several edits of a list (search.forbid) in one call are its items.
Result<Question> with(Question question, std::span<const Edit> edits);

/// "path=value" as an edit; `origin` is the flag it was typed behind.
Result<Edit> assignment(const std::string& typed, const std::string& origin);
/// "tp=8,pp=4" as an edit of each key of the layout.
Result<std::vector<Edit>> layoutEdits(const std::string& typed, const std::string& origin);

/// The arguments that ask the question on a command line, by the table of flags (question_flags.h):
/// "run.json -n 4 --layout tp=8 --set settings.kernels.loss=chunked".
std::string typed(const Question& question);
/// A file's name as an argument: "./-n.json" of one that looks like a flag.
std::string typedFile(const std::string& name);
/// The same for edits alone: "-n 4 --layout tp=8".
std::string typed(std::span<const Edit> edits);
/// The same, behind what is typed for the question: a flag that is there already would be refused,
/// and its key is said as --set, which replaces it: "--set layout.tp=4".
std::string typedBehind(const Question& question, std::span<const Edit> edits);
/// The edits as they are typed there.
std::vector<Edit> editsBehind(const Question& question, std::span<const Edit> edits);
/// The edits alone, in their order.
std::string typedInOrder(std::span<const Edit> edits);

/// The document as a scenario file, to save it.
std::string documentText(const Question& question);

/// Whether the document says something at a dotted path.
bool says(const Question& question, std::string_view path);
/// Where it says it, as file:line:column or the flag; empty where it does not.
std::string whereSaid(const Question& question, std::string_view path);
/// The edit that keeps a batch which follows from the layout at `samples`, for before a change: one
/// that is not stated, or for each rank. Nothing where the question states samples or tokens.
std::vector<Edit> heldBatch(const Question& question, std::int64_t samples);
/// The same for before a layout alone is stated: how many samples "4M tokens" are depends on it
/// too.
std::vector<Edit> heldSamples(const Question& question, std::int64_t samples);

}  // namespace fabricast
