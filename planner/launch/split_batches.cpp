#include "planner/launch/python_scopes.h"
#include "planner/launch/sample_sizes.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace fabricast {
namespace {

/// Finds loops over the parts of a batch, each with a backward pass of its own.
class SplitReader {
public:
    explicit SplitReader(const PythonValues& program) : program_(program) {}

    /// How many samples a part has that a word begins to say; nothing where it does not.
    [[nodiscard]] std::optional<WordSpan> partAt(std::size_t at) const {
        if (program_.isName(at, "split") && program_.isSign(at + 1, "(")) {
            return isLoopedOver(at) ? sizeOfCall(at) : std::nullopt;
        }
        const std::optional<WordSpan> piece = sliceAt(at);
        return piece && runsBackward(at, program_.words()[at + 1].text) ? piece : std::nullopt;
    }

private:
    /// Of "x.split(2)" and "torch.split(x, 2)", along the samples.
    [[nodiscard]] std::optional<WordSpan> sizeOfCall(std::size_t at) const {
        const std::vector<WordSpan> items = program_.itemsIn(at + 1);
        const bool isTorchs = at >= 2 && program_.isName(at - 2, "torch");
        const std::size_t place = isTorchs ? 1 : 0;
        if (place >= items.size() ||
            program_.words()[items[place].begin].kind == PythonWord::Kind::Text) {
            return std::nullopt;
        }
        const bool isAlong =
            items.size() == place + 1 || program_.words()[items[place + 1].end - 1].text == "0";
        return isAlong ? items[place] : WordSpan{at, at + 1};  // of no number
    }

    /// "2" of "[j : j + 2]", and of "[j * 2 : (j + 1) * 2]".
    [[nodiscard]] std::optional<WordSpan> sliceAt(std::size_t at) const {
        const std::vector<PythonWord>& words = program_.words();
        if (!program_.isSign(at, "[") || !program_.isName(at + 1)) {
            return std::nullopt;
        }
        const std::size_t close = words[at].close;
        const std::string& name = words[at + 1].text;
        if (program_.isSign(at + 2, ":") && program_.isName(at + 3, name) &&
            program_.isSign(at + 4, "+") && close > at + 5) {
            return WordSpan{at + 5, close};
        }
        const bool isProduct = program_.isSign(at + 2, "*") && program_.isSign(at + 4, ":") &&
                               program_.isSign(at + 5, "(") && program_.isName(at + 6, name) &&
                               program_.isSign(at + 7, "+") && program_.isSign(at + 10, "*") &&
                               close == at + 12 && words[at + 3].text == words[at + 11].text;
        return isProduct ? std::optional(WordSpan{at + 3, at + 4}) : std::nullopt;
    }

    [[nodiscard]] bool endsAt(std::size_t at) const {
        return at >= program_.words().size() || program_.words()[at].kind == PythonWord::Kind::End;
    }

    [[nodiscard]] std::size_t lineOf(std::size_t at) const {
        while (at > 0 && !endsAt(at - 1)) {
            --at;
        }
        return at;
    }

    /// Of "for part in x.split(2):", and of a name that is given it and looped over.
    [[nodiscard]] bool isLoopedOver(std::size_t at) const {
        const std::size_t line = lineOf(at);
        if (program_.isName(line, "for")) {
            return blockRunsBackward(line);
        }
        const bool isGiven = program_.isName(line) && program_.isSign(line + 1, "=");
        for (std::size_t i = at; isGiven && i < program_.words().size(); ++i) {
            const bool begins = program_.isName(i, "for") && endsAt(i - 1);
            for (std::size_t j = i; begins && !endsAt(j) && !program_.isSign(j, ":"); ++j) {
                if (program_.isName(j, program_.words()[line].text) && blockRunsBackward(i)) {
                    return true;
                }
            }
        }
        return false;
    }

    /// Of the loop around that gives this name its values.
    [[nodiscard]] bool runsBackward(std::size_t at, const std::string& name) const {
        return std::ranges::any_of(loopHeadsAround(program_, at), [&](const WordSpan& head) {
            return bindsName(program_, head, name) && blockRunsBackward(head.begin - 1);
        });
    }

    /// Whether a backward pass stands in the loop that begins with this word.
    [[nodiscard]] bool blockRunsBackward(std::size_t loop) const {
        const std::vector<PythonWord>& words = program_.words();
        for (std::size_t i = loop + 1; i < words.size(); ++i) {
            const bool isBehind =
                endsAt(i - 1) && !endsAt(i) && words[i].column <= words[loop].column;
            if (isBehind) {
                return false;
            }
            if (program_.isName(i, "backward") && program_.isSign(i + 1, "(")) {
                return true;
            }
        }
        return false;
    }

    const PythonValues& program_;
};

}  // namespace

void addSplitBatch(const PythonValues& program, const PythonCourse& course, LaunchKeys& keys) {
    const SplitReader reader(program);
    for (std::size_t i = 0; i < program.words().size(); ++i) {
        const auto part = course.leavesOut(i) ? std::nullopt : reader.partAt(i);
        if (part) {
            const PythonWord& word = program.words()[part->begin];
            keys.add({.path = kSplitBatch,
                      .values = program.valuesOf(*part),
                      .line = word.line,
                      .column = word.column});
            return;
        }
    }
}

std::int64_t importSplitBatch(ScenarioDraft& draft) {
    const LaunchKey* const part = draft.keys().use(kSplitBatch);
    const JsonValue* const micro = draft.find("layout.micro_batch");
    const std::int64_t whole = micro == nullptr ? 0 : micro->integer({}).value_or(0);
    if (part == nullptr || whole == 0) {
        return 1;
    }
    const std::string text = part->values.size() == 1 ? part->values.front() : "";
    constexpr std::size_t kMostPartDigits = 8;
    const bool isNumber = !text.empty() && text.size() <= kMostPartDigits &&
                          text.find_first_not_of("0123456789") == std::string::npos;
    const std::int64_t samples = isNumber ? std::stoll(text) : 0;
    if (samples >= whole) {
        return 1;
    }
    if (samples == 0 || whole % samples != 0) {
        draft.leaveOpen("layout.micro_batch",
                        *part,
                        "the loop splits its batch of " + std::to_string(whole) +
                            " samples, and how many samples a part has was not read",
                        "--layout micro_batch=1, or as many as a part has, and --global-batch");
        return 1;
    }
    draft.set("layout.micro_batch", samples, kSplitBatch);
    return whole / samples;
}

}  // namespace fabricast
