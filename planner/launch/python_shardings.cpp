#include "planner/launch/python_assignments.h"
#include "planner/launch/python_functions.h"
#include "planner/launch/python_model_keys.h"
#include "planner/launch/python_scopes.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

/// What holds all layers of a model, by its usual names.
constexpr std::array kWholeParts = {
    ""sv, "model"sv, "transformer"sv, "model.model"sv, "base_model"sv, "base_model.model"sv};

/// Reads what the calls of fully_shard are given.
class ShardingReader {
public:
    ShardingReader(const PythonValues& program,
                   const PythonCourse& course,
                   const PythonModels& models)
        : program_(program), words_(program.words()), course_(course), models_(models) {}

    void add(LaunchKeys& keys) const {
        const PythonWord* first = nullptr;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const bool isDead = course_.leavesOut(i);
            if (isDead || !program_.isName(i, "fully_shard") || !program_.isSign(i + 1, "(")) {
                continue;
            }
            if (endsAtFirst(i)) {
                keys.add({.path = kSomeUnits,
                          .values = {},
                          .line = words_[i].line,
                          .column = words_[i].column});
                return;
            }
            if (goesThroughNone(i)) {
                continue;
            }
            if (!isWhole(i)) {
                return;
            }
            first = first == nullptr ? &words_[i] : first;
        }
        if (first != nullptr) {
            keys.add({.path = kWholeUnit,
                      .values = {"true"},
                      .line = first->line,
                      .column = first->column});
        }
    }

private:
    /// "for layer in layers: fully_shard(layer); break".
    [[nodiscard]] bool endsAtFirst(std::size_t call) const {
        const std::size_t line = beginOfLine(program_, call);
        const bool isInBlock = words_[line].column > words_.front().column;
        for (std::size_t i = call + 1; isInBlock && i < words_.size(); ++i) {
            const bool begins =
                words_[i - 1].kind == PythonWord::Kind::End || program_.isSign(i - 1, ";");
            const bool isLine = begins && !program_.isSign(i - 1, ";");
            if (isLine && words_[i].kind != PythonWord::Kind::End &&
                words_[i].column < words_[line].column) {
                return false;
            }
            if (begins && program_.isName(i, "break") &&
                (!isLine || words_[i].column == words_[line].column)) {
                return true;
            }
        }
        return false;
    }

    /// "for layer in layers_of(model):", where that function gives back [].
    [[nodiscard]] bool goesThroughNone(std::size_t call) const {
        const std::vector<PythonFunction> functions = functionsOf(program_);
        return std::ranges::any_of(loopHeadsAround(program_, call), [&](const WordSpan& head) {
            std::size_t in = head.begin;
            while (in < head.end && !program_.isName(in, "in")) {
                ++in;
            }
            return std::ranges::any_of(functions, [&](const PythonFunction& one) {
                const std::size_t body = one.body.begin + 1;
                return program_.isName(in + 1, one.name) && !course_.leavesOut(one.at) &&
                       program_.isName(body, "return") && program_.isSign(body + 1, "[") &&
                       words_[body + 1].close == body + 2;
            });
        });
    }

    /// Whether the call is of a whole model: of one that is followed, or of what is called so.
    [[nodiscard]] bool isWhole(std::size_t call) const {
        const std::vector<WordSpan> items = program_.itemsIn(call + 1);
        if (items.empty()) {
            return false;
        }
        const std::size_t begin =
            items.front().begin + (program_.isSign(items.front().begin + 1, "=") ? 2U : 0U);
        const std::string name = program_.textOf({begin, items.front().end});
        const auto binds = [&](const WordSpan& head) {
            return !models_.listed.contains(head.begin) &&
                   bindsName(program_, head, words_[begin].text);
        };
        if (std::ranges::any_of(loopHeadsAround(program_, call), binds)) {
            return false;
        }
        bool isFollowed = false;
        for (const ShardedModule& one : models_.sharded) {
            if (one.at == call && std::ranges::find(kWholeParts, one.part) == kWholeParts.end()) {
                return false;
            }
            isFollowed = isFollowed || one.at == call;
        }
        const std::size_t dot = name.rfind('.');
        return isFollowed || name.substr(dot + 1).find("model") != std::string::npos;
    }

    const PythonValues& program_;
    const std::vector<PythonWord>& words_;
    const PythonCourse& course_;
    const PythonModels& models_;
};

}  // namespace

void addWholeUnit(const PythonValues& program,
                  const PythonCourse& course,
                  const PythonModels& models,
                  LaunchKeys& keys) {
    ShardingReader(program, course, models).add(keys);
}

}  // namespace fabricast
