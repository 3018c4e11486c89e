#pragma once
#include "planner/base/result.h"
#include "planner/profiles/profile_store.h"
#include "planner/spec/edit.h"
#include "planner/text/json_document.h"
#include "study/question.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// The question as a scenario file in `folder` says it: files that it names are seen from there.
/// Names of profiles and whole paths stay as they are. A model on standard input is refused.
///     FABRICAST_ASSIGN(const Question saved, savedIn("runs", typed, bench.profiles()));
Result<Question> savedIn(const std::string& folder,
                         Question question,
                         const ProfileStore& profiles);

/// The question as an answer repeats it, which is read from any folder: files that it names are
/// whole paths. Standard input stays "-".
Result<Question> withWholePaths(Question question, const ProfileStore& profiles);

// The document of a question, as those see it who read one and who edit one.

/// The value at a dotted path; null where there is none.
const JsonValue* valueAt(const JsonValue& root, std::string_view path);

/// The key that a word in the place of a part is short for; empty where none is.
///     keyOfWord("cluster")  →  "cluster.name"
std::string_view keyOfWord(std::string_view part);

/// Parts that are written as one word ("cluster": "dgx-h100") as the objects that edits can add
/// keys to.
Result<JsonValue> withObjects(JsonValue root);

/// What others call a tuning is refused with what it is called here.
Result<void> checkTuningWord(const JsonValue& root);

/// What a word stands for in place of it: LoRA over a base of 4 bits for "tuning": "qlora".
Result<JsonValue> withoutWords(JsonValue root);

/// The edits that make `to` of `from`, key by key, as flags type them where one does: what is to be
/// typed behind a file that says `from`. Lists are edited whole.
///     editsBetween(saved, changed)  →  {{"cluster.nodes", "4", "-n"}}
std::vector<Edit> editsBetween(const Question& from, const Question& to);

/// The files of a folder as they were once, such as in a commit.
struct EarlierFiles {
    std::string name;  ///< how errors call that time: "main"
    std::function<Result<std::optional<std::string>>(const std::string& path)> text;
    std::function<Result<bool>(const std::string& path)> isLink;
};

/// The scenario of a file as it was, with the files that it names as they were then. `folders.file`
/// is the folder that the earlier files are of, and `beside` are other files of its run, as typed
/// now. Nothing where the file was not there.
Result<std::optional<Question>> earlierQuestion(const std::string& file,
                                                const EarlierFiles& earlier,
                                                const Folders& folders,
                                                const std::vector<std::string>& beside = {});

/// A launch file says nothing of the hardware but how many ranks it starts: what else was typed of
/// it for the question holds for what it is compared with too.
Result<std::optional<Question>> onTypedHardware(Result<std::optional<Question>> baseline,
                                                const Result<Question>& question);

/// What is to be typed before changes of a question, so that they are no part of such a baseline:
/// that the file says nothing of it.
///     heldInBaseline(baseline, {{"cluster.nodes", "2", "-n"}})  →  --set cluster.nodes=null
std::vector<Edit> heldInBaseline(const Question& baseline, std::span<const Edit> changes);

}  // namespace fabricast
