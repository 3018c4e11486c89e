#include "planner/text/json_builder.h"
#include "planner/text/shell_text.h"
#include "study/flag_words.h"
#include "study/question.h"
#include "study/question_flags.h"
#include "study/replaced_keys.h"
#include "study/saved_questions.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::string_view kLayout = "layout.";

/// An option of the program that answers depend on and no key says: --profile-dir, -C. Its edit has
/// no path, and comes with the question as it was typed.
bool isOption(const Edit& edit) {
    return edit.path.empty();
}

/// Whether the edit has to be typed as --set PATH=VALUE: no flag says it, or one that says more.
bool isAssignment(const Edit& edit) {
    const QuestionFlag* flag = flagOf(edit.path);
    const bool saysMore = flag != nullptr && !flag->replaces.empty() && edit.origin != flag->typed;
    const bool isFlag = flag != nullptr || edit.path.starts_with(kLayout);
    return edit.origin == "--set" || edit.value == "null" || !isFlag || saysMore;
}

/// "tp=8,pp=4": every key of the layout that was not typed as --set.
std::string layoutOf(std::span<const Edit> edits) {
    std::string keys;
    for (const Edit& edit : edits) {
        if (edit.path.starts_with(kLayout) && !isAssignment(edit)) {
            keys += (keys.empty() ? "" : ",") + edit.path.substr(kLayout.size()) + "=" + edit.value;
        }
    }
    return keys;
}

void add(std::string& text, std::string_view flag, const std::string& value) {
    text += (text.empty() ? "" : " ") + std::string(flag) + " " + shellWord(value);
}

void addFlags(std::string& text, std::span<const QuestionFlag> flags, std::span<const Edit> edits) {
    for (const QuestionFlag& flag : flags) {
        if (flag.path == "layout") {
            const std::string keys = flag.typed == "--layout" ? layoutOf(edits) : "";
            if (!keys.empty()) {
                add(text, flag.typed, keys);
            }
            continue;
        }
        for (const Edit& edit : edits) {
            if (edit.path == flag.path && !isAssignment(edit)) {
                add(text, flag.typed, edit.value);
            }
        }
    }
}

/// What has a word is typed as it, as `with` reads it.
std::vector<Edit> shortened(std::span<const Edit> edits) {
    std::vector<Edit> all(edits.begin(), edits.end());
    const auto tuning = std::ranges::find_if(all, [](const Edit& edit) {
        return edit.path == kQlora.path && edit.value == kQlora.value && !isAssignment(edit);
    });
    const auto base = std::ranges::find_if(all, [](const Edit& edit) {
        return edit.path == kQlora.besidePath && edit.value == kQlora.besideValue;
    });
    if (tuning != all.end() && base != all.end()) {
        tuning->value = kQlora.word;
        all.erase(base);
    }
    return all;
}

bool isOfList(const Edit& edit) {
    const QuestionFlag* flag = flagOf(edit.path);
    return flag != nullptr && flag->isList;
}

/// What else an edit that is typed as a flag takes the place of: "cluster" of -c.
std::string_view partReplaced(const Edit& edit) {
    const QuestionFlag* flag = flagOf(edit.path);
    return flag == nullptr || isAssignment(edit) ? std::string_view() : flag->replaces;
}

/// Whether a flag that may be typed once is among those typed before, or one that says the same.
bool isTypedTwice(const Question& question, const Edit& edit) {
    const auto flagOfIts = [](const Edit& one) -> std::string_view {
        const QuestionFlag* flag = flagOf(one.path);
        return one.path.starts_with(kLayout) ? "--layout" : flag == nullptr ? "" : flag->typed;
    };
    const auto isSaid = [&](const Edit& one) {
        return !isOption(one) && !isAssignment(one) &&
               (flagOfIts(one) == flagOfIts(edit) || isReplaced(one.path, edit));
    };
    return !isAssignment(edit) && !isOfList(edit) &&
           (std::ranges::any_of(question.edits, isSaid) ||
            std::ranges::any_of(question.replaced, isSaid));
}

/// Whether it takes away a part of which a flag says something: behind that flag it would take away
/// this too.
bool isTypedFirst(const Edit& edit, std::span<const Edit> edits) {
    return edit.value == "null" && std::ranges::any_of(edits, [&edit](const Edit& one) {
               return !isOption(one) && !isAssignment(one) && one.path.starts_with(edit.path + ".");
           });
}

template <class Match>
void addAssignments(std::string& text, std::span<const Edit> edits, Match matches) {
    for (const Edit& edit : edits) {
        if (!isOption(edit) && isAssignment(edit) && matches(edit)) {
            add(text, "--set", edit.path + "=" + edit.value);
        }
    }
}

}  // namespace

std::string typed(std::span<const Edit> made) {
    const std::vector<Edit> edits = shortened(made);
    const auto isFirst = [&edits](const Edit& edit) { return isTypedFirst(edit, edits); };
    std::string text;
    for (const Edit& edit : edits) {
        if (isOption(edit)) {
            add(text, edit.origin, edit.value);
        }
    }
    addAssignments(text, edits, isFirst);
    addFlags(text, scenarioFlags(), edits);
    addFlags(text, searchFlags(), edits);
    addAssignments(text, edits, [&](const Edit& edit) { return !isFirst(edit); });
    return text;
}

namespace {

/// Another cluster has the reserve of the one before, unless it is said.
void addKept(std::vector<Edit>& edits, std::string_view part, const Question& question) {
    const JsonValue* const reserve = valueAt(question.root, "cluster.reserve");
    if (part == "cluster" && reserve != nullptr) {
        edits.push_back(
            {"cluster.reserve", reserve->text().value_or(JsonBuilder::written(*reserve)), "--set"});
    }
}

}  // namespace

std::vector<Edit> editsBehind(const Question& question, std::span<const Edit> made) {
    std::vector<Edit> edits;
    for (const Edit& edit : made) {  // first, as it takes away what is said of its part
        const std::string_view part = partReplaced(edit);
        if (!part.empty() && isTypedTwice(question, edit)) {
            edits.push_back({std::string(part), "null", "--set"});
            addKept(edits, part, question);
        }
    }
    const std::size_t parts = edits.size();
    for (Edit edit : made) {
        const bool isOfPart =
            std::any_of(edits.begin(),
                        edits.begin() + static_cast<std::ptrdiff_t>(parts),
                        [&](const Edit& part) { return edit.path.starts_with(part.path + "."); });
        if (isOfPart || isTypedTwice(question, edit)) {
            edit.origin = "--set";
        }
        const auto before = std::ranges::find(edits, edit.path, &Edit::path);
        if (before == edits.end() || isOfList(edit)) {
            edits.push_back(std::move(edit));
        } else {
            *before = std::move(edit);
        }
    }
    return edits;
}

std::string typedBehind(const Question& question, std::span<const Edit> edits) {
    return typed(editsBehind(question, edits));
}

std::string typedInOrder(std::span<const Edit> made) {
    const std::vector<Edit> all = shortened(made);
    std::span<const Edit> edits = all;
    std::string text;
    while (!edits.empty()) {
        const auto isKey = [](const Edit& edit) {
            return edit.path.starts_with(kLayout) && !isAssignment(edit);
        };
        const auto keys =
            static_cast<std::size_t>(std::ranges::find_if_not(edits, isKey) - edits.begin());
        const std::size_t count = std::max<std::size_t>(keys, 1);
        const std::string one = typed(edits.first(count));
        text += (text.empty() ? "" : " ") + one;
        edits = edits.subspan(count);
    }
    return text;
}

std::string typedFile(const std::string& name) {
    return shellWord(name.starts_with('-') && name != "-" ? "./" + name : name);
}

std::string typed(const Question& question) {
    const std::string edits = typed(question.edits);
    std::string file = question.file.empty() ? "" : typedFile(question.file);
    for (const std::string& one : question.given.beside) {
        file += " " + typedFile(one);
    }
    if (!question.given.from.empty()) {
        file += " --from " + question.given.from;
    }
    return file + (file.empty() || edits.empty() ? "" : " ") + edits;
}

std::string documentText(const Question& question) {
    if (!question.isAnswer) {
        return JsonBuilder::written(question.root) + "\n";
    }
    // So that it is read again as what it is.
    const JsonBuilder build("");
    JsonValue answer = build.object();
    JsonBuilder::appendMember(answer, build.string("schema"), build.string("fabricast.explain/1"));
    JsonBuilder::appendMember(answer, build.string("scenario"), question.root);
    return JsonBuilder::written(answer) + "\n";
}

}  // namespace fabricast
