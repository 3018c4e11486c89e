#include "planner/launch/resharding.h"

#include "planner/launch/python_model_keys.h"
#include "planner/launch/python_scopes.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

constexpr const char* kReshards = "fully_shard.reshard_after_forward";

/// Whether a word of this value is what a loop around it goes over.
bool isOfLoop(const PythonValues& program, const WordSpan& value) {
    const std::vector<WordSpan> heads = loopHeadsAround(program, value.begin);
    for (std::size_t i = value.begin; i < value.end; ++i) {
        const bool isBound =
            program.isName(i) && std::ranges::any_of(heads, [&](const WordSpan& head) {
                return bindsName(program, head, program.words()[i].text);
            });
        if (isBound) {
            return true;
        }
    }
    return false;
}

/// What a call of fully_shard is given.
const char* partOf(const PythonValues& program, std::size_t call) {
    const std::vector<WordSpan> items = program.itemsIn(call + 1);
    if (items.empty()) {
        return "any";
    }
    WordSpan value = items.front();
    value.begin += program.isSign(value.begin + 1, "=") ? 2U : 0U;
    if (isOfLoop(program, value)) {
        return "layers";
    }
    if (program.isOpening(value.begin)) {
        return "part";
    }
    const std::size_t end = program.isName(value.begin) ? program.endOfName(value.begin) : 0;
    if (end != value.end) {
        return "any";
    }
    const bool isRoot = program.words()[end - 1].text.find("model") != std::string::npos;
    return isRoot ? "root" : end > value.begin + 1 ? "part" : "any";
}

/// What is said of layers and of the root; nothing where nothing is.
struct Resharding {
    std::optional<bool> layers{};
    std::optional<bool> root{};
    const LaunchKey* at = nullptr;  ///< what is not like the rest
};

}  // namespace

void addReshardedParts(const PythonValues& program, const PythonCourse& course, LaunchKeys& keys) {
    for (std::size_t i = 0; i < program.words().size(); ++i) {
        const bool isDead = course.leavesOut(i);
        if (!isDead && program.isName(i, "fully_shard") && program.isSign(i + 1, "(")) {
            keys.add({.path = kReshardedPart,
                      .values = {partOf(program, i)},
                      .line = program.words()[i].line,
                      .column = program.words()[i].column});
        }
    }
}

Result<void> importResharding(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    (void)keys.use(kReshardedPart);
    if (keys.use(kReshards) == nullptr) {
        return {};
    }
    Resharding said;
    std::string part = "any";
    for (const LaunchKey& key : keys.all()) {
        if (key.path == "fully_shard") {
            const auto of = std::ranges::find_if(keys.all(), [&key](const LaunchKey& one) {
                return one.path == kReshardedPart && one.line == key.line &&
                       one.column == key.column;
            });
            part = of == keys.all().end() ? "any" : of->values.front();
        }
        if (key.path != kReshards || part == "part" || key.values.size() != 1) {
            continue;
        }
        const std::optional<bool> value = asSwitch(key.values.front());
        const bool isOfLayers = part != "root";
        const bool isOther = isOfLayers && said.layers && said.layers != value;
        said.at = isOther || !value ? &key : said.at;
        said.layers = isOfLayers ? value : said.layers;
        said.root = part == "layers" ? said.root : value;
    }
    const bool hasLayers = keys.find(kWholeUnit) == nullptr;
    const bool areResharded = said.layers.value_or(true);
    const bool isRootResharded = said.root.value_or(false);
    if (said.at != nullptr || (hasLayers && !areResharded && said.root == true)) {
        const LaunchKey& at = said.at != nullptr ? *said.at : *keys.find(kReshards);
        draft.leaveOpen("settings.torch.reshard",
                        at,
                        "reshard_after_forward: some layers are gathered until the backward pass "
                        "and others are not, which is not modelled",
                        "--set settings.torch.reshard=always, default or never: an upper bound of "
                        "the memory is never");
    } else if (hasLayers && !areResharded) {
        draft.set("settings.torch.reshard", "never", kReshards);
    } else if (isRootResharded) {
        draft.set("settings.torch.reshard", "always", kReshards);
    } else if (!hasLayers && said.root) {
        draft.set("settings.torch.reshard", "never", kReshards);
    }
    return {};
}

}  // namespace fabricast
