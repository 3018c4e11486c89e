#include "flags/question_arguments.h"

#include "flags/check_outputs.h"
#include "planner/launch/opened_framework.h"
#include "planner/profiles/profile_store.h"
#include "planner/profiles/verify_profiles.h"
#include "study/replaced_keys.h"
#include "study/search_request.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace fabricast {
namespace {

/// A flag whose value was forgotten takes the next flag for it.
Result<void> checkValue(const QuestionFlag& flag, const std::string& text) {
    if (text == "null") {
        return fail(Error::Code::BadInput,
                    std::string(flag.typed),
                    "\"null\" is no value: --set takes a key away",
                    "--set " + std::string(flag.path) + "=null");
    }
    if (!text.starts_with("--")) {
        return {};
    }
    return fail(Error::Code::BadInput,
                std::string(flag.typed),
                "needs a value; \"" + text + "\" is the next flag",
                std::string(flag.typed) + " " + flag.example);
}

/// "fsdp2,megatron" is two values of a list.
std::vector<std::string> splitValues(const std::vector<std::string>& typed) {
    std::vector<std::string> values;
    for (const std::string& text : typed) {
        for (std::size_t at = 0; at <= text.size();) {
            const std::size_t end = std::min(text.find(',', at), text.size());
            values.push_back(text.substr(at, end - at));
            at = end + 1;
        }
    }
    return values;
}

/// Every value typed behind a flag, in order.
std::vector<std::string> valuesOf(const QuestionArguments& arguments, const QuestionFlag& flag) {
    if (const auto list = arguments.lists.find(flag.typed);
        flag.isList && list != arguments.lists.end()) {
        return flag.path == "layout" ? list->second : splitValues(list->second);
    }
    const auto value = arguments.values.find(flag.typed);
    const bool isTyped = !flag.isList && value != arguments.values.end() && value->second;
    return isTyped ? std::vector{*value->second} : std::vector<std::string>();
}

/// An edit, and where on the command line it was typed; -1 where it was not.
struct PlacedEdit {
    Edit edit;
    std::ptrdiff_t place = -1;
    std::size_t order = 0;  ///< in the table of flags, and behind it each --set
};

/// A whole of which another edit says a part comes first, then flags by their table: the same
/// question is the same in whatever order its flags are typed.
void sortByTable(std::vector<PlacedEdit>& placed) {
    std::ranges::stable_sort(placed, {}, &PlacedEdit::order);
    const std::vector<PlacedEdit> all = placed;
    std::ranges::stable_partition(placed, [&all](const PlacedEdit& one) {
        return one.edit.origin == "--set" &&
               std::ranges::any_of(all, [&one](const PlacedEdit& part) {
                   return part.edit.path.starts_with(one.edit.path + ".");
               });
    });
}

/// Where a flag was typed; of one that repeats the first.
std::ptrdiff_t placeOf(std::string_view names, const GlobalOptions& options) {
    const auto found = std::ranges::find_if(options.typedFlags, [names](const std::string& flag) {
        return names == flag || names.ends_with("," + flag);
    });
    return found == options.typedFlags.end() ? -1 : found - options.typedFlags.begin();
}

/// The edits that the flags of a table say; those of keys of the layout are one text.
Result<void> addEdits(const QuestionArguments& arguments,
                      std::span<const QuestionFlag> table,
                      const GlobalOptions& options,
                      std::vector<PlacedEdit>& placed) {
    for (const QuestionFlag& flag : table) {
        std::string layout;
        const std::ptrdiff_t place = placeOf(flag.names, options);
        for (const std::string& value : valuesOf(arguments, flag)) {
            FABRICAST_TRY(checkValue(flag, value));
            if (flag.path == "layout") {
                layout += (layout.empty() ? "" : ",") + value;
            } else {
                placed.push_back({{std::string(flag.path), value, std::string(flag.typed)}, place});
            }
        }
        FABRICAST_ASSIGN(std::vector<Edit> keys, layoutEdits(layout, "--layout"));
        for (Edit& key : keys) {
            placed.push_back({std::move(key), place});
        }
    }
    return {};
}

/// Each --set, where it was typed.
Result<std::vector<PlacedEdit>> setsOf(const GlobalOptions& options) {
    std::vector<PlacedEdit> sets;
    auto place = options.typedFlags.begin();
    for (const std::string& set : options.sets) {
        FABRICAST_ASSIGN(Edit edit, assignment(set, "--set"));
        place = std::find(place, options.typedFlags.end(), "--set");
        sets.push_back({std::move(edit), place - options.typedFlags.begin()});
        place += place == options.typedFlags.end() ? 0 : 1;
    }
    return sets;
}

/// As it is typed: "--seq 8192", "--layout tp=8".
std::string typedAs(const Edit& edit) {
    const std::vector<Edit> one = {edit};
    return typed(one);
}

/// Of two flags that say a key neither is taken in silence. What --set says replaces what was typed
/// before it, and is replaced by what is typed after it: fixes are typed behind the command that
/// they mend.
struct SaidEdits {
    std::vector<Edit> last;
    std::vector<Edit> replaced{};  ///< flags
};
Result<SaidEdits> lastSaid(std::vector<PlacedEdit> placed) {
    std::vector<PlacedEdit> kept;
    SaidEdits said;
    for (PlacedEdit& one : placed) {
        Edit& later = one.edit;
        const auto isSet = [&later](const Edit& before) {
            return before.origin == "--set" || later.origin == "--set";
        };
        std::erase_if(kept, [&](const PlacedEdit& before) {
            const bool isPart =
                later.origin == "--set" && before.edit.path.starts_with(later.path + ".");
            const bool isOut =
                isPart || (isSet(before.edit) && isReplaced(before.edit.path, later));
            if (isOut && before.edit.origin != "--set") {
                said.replaced.push_back(before.edit);
            }
            return isOut;
        });
        const auto twice = std::ranges::find_if(kept, [&](const PlacedEdit& other) {
            const Edit& before = other.edit;
            const QuestionFlag* const flag = flagOf(later.path);
            return before.path == later.path && before.value != later.value &&
                   (flag == nullptr || !flag->isList);
        });
        if (twice != kept.end()) {
            return fail(Error::Code::BadInput,
                        later.origin,
                        "\"" + later.path + "\" is given twice: " + typedAs(twice->edit) +
                            ", and " + typedAs(later),
                        typedAs(later) + " alone");
        }
        kept.push_back(std::move(one));
    }
    sortByTable(kept);
    for (PlacedEdit& one : kept) {
        said.last.push_back(std::move(one.edit));
    }
    return said;
}

/// All that flags and --set say, in the order typed.
Result<std::vector<PlacedEdit>> editsInOrder(const QuestionArguments& arguments,
                                             const GlobalOptions& options) {
    std::vector<PlacedEdit> placed;
    FABRICAST_TRY(addEdits(arguments, scenarioFlags(), options, placed));
    FABRICAST_TRY(addEdits(arguments, searchFlags(), options, placed));
    FABRICAST_ASSIGN(std::vector<PlacedEdit> sets, setsOf(options));
    std::ranges::move(sets, std::back_inserter(placed));
    for (std::size_t i = 0; i < placed.size(); ++i) {
        placed[i].order = i;
    }
    std::ranges::stable_sort(placed, {}, &PlacedEdit::place);
    return placed;
}

}  // namespace

bool QuestionArguments::says(std::string_view flag) const {
    const auto value = values.find(flag);
    return value != values.end() && value->second.has_value();
}

void addQuestionFlags(const FlagSet& command,
                      QuestionArguments& arguments,
                      std::span<const QuestionFlag> table,
                      const std::vector<std::string_view>& without) {
    for (const QuestionFlag& flag : table) {
        if (std::ranges::find(without, flag.typed) != without.end()) {
            continue;
        }
        if (flag.isList) {
            command.add(flag.names, arguments.lists[flag.typed], flag.description)
                .takes(flag.what, flag.example)
                .oneEach()
                .group(flag.group);
        } else {
            command.add(flag.names, arguments.values[flag.typed], flag.description)
                .takes(flag.what, flag.example)
                .group(flag.group);
        }
    }
}

void addFrameworkFlag(const FlagSet& command, QuestionArguments& arguments) {
    std::vector<std::string> known = frameworksOfFiles();
    known.insert(known.begin(), "auto");
    command
        .addWord("--from",
                 known,
                 [&arguments, known](std::size_t chosen) {
                     arguments.from = chosen == 0 ? "" : known[chosen];
                 })
        .describe("framework of the launch file (default: auto, by its ending and its keys)")
        .takes("NAME", "axolotl")
        .group(scenarioFlags().front().group);
}

void addScenarioArguments(const FlagSet& command,
                          QuestionArguments& arguments,
                          const std::vector<std::string_view>& without) {
    command
        .add("scenario",
             arguments.files,
             "a scenario, the launch files of a run, or - for standard input")
        .takes("[FILE…]");
    addQuestionFlags(command, arguments, scenarioFlags(), without);
    addFrameworkFlag(command, arguments);
}

namespace {

/// A built-in model typed where a file is expected.
bool isModelName(const std::string& word) {
    return !word.empty() && ProfileStore::builtIn().model(word, "-m").has_value();
}

/// A rank of adapters is not asked for in passing: without adapters it would do nothing.
Result<void> checkRankIsUsed(const QuestionArguments& arguments, const Question& question) {
    if (!arguments.says("--lora-rank") || arguments.triesLora) {
        return {};
    }
    const JsonValue* settings = question.root.find("settings");
    const JsonValue* tuning = settings == nullptr ? nullptr : settings->find("tuning");
    if (tuning != nullptr && tuning->text().value_or("") != "full") {
        return {};
    }
    return fail(Error::Code::BadInput,
                "--lora-rank",
                "no adapters are trained: the tuning is full",
                "--tuning lora, or qlora");
}

}  // namespace

Result<std::vector<Edit>> firstSaid(const QuestionArguments& arguments,
                                    const GlobalOptions& options) {
    FABRICAST_ASSIGN(const std::vector<PlacedEdit> placed, editsInOrder(arguments, options));
    std::vector<Edit> edits;
    for (const PlacedEdit& one : placed) {
        const bool isChange = std::ranges::any_of(
            edits, [&one](const Edit& before) { return isReplaced(before.path, one.edit); });
        if (!isChange) {
            edits.push_back(one.edit);
        }
    }
    return edits;
}

std::vector<Edit> optionEdits(const GlobalOptions& options) {
    std::vector<Edit> edits;
    if (!options.directory.empty()) {
        edits.push_back({"", options.directory, "-C"});
    }
    for (const std::string& folder : options.profileFolders) {
        edits.push_back({"", folder, "--profile-dir"});
    }
    return edits;
}

Result<Question> oneQuestionOf(const QuestionArguments& arguments, const GlobalOptions& options) {
    FABRICAST_ASSIGN(std::vector<PlacedEdit> placed, editsInOrder(arguments, options));
    FABRICAST_ASSIGN(SaidEdits said, lastSaid(std::move(placed)));
    Result<Question> read = readQuestion(arguments.files, arguments.from, options.directory);
    const auto model = std::ranges::find_if(arguments.files, &isModelName);
    if (!read && read.error().hint.empty() && model != arguments.files.end()) {
        read.error().hint = "-m " + *model + ", if the model of that name is meant";
    }
    FABRICAST_ASSIGN(Question question, std::move(read));
    FABRICAST_ASSIGN(question, with(std::move(question), said.last));
    question.replaced = std::move(said.replaced);
    FABRICAST_TRY(checkSearch(question));
    FABRICAST_TRY(checkRankIsUsed(arguments, question));
    const std::vector<Edit> typedOptions = optionEdits(options);
    question.edits.insert(question.edits.begin(), typedOptions.begin(), typedOptions.end());
    return readInput(std::move(question));
}

Result<Question> questionOf(const QuestionArguments& arguments, const GlobalOptions& options) {
    FABRICAST_ASSIGN(Question question, oneQuestionOf(arguments, options));
    FABRICAST_TRY(checkInputs(question, options));
    return question;
}

Result<std::vector<Question>> questionsOf(const QuestionArguments& arguments,
                                          const std::vector<std::vector<std::string>>& runs,
                                          const GlobalOptions& options) {
    std::vector<Question> questions;
    QuestionArguments one = arguments;
    do {
        if (!runs.empty()) {
            one.files = runs[questions.size()];
        }
        FABRICAST_ASSIGN(Question question, questionOf(one, options));
        questions.push_back(std::move(question));
    } while (questions.size() < runs.size());
    return questions;
}

Result<Workbench> workbenchOf(const GlobalOptions& options) {
    FABRICAST_ASSIGN(Workbench bench, unreadWorkbenchOf(options));
    FABRICAST_TRY(checkOwnProfiles(bench.profiles(), options.today));
    return bench;
}

Result<Workbench> unreadWorkbenchOf(const GlobalOptions& options) {
    std::vector<std::string> folders;
    for (const std::string& folder : options.profileFolders) {
        folders.push_back(options.at(folder));
    }
    return Workbench::open(folders, static_cast<std::size_t>(options.threads));
}

}  // namespace fabricast
