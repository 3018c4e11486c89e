#include "planner/base/checked.h"
#include "planner/launch/made_model.h"
#include "planner/launch/python_model_keys.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {
namespace {

constexpr std::size_t kMostBatchDigits = 10;

/// Samples that are called one after another before a backward pass are as many in one microbatch.
void importGraphs(ScenarioDraft& draft) {
    const LaunchKey* const found = draft.keys().use(kModelGraphs);
    if (found == nullptr) {
        return;
    }
    const LaunchKey graphs = *found;
    const std::int64_t count = std::stoll(graphs.values.front());
    const JsonValue* const micro = draft.find("layout.micro_batch");
    const JsonValue* const batch = draft.find("workload.global_batch");
    const std::int64_t each = micro == nullptr ? 0 : micro->integer({}).value_or(0);
    const std::int64_t whole = batch == nullptr ? 0 : batch->integer({}).value_or(0);
    const std::string said = draft.word("workload.global_batch");
    const std::string perRank = said.substr(0, std::min(said.find(' '), said.size()));
    const bool isPerRank = said.ends_with(" per rank") && perRank.size() < kMostBatchDigits;
    if (count == 0 || each == 0 || (batch != nullptr && whole == 0 && !isPerRank)) {
        draft.leaveOpen(
            "layout.micro_batch",
            graphs,
            "the model is called " +
                (count == 0 ? std::string("again and again") : std::to_string(count) + " times") +
                " before one backward pass, which keeps the activations of all calls",
            "--layout micro_batch=N --global-batch N, N the samples of all of them");
        return;
    }
    draft.set("layout.micro_batch", saturatingProduct(each, count), kModelGraphs);
    if (isPerRank) {
        draft.set("workload.global_batch",
                  std::to_string(saturatingProduct(std::int64_t{std::stoll(perRank)}, count)) +
                      " per rank",
                  kModelGraphs);
    } else if (whole > 0) {
        draft.set("workload.global_batch", saturatingProduct(whole, count), kModelGraphs);
    }
    draft.assume("layout.micro_batch",
                 "the model is called " + std::to_string(count) +
                     " times before one backward pass (line " + std::to_string(graphs.line) +
                     "): the " + std::to_string(each) +
                     " samples of each are forecast as one microbatch");
}

void importKept(ScenarioDraft& draft, const LaunchKey& key) {
    const std::string& what = key.values.front();
    if (what == "output_attentions") {
        draft.set("settings.kernels.attention", "unfused", kModelKeeps);
        draft.note(
            "output_attentions: the model returns its attention's probabilities, which its "
            "eager attention writes out (line " +
            std::to_string(key.line) + ")");
        return;
    }
    const bool isGraph = what == "create_graph";
    draft.leaveOpen("settings.kernels.loss",
                    key,
                    what + (isGraph ? ": the graph of the backward pass is kept for another one, "
                                      "which is not modelled"
                                    : ": the model returns the hidden states of all layers, which "
                                      "are kept and not modelled"),
                    "--set settings.kernels.loss=huggingface, to forecast the run without");
}

}  // namespace

void importModelExtras(ScenarioDraft& draft) {
    importGraphs(draft);
    LaunchKeys& keys = draft.keys();
    for (const LaunchKey& key : std::vector<LaunchKey>(keys.all())) {
        if (key.path == kModelKeeps) {
            importKept(draft, key);
            (void)keys.use(kModelKeeps);
        } else if (key.path == kOptimizedPart) {
            (void)keys.use(kOptimizedPart);
            draft.leaveOpen("workload.optimizer",
                            key,
                            key.values.front() + " is given the weights of " + key.values.back() +
                                " alone, and the others are not frozen: gradients without states "
                                "are not modelled",
                            "requires_grad_(False) of the others, or --optimizer adamw, to "
                            "forecast it with the states of all weights");
        } else if (key.path == kModelCopies) {
            (void)keys.use(kModelCopies);
            draft.leaveOpen("settings.reference",
                            key,
                            "the weights are copied one by one, and what keeps the copies is not "
                            "modelled beside the model",
                            "--set settings.reference=none, to forecast the run without them");
        }
    }
}

}  // namespace fabricast
