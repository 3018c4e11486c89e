#include "planner/launch/own_loss.h"
#include "planner/launch/python_functions.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

/// Functions of the program in each other.
constexpr std::size_t kMostLossLevels = 4;

/// What is given logits and gives back less than their size.
constexpr std::array kSmall = {
    "size"sv, "item"sv, "len"sv, "isinstance"sv, "argmax"sv, "numel"sv, "dim"sv, "print"sv};
constexpr std::array kSmallMembers = {"shape"sv, "device"sv, "dtype"sv, "ndim"sv, "loss"sv};

template <class List>
bool isListed(const List& list, std::string_view name) {
    return std::ranges::find(list, name) != list.end();
}

bool namesLogits(const PythonWord& word) {
    return word.text.find("logits") != std::string::npos;
}

/// Goes through what a loop makes of logits, statement by statement, as OwnLossReader does of a
/// compute_loss.
class LoopLossReader {
public:
    LoopLossReader(const PythonValues& program,
                   const PythonCourse& course,
                   const PythonModels& models)
        : program_(program),
          words_(program.words()),
          course_(course),
          models_(models),
          functions_(functionsOf(program)) {
        for (std::size_t i = 0; i + 2 < words_.size(); ++i) {
            if (program_.isName(i) && isSign(i + 1, "=") && program_.isName(i + 2) &&
                words_[program_.endOfName(i + 2) - 1].text == "CrossEntropyLoss") {
                lossNames_.insert(words_[i].text);
            }
        }
    }

    void add(LaunchKeys& keys) {
        std::map<std::size_t, std::size_t> losses;  // by what was read
        for (const ModelPass& pass : models_.passes) {
            for (const WordSpan& span : isTrained(pass) ? spansOf(pass) : std::vector<WordSpan>()) {
                const auto [found, isNew] = losses.emplace(span.begin, 0);
                found->second = isNew ? lossesIn(span) : found->second;
                if (found->second > 0 && isGivenLabels(pass, span)) {
                    more_ = more_ ? more_ : at_;
                }
            }
        }
        if (const auto at = more_ ? more_ : at_) {
            keys.add({.path = kOwnLoss,
                      .values = {"the loop's loss", more_ ? "more" : ""},
                      .line = words_[*at].line,
                      .column = words_[*at].column});
        }
    }

private:
    [[nodiscard]] bool isSign(std::size_t at, std::string_view sign) const {
        return program_.isSign(at, sign);
    }
    [[nodiscard]] bool isEnd(std::size_t at) const {
        return at >= words_.size() || words_[at].kind == PythonWord::Kind::End;
    }
    [[nodiscard]] bool isDead(std::size_t at) const { return course_.leavesOut(at); }
    [[nodiscard]] std::size_t behind(std::size_t at) const {
        return program_.isOpening(at) ? words_[at].close + 1 : at + 1;
    }

    /// A forward of the trained model that a backward pass follows.
    [[nodiscard]] bool isTrained(const ModelPass& pass) const {
        return !pass.isBackward && pass.model == *models_.trained &&
               std::ranges::none_of(pass.within, [](const PythonBlock& block) {
                   return block.kind == PythonBlock::Kind::WithoutGradients;
               });
    }

    /// The loop that a backward pass stands in too, and the function that the forward is in.
    [[nodiscard]] std::vector<WordSpan> spansOf(const ModelPass& pass) const {
        std::vector<WordSpan> spans;
        const auto loop =
            std::find_if(pass.within.rbegin(), pass.within.rend(), [this](const auto& block) {
                return block.kind == PythonBlock::Kind::Loop && trainsIn(block);
            });
        if (loop != pass.within.rend()) {
            spans.push_back(bodyOf(*loop));
        }
        const bool isInLoop = !spans.empty() && has(spans.front(), pass.at);
        const PythonFunction* around = nullptr;
        for (const PythonFunction& one : functions_) {
            around = !one.isClass && has(one.body, pass.at) ? &one : around;
        }
        if (!isInLoop && around != nullptr) {
            spans.push_back(around->body);
        }
        return spans;
    }

    static bool has(const WordSpan& span, std::size_t at) {
        return at >= span.begin && at < span.end;
    }

    [[nodiscard]] bool trainsIn(const PythonBlock& loop) const {
        return std::ranges::any_of(models_.passes, [&loop](const ModelPass& pass) {
            return pass.isBackward &&
                   std::ranges::find(pass.within, loop.at, &PythonBlock::at) != pass.within.end();
        });
    }

    [[nodiscard]] WordSpan bodyOf(const PythonBlock& block) const {
        const std::size_t begin = std::min(block.head.end + 1, words_.size());
        return {begin, endOfBody(program_, begin, block.column)};
    }

    /// "labels=…", or a batch that has them: the model has a loss of its own then.
    [[nodiscard]] bool isGivenLabels(const ModelPass& pass, const WordSpan& span) const {
        std::size_t bracket = pass.at;
        while (bracket < pass.end && !isSign(bracket, "(")) {
            ++bracket;
        }
        if (bracket >= pass.end) {
            return false;
        }
        bool hasBatch = false;
        for (const WordSpan& item : program_.itemsIn(bracket)) {
            if (program_.isName(item.begin, "labels") && isSign(item.begin + 1, "=")) {
                return !program_.isName(item.begin + 2, "None");
            }
            hasBatch = hasBatch || isSign(item.begin, "**");
        }
        bool hasLabels = false;
        for (std::size_t i = span.begin; i < span.end && hasBatch; ++i) {
            const bool isText = words_[i].kind == PythonWord::Kind::Text;
            const bool isLabels = isText && words_[i].text == "labels";
            if (isLabels && i > 1 && program_.isName(i - 2, "pop")) {
                return false;
            }
            hasLabels = hasLabels || isLabels;
        }
        return hasLabels;
    }

    /// Behind what is no part of the training: functions that others call, evaluations, and blocks
    /// without gradients but for another model's forward. `at` of other lines.
    [[nodiscard]] std::size_t behindOthers(std::size_t at) const {
        constexpr std::array kBlocks = {"def"sv, "class"sv, "for"sv, "while"sv, "with"sv};
        if (!program_.isName(at) || !isListed(kBlocks, words_[at].text)) {
            return at;
        }
        const WordSpan body{at, endOfBody(program_, at + 1, words_[at].column)};
        if (program_.isName(at, "def") || program_.isName(at, "class")) {
            return body.end;
        }
        const bool isLoop = !program_.isName(at, "with");
        std::size_t colon = at;
        while (!isEnd(colon) && !isSign(colon, ":")) {
            colon = behind(colon);
        }
        bool hasPass = !isLoop;  // what calls no model is no evaluation
        bool isOwn = !isLoop && !saysWithoutGradients(program_, {at, colon});
        for (const ModelPass& pass : models_.passes) {
            const bool isIn = has(body, pass.at);
            hasPass = hasPass || isIn;
            isOwn = isOwn || (isIn && (isLoop ? pass.isBackward || isTrained(pass)
                                              : pass.model != *models_.trained));
        }
        return hasPass && !isOwn ? body.end : at;
    }

    /// Of the logits, each by itself.
    std::size_t lossesIn(const WordSpan& span) {
        large_.clear();
        losses_ = 0;
        floats_ = false;
        usesOwn_ = false;
        readBody(span);
        return losses_;
    }

    // NOLINTNEXTLINE(misc-no-recursion): kMostLossLevels functions
    void readBody(const WordSpan& body) {
        std::size_t at = body.begin;
        while (at < body.end) {
            const bool isLine = at == 0 || isEnd(at - 1);
            const std::size_t others = isLine ? behindOthers(at) : at;
            if (isEnd(at) || isSign(at, ";") || isSign(at, ":")) {
                ++at;
            } else if (others != at) {
                at = others;
            } else {
                std::size_t end = at;
                while (end < body.end && !isEnd(end) && !isSign(end, ";") && !isSign(end, ":")) {
                    end = behind(end);
                }
                if (!isDead(at)) {
                    readStatement({at, end});
                }
                at = end;
            }
        }
    }

    // NOLINTNEXTLINE(misc-no-recursion): as readBody
    void readStatement(const WordSpan& span) {
        std::size_t equals = span.begin;
        while (equals < span.end && !isSign(equals, "=")) {
            equals = behind(equals);
        }
        const bool isGiven = equals < span.end;
        const bool isLarge = isLargeIn({isGiven ? equals + 1 : span.begin, span.end});
        for (std::size_t i = span.begin; i < equals && isGiven; ++i) {
            const bool isTarget = program_.isName(i) && !isSign(i + 1, ".") && !isSign(i + 1, "[");
            if (isTarget && isLarge) {
                large_.insert(words_[i].text);
            } else if (isTarget) {
                large_.erase(words_[i].text);
            }
        }
    }

    /// Whether a value has the logits' size; what makes more of them is kept.
    // NOLINTNEXTLINE(misc-no-recursion): brackets in each other are few
    bool isLargeIn(const WordSpan& span) {
        constexpr std::array kSigns = {"*"sv, "/"sv, "+"sv, "-"sv, "**"sv, "@"sv};
        bool isAny = false;
        bool isLast = false;
        std::optional<std::size_t> calculates;
        for (std::size_t i = span.begin; i < span.end;) {
            const std::size_t first = i;
            if (program_.isName(i) || program_.isOpening(i)) {
                isLast = isLargeChain(i);
                isAny = isAny || isLast;
                more_ = isLast && calculates && !more_ ? calculates : more_;
                calculates.reset();
                continue;
            }
            const bool isCalculated = std::ranges::any_of(
                kSigns, [&](std::string_view sign) { return isSign(first, sign); });
            more_ = isCalculated && isLast && !more_ ? first : more_;
            calculates = isCalculated ? std::optional(first) : std::nullopt;
            isLast = false;
            ++i;
        }
        return isAny;
    }

    /// "a.b(…)[…].c(…)", which begins at a name or a bracket; `at` is then behind it.
    // NOLINTNEXTLINE(misc-no-recursion): as isLargeIn
    bool isLargeChain(std::size_t& at) {
        std::string name;
        bool isLarge = false;
        if (program_.isName(at)) {
            name = words_[at].text;
            isLarge = large_.contains(name) || namesLogits(words_[at]);
            ++at;
        } else {
            isLarge = isAnyLarge(at);
            at = words_[at].close + 1;
        }
        while (true) {
            if (isSign(at, "(")) {
                isLarge = isLargeCall(name, isLarge, at);
                at = words_[at].close + 1;
            } else if (isSign(at, "[")) {
                isLarge = isLarge || words_[at + 1].text == "logits";
                at = words_[at].close + 1;
            } else if (isSign(at, ".") && program_.isName(at + 1)) {
                name = words_[at + 1].text;
                isLarge =
                    namesLogits(words_[at + 1]) || (isLarge && !isListed(kSmallMembers, name));
                usesOwn_ = usesOwn_ || name == "loss";
                at += 2;
            } else {
                return isLarge;
            }
        }
    }

    // NOLINTNEXTLINE(misc-no-recursion): as isLargeIn
    bool isAnyLarge(std::size_t bracket) {
        bool isAny = false;
        for (const WordSpan& item : program_.itemsIn(bracket)) {
            const bool isKeyword = program_.isName(item.begin) && isSign(item.begin + 1, "=");
            isAny = isLargeIn({item.begin + (isKeyword ? 2U : 0U), item.end}) || isAny;
        }
        return isAny;
    }

    // NOLINTNEXTLINE(misc-no-recursion): as isLargeIn
    bool isLargeCall(const std::string& name, bool isLarge, std::size_t bracket) {
        const bool isGiven = isAnyLarge(bracket) || isLarge;
        if (name == "lm_head") {  // of how many tokens at once is not read
            more_ = more_ ? more_ : bracket - 1;
            return true;
        }
        if (!isGiven || isListed(kSmall, name)) {
            return false;
        }
        const bool isLoss =
            name == "cross_entropy" || name == "CrossEntropyLoss" || lossNames_.contains(name);
        if (isLoss) {
            at_ = at_ ? at_ : bracket - 1;
            const bool isSecond = ++losses_ > 1;
            more_ = (isSecond || usesOwn_) && !more_ ? bracket - 1 : more_;
            return false;
        }
        if (isOfOneLoss(name)) {
            floats_ = floats_ || name == "float";
            const bool copiesTwice = floats_ && name == "contiguous";
            more_ = copiesTwice && !more_ ? bracket - 1 : more_;
            return true;
        }
        const auto own = std::ranges::find_if(functions_, [&name](const PythonFunction& one) {
            return !one.isClass && !one.isMethod && one.name == name;
        });
        if (own != functions_.end() && levels_ < kMostLossLevels) {
            readFunction(*own, bracket);
        } else if (!more_) {
            more_ = bracket - 1;
        }
        return false;
    }

    /// With the parameters that are given logits.
    // NOLINTNEXTLINE(misc-no-recursion): kMostLossLevels functions
    void readFunction(const PythonFunction& one, std::size_t bracket) {
        std::set<std::string> inside;
        const std::vector<WordSpan> parameters =
            one.bracket == 0 ? std::vector<WordSpan>() : program_.itemsIn(one.bracket);
        std::size_t place = 0;
        for (const WordSpan& item : program_.itemsIn(bracket)) {
            const bool isKeyword = program_.isName(item.begin) && isSign(item.begin + 1, "=");
            const std::size_t parameter = place++;
            if (!isLargeIn({item.begin + (isKeyword ? 2U : 0U), item.end})) {
                continue;
            }
            if (isKeyword) {
                inside.insert(words_[item.begin].text);
            } else if (parameter < parameters.size()) {
                inside.insert(words_[parameters[parameter].begin].text);
            }
        }
        std::swap(large_, inside);
        ++levels_;
        readBody(one.body);
        --levels_;
        std::swap(large_, inside);
    }

    const PythonValues& program_;
    const std::vector<PythonWord>& words_;
    const PythonCourse& course_;
    const PythonModels& models_;
    std::vector<PythonFunction> functions_;
    std::set<std::string> lossNames_;  ///< "loss_fn = nn.CrossEntropyLoss()"
    std::set<std::string> large_;      ///< names of what has the logits' size
    std::size_t levels_ = 0;
    std::size_t losses_ = 0;
    bool floats_ = false;
    bool usesOwn_ = false;             ///< "out.loss"
    std::optional<std::size_t> at_;    ///< the first loss of the loop's own
    std::optional<std::size_t> more_;  ///< what makes more of the logits
};

}  // namespace

void addLoopLoss(const PythonValues& program,
                 const PythonCourse& course,
                 const PythonModels& models,
                 LaunchKeys& keys) {
    if (models.trained && !keys.has(kOwnLoss) && !keys.has(kOwnStep)) {
        LoopLossReader(program, course, models).add(keys);
    }
}

}  // namespace fabricast
