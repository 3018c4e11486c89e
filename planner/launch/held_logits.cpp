#include "planner/launch/own_loss.h"

#include <algorithm>
#include <string>

namespace fabricast {
namespace {

/// Of a call of the trained model whose graph is kept, and whose loop has a backward pass.
bool isBeforeBackward(const PythonModels& models, const ModelPass& pass) {
    if (pass.isBackward || pass.model != *models.trained) {
        return false;
    }
    const bool isWithout = std::ranges::any_of(pass.within, [](const PythonBlock& block) {
        return block.kind == PythonBlock::Kind::WithoutGradients;
    });
    return !isWithout && std::ranges::any_of(models.passes, [&pass](const ModelPass& other) {
        return other.isBackward &&
               std::ranges::any_of(pass.within, [&other](const PythonBlock& block) {
                   return block.kind == PythonBlock::Kind::Loop &&
                          std::ranges::find(other.within, block.at, &PythonBlock::at) !=
                              other.within.end();
               });
    });
}

bool isLineEnd(const PythonValues& program, std::size_t at) {
    return at >= program.words().size() || program.words()[at].kind == PythonWord::Kind::End ||
           program.isSign(at, ";");
}

/// The word of "out" in "out = model(…)" and "out = model(…).logits"; 0 of other calls.
std::size_t holderOf(const PythonValues& program, const ModelPass& pass) {
    const bool isGiven = pass.at >= 2 && program.isSign(pass.at - 1, "=") &&
                         program.isName(pass.at - 2) &&
                         (pass.at == 2 || isLineEnd(program, pass.at - 3));
    const bool isLogits = program.isSign(pass.end, ".") && program.isName(pass.end + 1, "logits");
    const std::size_t end = pass.end + (isLogits ? 2U : 0U);
    return isGiven && isLineEnd(program, end) ? pass.at - 2 : 0;
}

/// "del out", or "del out.logits".
bool isDeleted(const PythonValues& program, const std::string& name) {
    for (std::size_t i = 0; i + 1 < program.words().size(); ++i) {
        if (program.isName(i, "del") && program.isName(i + 1, name)) {
            return true;
        }
    }
    return false;
}

}  // namespace

void addHeldLogits(const PythonValues& program, const PythonModels& models, LaunchKeys& keys) {
    for (const ModelPass& pass : models.trained ? models.passes : std::vector<ModelPass>()) {
        const std::size_t at = isBeforeBackward(models, pass) ? holderOf(program, pass) : 0;
        const PythonWord& word = program.words()[at];
        if (at != 0 && !isDeleted(program, word.text)) {
            keys.add({.path = kHeldLogits,
                      .values = {word.text},
                      .line = word.line,
                      .column = word.column});
            return;
        }
    }
}

void importHeldLogits(ScenarioDraft& draft) {
    const LaunchKey* const held = draft.keys().use(kHeldLogits);
    const std::string kernel = draft.word("settings.kernels.loss");
    if (held != nullptr && (kernel.empty() || kernel == "huggingface")) {
        draft.note(held->values.front() + " (line " + std::to_string(held->line) +
                   ") keeps the logits through the backward pass, which is not counted: tokens x "
                   "vocabulary in their type (del " +
                   held->values.front() + " before it frees them)");
    }
}

}  // namespace fabricast
