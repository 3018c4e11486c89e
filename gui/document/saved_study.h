#pragma once
#include "planner/base/result.h"
#include "study/question.h"

#include <string>
#include <vector>

namespace fabricast {

/// How a window shows a study; a scenario file keeps it under "view", which no answer depends on.
struct ViewState {
    std::string page{};      ///< "memory"
    std::string chosen{};    ///< the layout that is looked at, as `typedPlan` has it
    std::string other{};     ///< and the one it is compared with
    std::string failed{};    ///< links and devices: "leaf4 node3/nic2-leaf2"
    std::string trace{};     ///< file of the measured step that is shown
    std::string hardware{};  ///< what is put side by side: "dgx-h100, dgx-b200"
    std::string file{};      ///< of what is kept for after a crash: where it is to be saved
    std::string digest{};    ///< and what that file was when it was opened
};

/// Names, which have no spaces, with spaces in between; and back.
std::string joinedNames(const std::vector<std::string>& names);
std::vector<std::string> namesIn(const std::string& joined);

/// A scenario file that `fabricast plan` reads too, as a window saves it.
struct SavedStudy {
    Question question;
    ViewState view;
};

/// An empty path is an empty question.
Result<SavedStudy> openStudy(const std::string& path);
/// Whether it says nothing but a model, as one of a config.json does.
bool isModelAlone(const Question& question);
/// Whether a file is what the question reads, beside a scenario: its launch file, its model's
/// config.json or the folder of that, which no study is written over.
bool isReadBy(const Question& question, const std::string& path);
/// The question with the files that it names as they are named from `folder`.
Result<Question> seenFrom(const std::string& folder, const Question& question);
/// Another question as what is to be typed behind the file of this one, from which it is shown.
Question asChangesOf(const Question& file, const Question& other);
/// The folder of a file, as a whole path.
std::string folderOf(const std::string& file);
/// Old bytes or new ones, never a part; the files that it names are found from where it lies. Of a
/// scenario's file only what changed is written anew. Returned is what the file says then.
Result<Question> saveStudy(const SavedStudy& study, const std::string& path);
/// Comments of the scenario's file that stand where something else is saved, and would go.
std::vector<std::string> commentsLost(const SavedStudy& study, const std::string& path);
/// The whole of it, for after a crash: files are named from where the study's own file lies.
Result<std::string> studyText(const SavedStudy& study);

}  // namespace fabricast
