#include "study/compare.h"

#include "study/idle_settings.h"
#include "study/input_effects.h"
#include "study/own_measurements.h"
#include "study/question_flags.h"
#include "study/typed_edits.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::size_t kMostSides = 8;

std::string letterOf(std::size_t side) {
    return {static_cast<char>('A' + side)};
}

/// A batch that followed from the layout of the first side stays what it was, unless it is stated.
Result<Question> changedBy(const Question& first,
                           const ComparedSide& answer,
                           const ChangedSide& change) {
    std::vector<Edit> edits;
    if (!says(first, "workload.global_batch")) {
        edits = heldBatch(first, answer.scenario.workload.globalBatch);
    }
    edits.insert(edits.end(), change.edits.begin(), change.edits.end());
    return with(first, edits);
}

/// The key that an error is about: "layout.shard" of "layout.shard: megatron does not …", and
/// "cluster.gpus" of "--gpus: 36 GPUs are not …".
std::string keyIn(const Error& error) {
    const QuestionFlag* const flag = flagTyped(error.where);
    if (flag != nullptr && flag->replaces.empty() && flag->path.starts_with("cluster.")) {
        return std::string(flag->path);
    }
    for (const std::string& text : {error.where, error.why}) {
        for (const std::string_view part : {"layout.", "settings.", "workload."}) {
            if (text.starts_with(part)) {
                return text.substr(0, text.find(':'));
            }
        }
    }
    return {};
}

/// Of which side it is. What was typed for the first one may be nothing to another stack.
Error ofSide(Error error, const ChangedSide& change) {
    if (error.code == Error::Code::Stopped) {
        return error;
    }
    const std::string key = keyIn(error);
    error.where = "A with " + change.name + (error.where.empty() ? "" : ": " + error.where);
    if (!key.empty()) {
        error.hint += (error.hint.empty() ? "" : "; for this side alone ") +
                      std::string("--with \"") + change.name + " " + key + "=…\"";
    }
    return error;
}

/// The sides, and the question of each.
struct AskedSides {
    std::vector<ComparedSide> sides;
    std::vector<Question> questions;
};

Result<AskedSides> sidesOf(std::span<const Question> questions,
                           const CompareAsk& ask,
                           const Workbench& bench,
                           const Watch& watch) {
    const std::size_t count = questions.size() + ask.changes.size();
    if (count < 2 || count > kMostSides) {
        return fail(Error::Code::BadInput,
                    "compare",
                    count < 2 ? "only one side given"
                              : "more than " + std::to_string(kMostSides) + " sides",
                    "two scenario files, --stack fsdp2,megatron, -c dgx-h100,dgx-h200, or --with "
                    "layout.recompute=full");
    }
    AskedSides asked;
    std::vector<ComparedSide>& sides = asked.sides;
    const auto add = [&](const Question& question, std::string source) -> Result<void> {
        FABRICAST_TRY(watch.check());
        FABRICAST_ASSIGN(ComparedSide side,
                         answeredSide(question, bench, letterOf(sides.size()), std::move(source)));
        FABRICAST_ASSIGN(const std::vector<std::string> idle,
                         idleSettingsNote({&question, 1}, bench, watch));
        addNotes(idle, side.assumed);
        sides.push_back(std::move(side));
        asked.questions.push_back(question);
        return {};
    };
    for (const Question& question : questions) {
        FABRICAST_TRY(add(question, question.file.empty() ? "as typed" : question.file));
    }
    for (const ChangedSide& change : ask.changes) {
        const Result<Question> changed = changedBy(questions.front(), sides.front(), change);
        const Result<void> added =
            changed ? add(*changed, "A with " + change.name) : tl::unexpected(changed.error());
        if (!added) {
            return tl::unexpected(ofSide(added.error(), change));
        }
    }
    return asked;
}

Result<std::size_t> baselineOf(const std::string& typed, const std::vector<ComparedSide>& sides) {
    for (std::size_t place = 0; place < sides.size(); ++place) {
        if (sides[place].name == typed || sides[place].source == typed) {
            return place;
        }
    }
    return fail(Error::Code::BadInput,
                "--baseline",
                "unknown side \"" + typed + "\"",
                "A to " + sides.back().name + ", in the order given");
}

}  // namespace

Result<ChangedSide> changedSide(const std::string& typed, const std::string& origin) {
    FABRICAST_ASSIGN(std::vector<Edit> edits, typedEdits(typed, origin));
    for (Edit& edit : edits) {
        // A side differs in what is said of it alone: "-c" is its key, and starts no new cluster.
        const QuestionFlag* const flag = flagTyped(edit.origin);
        if (flag != nullptr && !flag->replaces.empty()) {
            edit.origin = origin;
        }
    }
    return ChangedSide{.name = typed, .edits = std::move(edits)};
}

Result<Comparison> compare(std::span<const Question> questions,
                           const CompareAsk& ask,
                           const Workbench& bench,
                           const Watch& watch) {
    FABRICAST_ASSIGN(AskedSides asked, sidesOf(questions, ask, bench, watch));
    FABRICAST_ASSIGN(const std::size_t baseline, baselineOf(ask.baseline, asked.sides));
    Comparison comparison = compareSides(std::move(asked.sides), baseline);
    FABRICAST_TRY(markEffects(asked.questions, bench, watch, comparison));
    return comparison;
}

Result<std::vector<std::string>> sidesOfValues(const std::string& flag, const std::string& typed) {
    const std::size_t comma = typed.find(',');
    std::vector<std::string> sides;
    std::set<std::string> seen = {typed.substr(0, comma)};
    for (std::size_t at = comma; at < typed.size();) {
        const std::size_t end = std::min(typed.find(',', at + 1), typed.size());
        const std::string value = typed.substr(at + 1, end - at - 1);
        if (value.empty() || !seen.insert(value).second) {
            return fail(Error::Code::BadInput,
                        flag,
                        value.empty() ? "a value is missing beside a comma in \"" + typed + "\""
                                      : "\"" + value + "\" is there twice: a side each",
                        "different values, with one comma between two");
        }
        sides.push_back(flag + " " + value);
        at = end;
    }
    return sides;
}

}  // namespace fabricast
