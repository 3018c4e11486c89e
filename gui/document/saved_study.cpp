#include "gui/document/saved_study.h"

#include "planner/output/replace_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
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

/// The file or folder that a name is of; nothing of what the program knows by that name.
std::optional<fs::path> fileOf(const FileName& named) {
    const fs::path path = fs::path(named.folder) / named.name;
    const bool isPath = named.name.find('/') != std::string::npos || path.extension() == ".json";
    std::error_code unseen;
    return isPath && fs::exists(path, unseen) ? std::optional(fs::absolute(path).lexically_normal())
                                              : std::nullopt;
}

bool isBelow(const std::string& folder, const fs::path& file) {
    return !folder.empty() && *file.lexically_relative(folder).begin() != "..";
}

/// So that no reader takes it for a name that the program knows.
std::string asPath(const fs::path& seen) {
    const bool isPlain = seen.has_parent_path() || seen.extension() == ".json";
    return isPlain ? seen.string() : "./" + seen.string();
}

fs::path folderOf(const std::string& file) {
    return fs::absolute(file).lexically_normal().parent_path();
}

}  // namespace

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
    std::vector<Edit> edits;
    for (const ViewKey& key : kViewKeys) {
        const std::string& value = study.view.*key.member;
        edits.push_back({std::string("view.") + key.name, value.empty() ? "null" : value, "view"});
    }
    FABRICAST_ASSIGN(const Question whole, with(study.question, edits));
    return documentText(whole);
}

bool isModelAlone(const Question& question) {
    const auto& members = question.root.members();
    return members.size() == 1 && members.front().name() == "model";
}

bool isReadBy(const Question& question, const std::string& path) {
    const fs::path asked = fs::absolute(path).lexically_normal();
    const std::vector<FileName> names = filesNamed(question);
    const bool isNamed = std::ranges::any_of(names, [&asked](const FileName& one) {
        const std::optional<fs::path> file = fileOf(one);
        return file && (*file == asked || *file == asked.parent_path());
    });
    const bool isOwn =
        !question.file.empty() && fs::absolute(question.file).lexically_normal() == asked;
    return isNamed || (isOwn && says(question, "imported"));
}

Result<Question> seenFrom(const std::string& folder, const Question& question) {
    std::vector<Edit> edits;
    for (const FileName& named : filesNamed(question)) {
        const std::optional<fs::path> file = fileOf(named);
        if (file && (!fs::path(named.name).is_absolute() || isBelow(folder, *file))) {
            const fs::path seen = folder.empty() ? *file : file->lexically_relative(folder);
            edits.push_back({std::string(named.key), asPath(seen), "view"});
        }
    }
    return with(question, edits);
}

Result<void> saveStudy(const SavedStudy& study, const std::string& path) {
    if (isReadBy(study.question, path)) {
        return fail(Error::Code::BadInput,
                    path,
                    "is read by this study, as its model or its launch file, and stays what it is",
                    "save the study under another name");
    }
    FABRICAST_ASSIGN(Question question, seenFrom(folderOf(path).string(), study.question));
    FABRICAST_ASSIGN(const std::string text, studyText({std::move(question), study.view}));
    const std::string trouble = replaceFile(path, text);
    return trouble.empty() ? Result<void>()
                           : fail(Error::Code::Environment, path, trouble, "save it elsewhere");
}

}  // namespace fabricast
