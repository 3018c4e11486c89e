#include "planner/launch/python_passes.h"

#include "planner/base/checked.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

namespace fabricast {
namespace {

using namespace std::string_view_literals;
using BlockKind = PythonBlock::Kind;

/// More calls than a program has between two backward passes.
constexpr std::int64_t kMostCalls = 1'000'000;

/// Of "range(4)"; 0 of what is not known.
std::int64_t timesOf(const PythonValues& program, const WordSpan& head) {
    constexpr std::size_t kMostTimesDigits = 6;
    for (std::size_t i = head.begin; i + 1 < head.end; ++i) {
        const bool isRange = program.words()[i].text == "range" && program.isSign(i + 1, "(") &&
                             program.words()[i + 1].close + 1 == head.end;
        if (!isRange) {
            continue;
        }
        const std::vector<WordSpan> items = program.itemsIn(i + 1);
        const std::vector<std::string> values =
            items.size() == 1 ? program.valuesOf(items.front()) : std::vector<std::string>();
        const bool isNumber = values.size() == 1 && !values.front().empty() &&
                              values.front().size() <= kMostTimesDigits &&
                              values.front().find_first_not_of("0123456789") == std::string::npos;
        return isNumber ? std::stoll(values.front()) : 0;
    }
    return 0;
}

bool isSame(const PythonBlock& one, const PythonBlock& other) {
    return one.at == other.at;
}

class GraphCounter {
public:
    GraphCounter(const PythonValues& program,
                 const std::vector<ModelPass>& passes,
                 std::size_t model)
        : program_(program), passes_(passes), model_(model) {}

    [[nodiscard]] KeptGraphs most() const {
        KeptGraphs most;
        std::vector<const ModelPass*> since;
        for (const ModelPass& pass : passes_) {
            if (!pass.isBackward) {
                if (pass.model == model_ && keepsGraph(pass)) {
                    since.push_back(&pass);
                }
                continue;
            }
            const KeptGraphs found = keptBy(pass, since);
            const bool isMore = found.count == 0 || (most.count != 0 && found.count > most.count);
            most = isMore ? found : most;
            since.clear();
        }
        return most;
    }

private:
    using Passes = std::vector<const ModelPass*>;

    static bool keepsGraph(const ModelPass& pass) {
        return std::ranges::none_of(pass.within, [](const PythonBlock& one) {
            return one.kind == BlockKind::WithoutGradients;
        });
    }

    /// The innermost loop around it, as a count of the blocks that it stands in.
    static std::size_t loopDepth(const ModelPass& pass) {
        for (std::size_t i = pass.within.size(); i > 0; --i) {
            if (pass.within[i - 1].kind == BlockKind::Loop) {
                return i;
            }
        }
        return 0;
    }

    [[nodiscard]] KeptGraphs keptBy(const ModelPass& backward, const Passes& since) const {
        const std::size_t depth = loopDepth(backward);
        Passes kept;
        for (const ModelPass* const one : since) {
            const bool isInside =
                one->within.size() >= depth &&
                (depth == 0 || isSame(one->within[depth - 1], backward.within[depth - 1]));
            if (isInside) {
                kept.push_back(one);
            }
        }
        if (kept.empty()) {
            return {};
        }
        const bool isLater = isOnceInMany(backward, depth, *kept.front());
        return {kept.back()->at, isLater ? 0 : countOf(kept, depth)};
    }

    /// Of "if (i + 1) % steps == 0: total.backward()", where others do not take it.
    [[nodiscard]] bool isOnceInMany(const ModelPass& backward,
                                    std::size_t depth,
                                    const ModelPass& forward) const {
        for (std::size_t i = depth; i < backward.within.size(); ++i) {
            const PythonBlock& block = backward.within[i];
            const bool isShared = i < forward.within.size() && isSame(forward.within[i], block);
            const bool counts = block.kind == BlockKind::Arm && has(block.head, "%");
            if (counts && !isShared && !isTakenByOther(block)) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] bool has(const WordSpan& span, std::string_view sign) const {
        for (std::size_t i = span.begin; i < span.end; ++i) {
            if (program_.isSign(i, sign)) {
                return true;
            }
        }
        return false;
    }

    /// Whether an "else" of that "if" runs a backward pass, too.
    [[nodiscard]] bool isTakenByOther(const PythonBlock& arm) const {
        return std::ranges::any_of(passes_, [&arm](const ModelPass& pass) {
            return pass.isBackward &&
                   std::ranges::any_of(pass.within, [&arm](const PythonBlock& block) {
                       return block.chain == arm.chain && block.at != arm.at;
                   });
        });
    }

    /// Of calls in blocks that are the same up to `depth`: the sum of what follows each other, the
    /// most of what excludes each other; 0 where a loop runs an unknown number of times.
    // NOLINTNEXTLINE(misc-no-recursion): one block deeper
    [[nodiscard]] std::int64_t countOf(const Passes& calls, std::size_t depth) const {
        std::int64_t sum = 0;
        std::map<std::size_t, std::map<std::size_t, Passes>> chains;
        for (const ModelPass* const one : calls) {
            if (one->within.size() == depth) {
                ++sum;
            } else {
                const PythonBlock& block = one->within[depth];
                chains[block.chain][block.at].push_back(one);
            }
        }
        for (const auto& [chain, arms] : chains) {
            std::int64_t most = 0;
            for (const auto& [at, inside] : arms) {
                const PythonBlock& block = inside.front()->within[depth];
                const std::int64_t times =
                    block.kind == BlockKind::Loop ? timesOf(program_, block.head) : 1;
                const std::int64_t count = saturatingProduct(times, countOf(inside, depth + 1));
                if (count == 0) {
                    return 0;
                }
                most = std::max(most, count);
            }
            sum += std::min(most, kMostCalls);
        }
        return sum;
    }

    const PythonValues& program_;
    const std::vector<ModelPass>& passes_;
    std::size_t model_;
};

}  // namespace

bool saysWithoutGradients(const PythonValues& program, const WordSpan& words) {
    for (std::size_t i = words.begin; i < words.end; ++i) {
        const std::string& word = program.words()[i].text;
        const bool isOff = word == "set_grad_enabled" && i + 2 < words.end &&
                           program.words()[i + 2].text == "False";
        if (program.isName(i) && (word == "no_grad" || word == "inference_mode" || isOff)) {
            return true;
        }
    }
    return false;
}

bool continuesBlock(std::string_view word) {
    constexpr std::array kContinues = {"elif"sv, "else"sv, "except"sv};
    return std::ranges::find(kContinues, word) != kContinues.end();
}

PythonBlock blockAt(const PythonValues& program, std::size_t at, const WordSpan& head) {
    constexpr std::array kLoops = {"for"sv, "while"sv};
    constexpr std::array kArms = {"if"sv, "elif"sv, "else"sv, "try"sv, "except"sv};
    const std::string& word = program.words()[at].text;
    const auto isIn = [&word](const auto& list) {
        return std::ranges::find(list, word) != list.end();
    };
    const BlockKind kind = isIn(kLoops)  ? BlockKind::Loop
                           : isIn(kArms) ? BlockKind::Arm
                           : word == "with" && saysWithoutGradients(program, head)
                               ? BlockKind::WithoutGradients
                               : BlockKind::Plain;
    return {kind, at, at, head, program.words()[at].column};
}

KeptGraphs keptGraphs(const PythonValues& program,
                      const std::vector<ModelPass>& passes,
                      std::size_t model) {
    return GraphCounter(program, passes, model).most();
}

}  // namespace fabricast
