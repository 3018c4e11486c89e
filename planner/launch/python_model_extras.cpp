#include "planner/launch/python_model_keys.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

/// Arguments of the model, or of its backward pass, that have it keep more.
constexpr std::array kKeepMore = {
    "output_attentions"sv, "output_hidden_states"sv, "create_graph"sv};

/// Finds what a program keeps of the size of the weights, or of the activations, without a word of
/// it in any setting.
class ExtrasReader {
public:
    ExtrasReader(const PythonValues& program,
                 const PythonCourse& course,
                 const PythonModels& models)
        : program_(program), words_(program.words()), course_(course), models_(models) {}

    void add(LaunchKeys& keys) const {
        for (std::size_t i = 1; i < words_.size(); ++i) {
            if (course_.leavesOut(i)) {
                continue;
            }
            if (keepsMore(i) && !isOfOthers(i)) {
                addAt(i, kModelKeeps, keys);
            } else if ((program_.isName(i, "for") && copiesWeights(i)) || copiesStates(i)) {
                addAt(i, kModelCopies, keys);
            }
        }
    }

private:
    void addAt(std::size_t at, const char* path, LaunchKeys& keys) const {
        const PythonWord& word = words_[at];
        keys.add({.path = path, .values = {word.text}, .line = word.line, .column = word.column});
    }

    [[nodiscard]] bool isEnd(std::size_t at) const {
        return at >= words_.size() || words_[at].kind == PythonWord::Kind::End;
    }

    /// "output_attentions=True" of a call, "config.output_attentions = True".
    [[nodiscard]] bool keepsMore(std::size_t at) const {
        const bool isOne =
            program_.isName(at) && std::ranges::find(kKeepMore, words_[at].text) != kKeepMore.end();
        return isOne && program_.isSign(at + 1, "=") &&
               program_.valuesOf({at + 2, program_.endOfName(at + 2)}) ==
                   std::vector<std::string>{"True"};
    }

    /// Whether it is said in a call of another model, or of one that keeps no graph.
    [[nodiscard]] bool isOfOthers(std::size_t at) const {
        return std::ranges::any_of(models_.passes, [&](const ModelPass& pass) {
            const bool isIn = at >= pass.at && at < pass.end;
            const bool isWithout = std::ranges::any_of(pass.within, [](const PythonBlock& block) {
                return block.kind == PythonBlock::Kind::WithoutGradients;
            });
            return isIn && !pass.isBackward && (isWithout || pass.model != *models_.trained);
        });
    }

    /// What a loop that begins here goes through: "model.parameters()".
    [[nodiscard]] bool goesThroughWeights(const WordSpan& head) const {
        constexpr std::array kAll = {"parameters"sv, "named_parameters"sv, "state_dict"sv};
        for (std::size_t i = head.begin; i < head.end; ++i) {
            if (program_.isName(i) && program_.isSign(i + 1, "(") &&
                std::ranges::find(kAll, words_[i].text) != kAll.end()) {
                return true;
            }
        }
        return false;
    }

    /// "[p.detach().clone() for p in model.parameters()]", "for n, p in …: shadow[n] = p.clone()".
    [[nodiscard]] bool copiesWeights(std::size_t at) const {
        std::size_t in = at + 1;
        while (!isEnd(in) && !program_.isName(in, "in")) {
            ++in;
        }
        std::size_t end = in;
        const std::size_t bracket = bracketAround(at);
        const std::size_t last = bracket == 0 ? words_.size() : words_[bracket].close;
        while (end < last && !isEnd(end) && (bracket != 0 || !program_.isSign(end, ":"))) {
            end = program_.isOpening(end) ? words_[end].close + 1 : end + 1;
        }
        if (isEnd(in) || !goesThroughWeights({in, end})) {
            return false;
        }
        const std::string& weight = words_[in - 1].text;
        return copiesOne(bracket != 0 ? WordSpan{bracket + 1, at} : WordSpan{end, bodyEnd(at, end)},
                         weight);
    }

    /// "deepcopy(model.state_dict())".
    [[nodiscard]] bool copiesStates(std::size_t at) const {
        if (!program_.isName(at, "deepcopy") || !program_.isSign(at + 1, "(")) {
            return false;
        }
        const std::size_t last = words_[at + 1].close - 1;  // of state_dict()
        return program_.isSign(last, ")") && last >= at + 4 && program_.isSign(last - 1, "(") &&
               program_.isName(last - 2, "state_dict") && program_.isName(last - 4) &&
               words_[last - 4].text.find("optim") == std::string::npos;
    }

    /// The innermost bracket that is open there; 0 where none is.
    [[nodiscard]] std::size_t bracketAround(std::size_t at) const {
        for (std::size_t i = at; i > 0 && !isEnd(i - 1); --i) {
            if (program_.isOpening(i - 1) && words_[i - 1].close > at) {
                return i - 1;
            }
        }
        return 0;
    }

    /// The first line behind the head that is no deeper than the loop.
    [[nodiscard]] std::size_t bodyEnd(std::size_t at, std::size_t head) const {
        for (std::size_t i = head; i < words_.size(); ++i) {
            if (isEnd(i) && !isEnd(i + 1) && words_[i + 1].column <= words_[at].column) {
                return i;
            }
        }
        return words_.size();
    }

    /// "p.data.clone()" and "p.detach().float()" that stay on the GPU, and are no gradient.
    [[nodiscard]] bool copiesOne(const WordSpan& span, const std::string& weight) const {
        constexpr std::array kLess = {
            "grad"sv, "cpu"sv, "norm"sv, "sum"sv, "item"sv, "abs"sv, "mean"sv, "numel"sv};
        for (std::size_t i = span.begin; i < span.end; ++i) {
            if (!program_.isName(i, weight) || program_.isSign(i - 1, ".")) {
                continue;
            }
            bool copies = false;
            bool isLess = false;
            for (std::size_t at = i + 1; at < span.end;) {
                if (program_.isSign(at, "(")) {
                    at = words_[at].close + 1;
                } else if (program_.isSign(at, ".") && program_.isName(at + 1)) {
                    copies = copies || words_[at + 1].text == "clone";
                    isLess = isLess || std::ranges::find(kLess, words_[at + 1].text) != kLess.end();
                    at += 2;
                } else {
                    break;
                }
            }
            if (copies && !isLess) {
                return true;
            }
        }
        return false;
    }

    const PythonValues& program_;
    const std::vector<PythonWord>& words_;
    const PythonCourse& course_;
    const PythonModels& models_;
};

}  // namespace

void addModelExtras(const PythonValues& program,
                    const PythonCourse& course,
                    const PythonModels& models,
                    LaunchKeys& keys) {
    ExtrasReader(program, course, models).add(keys);
}

}  // namespace fabricast
