#include "planner/launch/python_functions.h"
#include "planner/launch/python_model_keys.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

/// What a function, or what it gives back, is called where it loads a model.
constexpr std::array kModelWords = {
    "model"sv, "teacher"sv, "judge"sv, "reward"sv, "critic"sv, "draft"sv, "llm"sv, "reference"sv};
/// What is called so and is none.
constexpr std::array kOtherWords = {
    "token"sv, "processor"sv, "data"sv, "config"sv, "metric"sv, "download"sv, "login"sv, "path"sv};
/// Packages whose functions are read, or load no model.
constexpr std::array kKnownPackages = {"transformers"sv,
                                       "torch"sv,
                                       "trl"sv,
                                       "peft"sv,
                                       "accelerate"sv,
                                       "datasets"sv,
                                       "huggingface_hub"sv,
                                       "evaluate"sv,
                                       "deepspeed"sv,
                                       "unsloth"sv,
                                       "bitsandbytes"sv,
                                       "os"sv,
                                       "pathlib"sv};

template <class List>
bool hasWordOf(std::string text, const List& list) {
    std::ranges::transform(text, text.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return std::ranges::any_of(
        list, [&text](std::string_view word) { return text.find(word) != std::string::npos; });
}

class UnreadModelReader {
public:
    UnreadModelReader(const PythonValues& program,
                      const PythonCourse& course,
                      const PythonModels& models)
        : program_(program), words_(program.words()), course_(course), models_(models) {
        readImports();
    }

    void add(LaunchKeys& keys) {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const bool isDead = course_.leavesOut(i);
            if (!isDead && program_.isName(i) && program_.isSign(i + 1, "(") && isByOthers(i)) {
                const PythonWord& word = words_[i];
                keys.add({.path = kUnreadModel,
                          .values = {word.text, hubName(i + 1)},
                          .line = word.line,
                          .column = word.column});
            }
        }
    }

private:
    /// Functions of packages that are not known, by the names that the program has for them.
    void readImports() {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const bool begins = i == 0 || words_[i - 1].kind == PythonWord::Kind::End;
            if (!begins || !program_.isName(i, "from")) {
                continue;
            }
            const std::size_t package = program_.isSign(i + 1, ".") ? words_.size() : i + 1;
            const bool isKnown =
                package < words_.size() &&
                std::ranges::find(kKnownPackages, words_[package].text) != kKnownPackages.end();
            bool isBehind = false;
            for (std::size_t at = i; at < words_.size() && !isKnown; ++at) {
                if (words_[at].kind == PythonWord::Kind::End) {
                    break;
                }
                if (isBehind && program_.isName(at)) {
                    imported_.insert(words_[at].text);
                }
                isBehind = isBehind || program_.isName(at, "import");
            }
        }
    }

    /// "judge = load(\"a/b\")" of a function that is imported, and whose model is not the one that
    /// is trained.
    [[nodiscard]] bool isByOthers(std::size_t at) const {
        const std::string& name = words_[at].text;
        const bool isMethod = at > 0 && program_.isSign(at - 1, ".");
        if (isMethod || !imported_.contains(name) || hubName(at + 1).empty() ||
            hasWordOf(name, kOtherWords)) {
            return false;
        }
        std::string target;
        const bool isGiven = at >= 2 && program_.isSign(at - 1, "=") && program_.isName(at - 2);
        if (isGiven) {
            target = words_[at - 2].text;
        }
        return (hasWordOf(name, kModelWords) || hasWordOf(target, kModelWords)) &&
               !hasWordOf(target, kOtherWords) && target != "model" && isFollowed();
    }

    /// Whether the trained model is another one, which is read.
    [[nodiscard]] bool isFollowed() const { return models_.trained.has_value(); }

    /// "a/b" of its first argument; empty where that is none.
    [[nodiscard]] std::string hubName(std::size_t bracket) const {
        const std::vector<WordSpan> items = program_.itemsIn(bracket);
        if (items.empty()) {
            return "";
        }
        const bool isKeyword = program_.isSign(items.front().begin + 1, "=");
        const std::vector<std::string> values =
            program_.valuesOf({items.front().begin + (isKeyword ? 2U : 0U), items.front().end});
        const std::string name = values.size() == 1 ? values.front() : "";
        const std::size_t slash = name.find('/');
        const bool isHubs = slash != std::string::npos && slash > 0 && slash + 1 < name.size() &&
                            name.find('/', slash + 1) == std::string::npos &&
                            name.find_first_of("$(. ") > slash;
        return isHubs ? name : "";
    }

    const PythonValues& program_;
    const std::vector<PythonWord>& words_;
    const PythonCourse& course_;
    const PythonModels& models_;
    std::set<std::string> imported_;
};

}  // namespace

void addUnreadModels(const PythonValues& program,
                     const PythonCourse& course,
                     const PythonModels& models,
                     LaunchKeys& keys) {
    UnreadModelReader(program, course, models).add(keys);
}

}  // namespace fabricast
