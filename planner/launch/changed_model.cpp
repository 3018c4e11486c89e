#include "planner/launch/made_model.h"
#include "planner/launch/own_loss.h"
#include "planner/launch/python_model_keys.h"
#include "planner/launch/unfrozen_weights.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {
namespace {

constexpr const char* kTypeTrain = "--train all, last:4, norms or no_embedding";

std::string valueAt(const LaunchKey& key, std::size_t place) {
    return place < key.values.size() ? key.values[place] : "";
}

/// What a key says of some weights; nothing where it is not read.
std::optional<WeightSwitch> switchOf(const LaunchKey& key) {
    const auto is = std::ranges::find(key.values, "is");
    if (key.values.size() < 3 || is == key.values.end()) {
        return std::nullopt;
    }
    return WeightSwitch{
        key.values.front(), {key.values.begin() + 2, is}, {is + 1, key.values.end()}};
}

/// What is switched on and off, since adapters were added where some are.
struct Switches {
    std::vector<WeightSwitch> all{};
    const LaunchKey* last = nullptr;
    const LaunchKey* unread = nullptr;
    bool areFrozen = false;  ///< the weights of the base, by adapters
};

Switches switchesOf(const LaunchKeys& keys) {
    Switches switches;
    for (const LaunchKey& key : keys.all()) {
        if (key.path == kModelAdapters) {
            const bool adds = valueAt(key, 0) == "true";
            switches = adds ? Switches{.areFrozen = true} : switches;
        } else if (key.path == kModelTrains) {
            const std::optional<WeightSwitch> one = switchOf(key);
            switches.last = &key;
            if (one) {
                switches.all.push_back(*one);
            } else {
                switches.unread = &key;
            }
        }
    }
    return switches;
}

/// What is trained of a model; of one whose layers are not known only what is the same for all.
std::optional<SwitchedWeights> trainedBy(const Switches& switches,
                                         bool areAll,
                                         std::optional<std::int64_t> layers) {
    constexpr std::int64_t kSome = 48;
    const auto one = switchedWeights(switches.all, areAll, layers.value_or(kSome));
    const auto other = layers ? one : switchedWeights(switches.all, areAll, 2 * kSome);
    const bool isSame = one && other && one->part == other->part && one->isLess == other->isLess;
    return isSame ? one : std::nullopt;
}

/// Of a head that is the embedding's table the table is trained, too.
std::optional<SwitchedWeights> withTable(std::optional<SwitchedWeights> trained, bool isTied) {
    if (trained && trained->hasHeadAlone && isTied) {
        return SwitchedWeights{.part = TrainedPart{}, .isLess = true};
    }
    return trained;
}

void importTrainedWeights(ScenarioDraft& draft,
                          const Switches& switches,
                          std::optional<std::int64_t> layers,
                          std::optional<bool> isTied) {
    const auto found =
        switches.unread != nullptr ? std::nullopt : trainedBy(switches, true, layers);
    const auto trained = withTable(found, isTied.value_or(false));
    if (!trained) {
        const LaunchKey& key = switches.unread != nullptr ? *switches.unread : *switches.last;
        draft.leaveOpen("settings.train",
                        key,
                        "requires_grad: which weights the program trains was not read",
                        kTypeTrain);
        return;
    }
    if (!trained->part) {
        draft.leaveOpen("settings.train",
                        *switches.last,
                        "requires_grad: the program freezes all weights, and trains none that is "
                        "read",
                        kTypeTrain);
        return;
    }
    if (trained->part->all() && trained->isLess) {
        draft.assume("settings.train",
                     "the program freezes a part of the weights, and all are forecast to be "
                     "trained: an upper bound of the memory");
    }
    if (trained->part->all()) {
        return;
    }
    const std::string part = trainedText(*trained->part);
    draft.set("settings.train", part, kModelTrains);
    if (trained->isLess) {
        draft.assume("settings.train",
                     "the program trains a part of what --train " + part +
                         " does, which is forecast: an upper bound of the memory");
    }
    if (trained->hasHeadAlone && !isTied) {
        draft.assume("settings.train",
                     "the head is trained without the embedding: where both are one table, "
                     "--train all counts it");
    }
}

/// Weights of the base that are trained beside adapters.
void importTrainedBase(ScenarioDraft& draft,
                       const Switches& switches,
                       std::optional<std::int64_t> layers) {
    const bool isOfAdapters = switches.areFrozen && switches.last != nullptr;
    if (!isOfAdapters) {
        return;  // peft freezes the base, whatever was trained before
    }
    const auto trained =
        switches.unread != nullptr ? std::nullopt : trainedBy(switches, false, layers);
    if (!trained || trained->part) {
        draft.leaveOpen("settings.tuning",
                        switches.unread != nullptr ? *switches.unread : *switches.last,
                        "requires_grad: weights of the base that are trained beside adapters are "
                        "not modelled",
                        "--tuning lora, to forecast the run without them");
    }
}

/// Rows of the embedding and the head.
void importRows(ScenarioDraft& draft) {
    const LaunchKey* const rows = draft.keys().use(kModelRows);
    if (rows == nullptr) {
        return;
    }
    const std::string count = valueAt(*rows, 0);
    const bool isNumber =
        !count.empty() && count.find_first_not_of("0123456789_") == std::string::npos;
    if (isNumber) {
        draft.leaveOpen("model",
                        *rows,
                        "resize_token_embeddings: " + count +
                            " rows are not modelled for a model that is given by its name",
                        "-m FILE, its config.json with vocab_size " + count +
                            ", or -m NAME to forecast it without");
    } else {
        draft.note(
            "resize_token_embeddings: how many rows it leaves is worked out when the program "
            "runs, and the vocabulary is taken as the model has it");
    }
}

/// Of layers that are recomputed only in part no stack of a loop's own is modelled.
void importSomeCheckpoints(ScenarioDraft& draft) {
    const LaunchKey* const some = draft.keys().use(kSomeCheckpoints);
    if (some == nullptr || draft.word("layout.recompute") != "full") {
        return;
    }
    draft.leaveOpen("layout.recompute",
                    *some,
                    valueAt(*some, 0) +
                        ": some layers are recomputed and others are not, or a condition decides "
                        "it, which is not modelled",
                    "--layout recompute=none, an upper bound of the memory, or recompute=full "
                    "where all layers are");
}

}  // namespace

Result<void> importChangedModel(ScenarioDraft& draft, const ImportContext& context) {
    LaunchKeys& keys = draft.keys();
    const Switches switches = switchesOf(keys);
    const std::optional<std::int64_t> layers =
        switches.last == nullptr ? std::nullopt : context.layers(draft.word("model"));
    if (draft.word("settings.tuning") == "lora") {
        importTrainedBase(draft, switches, layers);
    } else if (switches.last != nullptr) {
        const bool isKnown = layers && context.isTied;
        importTrainedWeights(
            draft,
            switches,
            layers,
            isKnown ? std::optional(context.isTied(draft.word("model"))) : std::nullopt);
    }
    (void)keys.use(kModelTrains);
    (void)keys.use(kModelAdapters);
    importRows(draft);
    importChangedConfig(draft);
    if (const LaunchKey* const head = keys.use(kModelHead)) {
        draft.leaveOpen("settings.kernels.loss",
                        *head,
                        valueAt(*head, 0) +
                            " has a head of its own and no loss over the vocabulary, which is not "
                            "modelled",
                        "--set settings.kernels.loss=huggingface, to forecast a causal language "
                        "model: an upper bound of the memory");
    }
    importOtherModels(draft, context);
    importSomeCheckpoints(draft);
    importOwnLoss(draft);
    importHeldLogits(draft);
    importModelExtras(draft);
    return {};
}

}  // namespace fabricast
