#include "planner/base/checked.h"
#include "planner/base/small_letters.h"
#include "planner/launch/import_settings.h"
#include "planner/launch/sample_sizes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

/// What a loop calls its sizes, without regard to capitals.
constexpr std::array<std::string_view, 9> kSequenceNames = {"sequence",
                                                            "seq",
                                                            "seq_len",
                                                            "seq_length",
                                                            "sequence_length",
                                                            "max_length",
                                                            "max_seq_len",
                                                            "max_seq_length",
                                                            "block_size"};
constexpr std::array<std::string_view, 9> kMicroBatchNames = {"micro_batch",
                                                              "micro_batch_size",
                                                              "microbatch",
                                                              "microbatch_size",
                                                              "mbs",
                                                              "batch_size",
                                                              "per_device_batch_size",
                                                              "per_device_train_batch_size",
                                                              "batch"};
constexpr std::array<std::string_view, 7> kAccumulationNames = {
    "accelerator.gradient_accumulation_"
    "steps",
    "accumulation",
    "accumulation_steps",
    "grad_accum",
    "grad_accum_steps",
    "grad_accumulation_steps",
    "gradient_accumulation_steps"};

/// Whether it is a call of that name, and no value.
bool isCallOf(const LaunchKey& key) {
    return key.values.size() == 1 && key.values.front() == key.path;
}

/// The first key that is called so; empty where none is, or the script works its value out. A name
/// of the program wins over an argument of argparse.
std::string sizeOf(const LaunchKeys& keys, std::span<const std::string_view> names) {
    for (const std::string before : {"", kParsedArgument}) {
        for (const std::string_view name : names) {
            for (const LaunchKey& key : keys.all()) {
                if (inSmallLetters(key.path) == before + std::string(name) && !isCallOf(key) &&
                    key.values.size() == 1 && !key.values.front().starts_with("$")) {
                    return key.path;
                }
            }
        }
    }
    return "";
}

/// Where a size is an argument's, that may be of something else.
void assumeArgument(ScenarioDraft& draft, const std::string& from, const char* setting) {
    if (from.starts_with(kParsedArgument)) {
        const std::string name = from.substr(std::string_view(kParsedArgument).size());
        draft.assume(setting,
                     std::string(setting) + " is taken to be the program's argument " + name +
                         ": where its loop uses that was not read");
    }
}

/// Asks for the samples of a step whose microbatches the program counts when it runs.
void askForAccumulation(ScenarioDraft& draft) {
    const LaunchKey* unknown = draft.keys().use(kUnknownAccumulation);
    for (const LaunchKey& key : draft.keys().all()) {
        const bool isNamed = std::ranges::find(kAccumulationNames, inSmallLetters(key.path)) !=
                             kAccumulationNames.end();
        const bool isUnknown = key.values.size() == 1 && key.values.front().starts_with("$(");
        unknown = unknown == nullptr && isNamed && isUnknown ? &key : unknown;
    }
    if (unknown == nullptr) {
        return;
    }
    const std::string value = unknown->values.size() == 1 ? unknown->values.front() : "$";
    const bool isSum = value.starts_with("$(");
    const std::string text =
        isSum ? value.substr(2, value.size() - 3) : value.substr(value.starts_with("$") ? 1 : 0);
    draft.leaveOpen("workload.global_batch",
                    *unknown,
                    "accumulation: how many microbatches a step has (" + text +
                        ") is worked out when the program runs",
                    "--global-batch 64, or as many samples as a step of all ranks has; or the "
                    "script that starts it, which says how many ranks there are");
}

}  // namespace

Result<void> importLoopSizes(ScenarioDraft& draft, bool hasBatch) {
    const LaunchKeys& keys = draft.keys();
    const std::string sequence = sizeOf(keys, kSequenceNames);
    const std::string named = sizeOf(keys, kMicroBatchNames);
    const std::string called = sizeOf(keys, kAccumulationNames);
    const std::string steps = called.empty() ? saidOf(keys, {kLoopAccumulation}) : called;
    const std::optional<LaunchKey> length = tokenizedLength(keys);
    const bool isCut = keys.find(kPieceLength) != nullptr;
    if (length) {
        FABRICAST_TRY(draft.copyWhole("workload.sequence", length->path));
    }
    importPieceLength(draft);
    const ShownBatch shown = importBatchSource(draft, hasBatch);
    if (const auto other = otherTokenizedLength(keys); other && !isCut && !shown.tokens) {
        askForTokenizedLength(draft, *other);
    }
    if (!length && !isCut && !shown.tokens) {
        FABRICAST_TRY(draft.copyWhole("workload.sequence", sequence));
        assumeArgument(draft, sequence, "workload.sequence");
    }
    if (const LaunchKey* const divided = draft.keys().use(kDividedBatch)) {
        draft.leaveOpen("layout.micro_batch",
                        *divided,
                        divided->values.front() +
                            "(): the loop goes through parts of each batch, and how many samples a "
                            "part has was not read",
                        "--layout micro_batch=1, or as many as it has");
    }
    if (!hasBatch) {
        return {};
    }
    if (!shown.samples) {
        FABRICAST_TRY(draft.copyWhole("layout.micro_batch", named));
        assumeArgument(draft, named, "layout.micro_batch");
    }
    FABRICAST_TRY(checkCounts(draft.keys(), {named, steps}));
    if (steps.empty()) {
        askForAccumulation(draft);
    }
    const JsonValue* const micro = draft.find("layout.micro_batch");
    if (micro == nullptr && !shown.samples) {
        draft.assume("layout.micro_batch",
                     "how many samples a microbatch has is not known: the script gives no number "
                     "to MICRO_BATCH");
    }
    if (micro == nullptr && (steps.empty() || shown.samples)) {
        return {};
    }
    const std::int64_t whole = micro == nullptr ? 1 : micro->integer({}).value_or(1);
    FABRICAST_ASSIGN(const auto count, draft.keys().whole(steps));
    const std::int64_t parts = importSplitBatch(draft);
    const bool isSame = parts == count && !called.empty();  // the name is of the parts
    const std::int64_t each = saturatingProduct(whole, isSame ? 1 : count.value_or(1));
    draft.set(
        "workload.global_batch", std::to_string(each) + " per rank", steps.empty() ? named : steps);
    return {};
}

}  // namespace fabricast
