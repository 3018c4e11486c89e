#include "planner/launch/python_functions.h"
#include "planner/launch/python_scopes.h"
#include "planner/launch/sample_sizes.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {
namespace {

/// "steps" of "range(steps)" and of "% steps".
std::optional<WordSpan> countAt(const PythonValues& program, std::size_t at) {
    if (program.isName(at, "range") && program.isSign(at + 1, "(")) {
        const std::vector<WordSpan> items = program.itemsIn(at + 1);
        return items.size() == 1 ? std::optional(items.front()) : std::nullopt;
    }
    return program.isSign(at, "%") && program.isName(at + 1)
               ? std::optional(WordSpan{at + 1, program.endOfName(at + 1)})
               : std::nullopt;
}

bool isSameText(const PythonValues& program, const WordSpan& span, std::size_t at) {
    for (std::size_t i = span.begin; i < span.end; ++i, ++at) {
        if (at >= program.words().size() || program.words()[i].text != program.words()[at].text) {
            return false;
        }
    }
    return true;
}

/// Whether a value that is called a loss is divided by it: "loss / steps", "out.loss / steps".
bool dividesLoss(const PythonValues& program, const PythonCourse& course, const WordSpan& count) {
    for (std::size_t i = 1; i + 1 < program.words().size(); ++i) {
        const bool divides = program.isSign(i, "/") || program.isSign(i, "/=");
        const bool isLoss =
            program.isName(i - 1) && program.words()[i - 1].text.find("loss") != std::string::npos;
        if (divides && isLoss && !course.leavesOut(i) && isSameText(program, count, i + 1)) {
            return true;
        }
    }
    return false;
}

bool runsBackwardIn(const PythonValues& program, const WordSpan& block) {
    for (std::size_t i = block.begin; i < block.end; ++i) {
        if (program.isName(i, "backward") && program.isSign(i + 1, "(")) {
            return true;
        }
    }
    return false;
}

/// Whether these statements step an optimizer.
bool stepsOptimizer(const PythonValues& program, const WordSpan& body) {
    for (std::size_t i = body.begin + 2; i < body.end; ++i) {
        const std::string& object = program.words()[i - 2].text;
        if (program.isName(i, "step") && program.isSign(i - 1, ".") && program.isSign(i + 1, "(") &&
            (object.find("opt") != std::string::npos || object == "scaler")) {
            return true;
        }
    }
    return false;
}

/// Whether the losses of a loop are summed for one backward pass behind it: its calls are one
/// microbatch, and no accumulation.
bool sumsForOnePass(const PythonValues& program, std::size_t at) {
    std::size_t loop = at;
    while (loop > 0 && program.words()[loop - 1].kind != PythonWord::Kind::End) {
        --loop;
    }
    const std::int64_t column = program.words()[loop].column;
    const std::size_t end = endOfBody(program, loop + 1, column);
    return program.isName(loop, "for") && !runsBackwardIn(program, {loop, end}) &&
           runsBackwardIn(program, {end, endOfBody(program, end, column - 1)});
}

/// "8" of "if (i + 1) % 8 == 0:" around what steps an optimizer.
std::optional<WordSpan> stepCount(const PythonValues& program, const PythonBranch& branch) {
    for (std::size_t i = branch.condition.begin; i < branch.condition.end; ++i) {
        if (!program.isSign(i, "%")) {
            continue;
        }
        const bool isNumber =
            i + 1 < branch.condition.end && program.words()[i + 1].kind == PythonWord::Kind::Number;
        const std::size_t end = isNumber ? i + 2 : program.endOfName(i + 1);
        if ((isNumber || program.isName(i + 1)) && program.isSign(end, "==") &&
            stepsOptimizer(program, branch.taken)) {
            return WordSpan{i + 1, end};
        }
    }
    return std::nullopt;
}

/// Counts of a loop whose loss is divided by them, and of steps between an optimizer's.
std::vector<WordSpan> accumulationCounts(const PythonValues& program, const PythonCourse& course) {
    std::vector<WordSpan> counts;
    for (std::size_t i = 0; i < program.words().size(); ++i) {
        const auto count = course.leavesOut(i) ? std::nullopt : countAt(program, i);
        if (count && dividesLoss(program, course, *count) && !sumsForOnePass(program, i)) {
            counts.push_back(*count);
        }
    }
    for (const PythonBranch& branch : branchesOf(program)) {
        const auto count = stepCount(program, branch);
        if (count && !course.leavesOut(count->begin)) {
            counts.push_back(*count);
        }
    }
    return counts;
}

/// "for part in ids.chunk(4):" around a backward pass.
void addDividedBatch(const PythonValues& program, const PythonCourse& course, LaunchKeys& keys) {
    for (std::size_t i = 0; i < program.words().size(); ++i) {
        if (!program.isName(i, "backward") || !program.isSign(i + 1, "(") || course.leavesOut(i)) {
            continue;
        }
        for (const WordSpan& head : loopHeadsAround(program, i)) {
            for (std::size_t k = head.begin; k < head.end; ++k) {
                if (program.isName(k, "chunk") && program.isSign(k + 1, "(")) {
                    const PythonWord& word = program.words()[k];
                    keys.add({.path = kDividedBatch,
                              .values = {word.text},
                              .line = word.line,
                              .column = word.column});
                    return;
                }
            }
        }
    }
}

}  // namespace

void addAccumulation(const PythonValues& program, const PythonCourse& course, LaunchKeys& keys) {
    addDividedBatch(program, course, keys);
    std::optional<LaunchKey> unknown;
    for (const WordSpan& count : accumulationCounts(program, course)) {
        const std::vector<std::string> values = program.valuesOf(count);
        const bool isNumber = values.size() == 1 && !values.front().empty() &&
                              values.front().find_first_not_of("0123456789") == std::string::npos;
        const PythonWord& word = program.words()[count.begin];
        LaunchKey key{
            .path = kLoopAccumulation, .values = values, .line = word.line, .column = word.column};
        if (isNumber) {
            keys.add(std::move(key));
            return;
        }
        unknown = unknown ? std::move(unknown) : std::optional(std::move(key));
    }
    if (unknown) {
        unknown->path = kUnknownAccumulation;
        keys.add(*std::move(unknown));
    }
}

}  // namespace fabricast
