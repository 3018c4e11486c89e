#include "gui/document/saved_study.h"

#include "planner/launch/opened_file.h"
#include "planner/output/replace_file.h"
#include "study/kept_text.h"
#include "study/saved_questions.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

struct ViewKey {
    const char* name;
    std::string ViewState::*member;
};
constexpr std::array kViewKeys = {ViewKey{"page", &ViewState::page},
                                  ViewKey{"chosen", &ViewState::chosen},
                                  ViewKey{"other", &ViewState::other},
                                  ViewKey{"failed", &ViewState::failed},
                                  ViewKey{"trace", &ViewState::trace},
                                  ViewKey{"hardware", &ViewState::hardware},
                                  ViewKey{"file", &ViewState::file},
                                  ViewKey{"digest", &ViewState::digest}};

ViewState viewIn(const Question& question) {
    ViewState view;
    const JsonValue* saved = question.root.find("view");
    for (const ViewKey& key : kViewKeys) {
        const JsonValue* value = saved == nullptr ? nullptr : saved->find(key.name);
        if (value != nullptr) {
            view.*key.member = value->text().value_or("");
        }
    }
    return view;
}

namespace fs = std::filesystem;

/// A file or folder that a question names, and where that lies.
struct ReadPath {
    FileName named;
    fs::path path;
};

/// Those that are there; nothing of what the program knows by such a name.
std::vector<ReadPath> pathsReadBy(const Question& question) {
    std::vector<ReadPath> paths;
    for (const FileName& named : filesNamed(question)) {
        const fs::path path = fs::path(named.folder) / named.name;
        const bool isPath =
            named.name.find('/') != std::string::npos || path.extension() == ".json";
        std::error_code unseen;
        if (isPath && fs::exists(path, unseen)) {
            paths.push_back({named, fs::absolute(path).lexically_normal()});
        }
    }
    return paths;
}

bool isBelow(const std::string& folder, const fs::path& file) {
    return !folder.empty() && *file.lexically_relative(folder).begin() != "..";
}

/// So that no reader takes it for a name that the program knows.
std::string asPath(const fs::path& seen) {
    const bool isPlain = seen.has_parent_path() || seen.extension() == ".json";
    return isPlain ? seen.string() : "./" + seen.string();
}

Result<Question> withView(const Question& question, const ViewState& view) {
    std::vector<Edit> edits;
    for (const ViewKey& key : kViewKeys) {
        const std::string& value = view.*key.member;
        edits.push_back({std::string("view.") + key.name, value.empty() ? "null" : value, "view"});
    }
    return with(question, edits);
}

Result<KeptText> textIn(const SavedStudy& study, const std::string& path) {
    FABRICAST_ASSIGN(const Question seen, seenFrom(folderOf(path), study.question));
    FABRICAST_ASSIGN(const Question whole, withView(seen, study.view));
    return keptText(whole);
}

/// A launch file, and no scenario that was made of one.
bool isLaunchFileAt(const fs::path& path) {
    std::error_code unseen;
    if (!fs::is_regular_file(path, unseen)) {
        return true;  // as it was said to be
    }
    std::ifstream in(path);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    return isLaunchFile(text, path.string());
}

/// What was written, seen from where it lies; a text that cannot be read is said by the answer.
Question readBack(const Question& question, const KeptText& kept, const std::string& path) {
    const Folders folders{.file = folderOf(path), .typed = question.folders.typed};
    Result<Question> back = parseQuestion(kept.text, path, folders);
    Question saved = back ? *std::move(back) : question;
    saved.file = path;
    saved.edits.clear();
    saved.isAnswer = question.isAnswer;
    return saved;
}

}  // namespace

std::string folderOf(const std::string& file) {
    const fs::path path = file.empty() ? "./" : file;  // what is in no file is seen from here
    return fs::absolute(path).lexically_normal().parent_path().string();
}

std::string joinedNames(const std::vector<std::string>& names) {
    std::string joined;
    for (const std::string& name : names) {
        joined += (joined.empty() ? "" : " ") + name;
    }
    return joined;
}

std::vector<std::string> namesIn(const std::string& joined) {
    std::istringstream names(joined);
    return {std::istream_iterator<std::string>(names), {}};
}

Result<SavedStudy> openStudy(const std::string& path) {
    FABRICAST_ASSIGN(Question question, readQuestion(path, ""));
    ViewState view = viewIn(question);
    return SavedStudy{std::move(question), std::move(view)};
}

Result<std::string> studyText(const SavedStudy& study) {
    const std::string& file = study.view.file;
    FABRICAST_ASSIGN(
        const Question seen,
        file.empty() ? Result<Question>(study.question) : seenFrom(folderOf(file), study.question));
    FABRICAST_ASSIGN(const Question whole, withView(seen, study.view));
    return documentText(whole);
}

bool isModelAlone(const Question& question) {
    const auto& members = question.root.members();
    return members.size() == 1 && members.front().name() == "model";
}

bool isReadBy(const Question& question, const std::string& path) {
    const fs::path asked = fs::absolute(path).lexically_normal();
    const std::vector<ReadPath> paths = pathsReadBy(question);
    const bool isNamed = std::ranges::any_of(paths, [&asked](const ReadPath& one) {
        return one.path == asked || one.path == asked.parent_path();
    });
    const bool isOwn =
        !question.file.empty() && fs::absolute(question.file).lexically_normal() == asked;
    return isNamed || (isOwn && says(question, "imported") && isLaunchFileAt(asked));
}

Result<Question> seenFrom(const std::string& folder, const Question& question) {
    std::vector<Edit> edits;
    for (const ReadPath& one : pathsReadBy(question)) {
        if (!fs::path(one.named.name).is_absolute() || isBelow(folder, one.path)) {
            const fs::path seen = folder.empty() ? one.path : one.path.lexically_relative(folder);
            const bool isAsNamed = fs::path(one.named.name).lexically_normal() == seen;
            edits.push_back(
                {std::string(one.named.key), isAsNamed ? one.named.name : asPath(seen), "view"});
        }
    }
    return with(question, edits);
}

Question asChangesOf(const Question& file, const Question& other) {
    const Question beside = seenFrom(folderOf(file.file), other).value_or(other);
    Question whole = seenFrom("", other).value_or(other);
    std::vector<Edit> edits = editsBetween(file, beside);
    const Result<Question> tried = with(file, edits);
    const bool isSame = tried && editsBetween(beside, *tried).empty();
    for (const FileName& named : filesNamed(whole)) {
        for (Edit& edit : edits) {
            edit.value = edit.path == named.key ? named.name : edit.value;
        }
    }
    whole.file = file.file;
    whole.folders = file.folders;
    whole.edits = edits;
    return isSame ? with(file, edits).value_or(whole) : whole;
}

std::vector<std::string> commentsLost(const SavedStudy& study, const std::string& path) {
    const Result<KeptText> kept = textIn(study, path);
    return kept ? kept->lost : std::vector<std::string>();
}

Result<Question> saveStudy(const SavedStudy& study, const std::string& path) {
    if (isReadBy(study.question, path)) {
        return fail(Error::Code::BadInput,
                    path,
                    "is read by this study, as its model or its launch file, and stays what it is",
                    "save the study under another name");
    }
    FABRICAST_ASSIGN(const KeptText kept, textIn(study, path));
    const std::string trouble = replaceFile(path, kept.text);
    if (!trouble.empty()) {
        return fail(Error::Code::Environment, path, trouble, "save it elsewhere");
    }
    return readBack(study.question, kept, path);
}

}  // namespace fabricast
