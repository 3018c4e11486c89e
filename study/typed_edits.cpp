#include "study/typed_edits.h"

#include "planner/request/layout_json.h"
#include "study/question.h"
#include "study/question_flags.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

bool isLayoutKey(const std::string& typed) {
    const std::vector<SettingHelp> keys = describeLayout();
    return std::ranges::find(keys, typed, &SettingHelp::path) != keys.end();
}

/// By any of its names: "-n", "--nodes".
const QuestionFlag* flagNamed(const std::string& typed) {
    for (const QuestionFlag& flag : scenarioFlags()) {
        if (typed == flag.typed || std::string_view(flag.names).ends_with("," + typed)) {
            return &flag;
        }
    }
    return nullptr;
}

/// The words of a text; "--stack=megatron" is two.
std::vector<std::string> wordsOf(const std::string& typed) {
    std::vector<std::string> words;
    std::istringstream text(typed);
    for (std::string word; text >> word;) {
        const std::size_t equals = word.find('=');
        if (word.starts_with("--") && equals != std::string::npos) {
            words.push_back(word.substr(0, equals));
            words.push_back(word.substr(equals + 1));
        } else {
            words.push_back(std::move(word));
        }
    }
    return words;
}

Result<Edit> keyWithValue(const std::string& word, const std::string& origin) {
    FABRICAST_ASSIGN(Edit edit, assignment(word, origin));
    edit.path = keyCalled(edit.path);
    return edit;
}

/// What a flag and its value say.
Result<std::vector<Edit>> flagEdits(const std::string& flag,
                                    const std::string& value,
                                    const std::string& origin) {
    if (flag == "--layout") {
        return layoutEdits(value, origin);
    }
    if (flag == "--set") {
        FABRICAST_ASSIGN(Edit edit, assignment(value, flag));
        return std::vector{std::move(edit)};
    }
    const QuestionFlag* known = flagNamed(flag);
    if (known == nullptr) {
        return fail(Error::Code::BadInput,
                    origin,
                    "\"" + flag + "\" is not a flag of a scenario",
                    origin + " \"--stack megatron --layout tp=4\", or " + origin + " layout.tp=4");
    }
    return std::vector{Edit{std::string(known->path), value, std::string(known->typed)}};
}

/// Something is said, and each key once: which of two values is meant is not for us to choose.
Result<void> eachKeyOnce(const std::vector<Edit>& edits, const std::string& origin) {
    std::set<std::string_view> seen;
    for (const Edit& edit : edits) {
        const QuestionFlag* flag = flagOf(edit.path);
        if (!seen.insert(edit.path).second && (flag == nullptr || !flag->isList)) {
            return fail(Error::Code::BadInput,
                        origin,
                        "\"" + edit.path + "\" is there twice",
                        origin + " once for each of them makes a side each");
        }
    }
    if (edits.empty()) {
        return fail(
            Error::Code::BadInput, origin, "nothing is said that differs", origin + " layout.tp=4");
    }
    return {};
}

}  // namespace

std::string keyCalled(const std::string& typed) {
    const QuestionFlag* flag = flagNamed("--" + typed);
    const bool isPart = flag != nullptr && (flag->path == typed || flag->isList ||
                                            flag->path.starts_with(typed + "."));
    if (flag != nullptr) {
        return isPart ? typed : std::string(flag->path);
    }
    return isLayoutKey(typed) ? "layout." + typed : typed;
}

Result<std::vector<Edit>> typedEdits(const std::string& typed, const std::string& origin) {
    std::vector<Edit> edits;
    const std::vector<std::string> words = wordsOf(typed);
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (!words[i].starts_with('-')) {
            FABRICAST_ASSIGN(Edit edit, keyWithValue(words[i], origin));
            edits.push_back(std::move(edit));
            continue;
        }
        if (i + 1 == words.size()) {
            return fail(Error::Code::BadInput, origin, "\"" + words[i] + "\" needs a value");
        }
        FABRICAST_ASSIGN(std::vector<Edit> said, flagEdits(words[i], words[i + 1], origin));
        std::ranges::move(said, std::back_inserter(edits));
        ++i;
    }
    FABRICAST_TRY(eachKeyOnce(edits, origin));
    return edits;
}

}  // namespace fabricast
