#include "gui/document/saved_study.h"

#include "planner/output/replace_file.h"

#include <array>
#include <iterator>
#include <sstream>
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

Result<void> saveStudy(const SavedStudy& study, const std::string& path) {
    FABRICAST_ASSIGN(const std::string text, studyText(study));
    const std::string trouble = replaceFile(path, text);
    return trouble.empty() ? Result<void>()
                           : fail(Error::Code::Environment, path, trouble, "save it elsewhere");
}

}  // namespace fabricast
