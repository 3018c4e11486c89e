#include "planner/load/load_question.h"
#include "planner/spec/kernel_names.h"
#include "planner/spec/setting_names.h"
#include "planner/stack/model_code.h"
#include "study/change_offers.h"
#include "study/saved_questions.h"
#include "study/search_request.h"

#include <span>
#include <string_view>
#include <utility>

namespace fabricast::offers {

void freeKeys(const ChangeSubject& subject, Offers& offers) {
    for (const std::string& key : subject.rules->fixed.said) {
        Change& change = offers.add({layoutKey(key, "null")});
        change.kind = "free " + key;
        change.title = key + " not fixed (--set layout." + key + "=null)";
        change.sideEffect = key + " is searched";
    }
}

/// Without one of the rules, or without all of them.
void allowForbidden(const ChangeSubject& subject, Offers& offers) {
    const std::vector<std::string> rules = searchWords(subject.question, "forbid");
    for (const std::string& dropped : rules) {
        Edits kept;
        for (const std::string& rule : rules) {
            if (rule != dropped) {
                kept.push_back({"search.forbid", rule, "--forbid"});
            }
        }
        if (kept.empty()) {
            kept.push_back({"search.forbid", "null", "--forbid"});
        }
        offers.add(std::move(kept)).title = "without --forbid " + dropped;
    }
    if (rules.size() > 1) {
        offers.add({{"search.forbid", "null", "--forbid"}}, 1).title = "without --forbid";
    }
}

void tensorAcrossNodes(const ChangeSubject& subject, Offers& offers) {
    if (subject.now.cluster.nodes > 1 && !subject.rules->tensorAcrossNodes) {
        Edits allowed;
        for (const std::string& before : searchWords(subject.question, "allow")) {
            allowed.push_back({"search.allow", before, "--allow"});
        }
        allowed.push_back({"search.allow", "tp_across_nodes", "--allow"});
        offers.add(std::move(allowed)).title = "--allow tp_across_nodes";
    }
}

/// Those that are searched unasked, and Axolotl: it trains in 16 bits what others keep copies of in
/// 32, and splits sequences beside adapters.
void otherStacks(const ChangeSubject& subject, Offers& offers) {
    const std::span<const std::string_view> usual = usualStacks();
    std::vector<std::string_view> names(usual.begin(), usual.end());
    names.emplace_back("axolotl");
    for (const std::string_view name : names) {
        if (!has(subject, name) &&
            checkHasConfig(name, subject.now.model, subject.now.settings.tuning)) {
            offers.add({{"search.stacks", std::string(name), "--stack"}});
        }
    }
}

void otherBatch(const ChangeSubject& subject, Offers& offers) {
    const std::int64_t now = subject.now.workload.globalBatch;
    const auto batch = [&offers](int more, std::int64_t samples) {
        offers.add({{"workload.global_batch", std::to_string(samples), "--global-batch"}}, more);
    };
    batch(0, now * 2);
    batch(1, now * 4);
    if (now % 2 == 0) {
        batch(0, now / 2);
    }
}

void shorterSequence(const ChangeSubject& subject, Offers& offers) {
    constexpr std::int64_t kShortest = 1024;
    const std::int64_t now = subject.now.workload.sequence;
    if (now % 2 == 0 && now / 2 >= kShortest) {
        offers.add({{"workload.sequence", std::to_string(now / 2), "--seq"}});
    }
}

void fewerBits(const ChangeSubject& subject, Offers& offers) {
    const auto& peaks = subject.now.cluster.node.gpu.densePeak;
    const auto precision = [&](const char* type, const char* name) {
        const auto peak = peaks.find(type);
        if (peak != peaks.end() && peak->second.value) {
            offers.add({{"workload.precision", name, "--precision"}});
        }
    };
    precision("fp8", "fp8_tensorwise");
    precision("fp4", "mxfp8");
}

/// Where weights are held in fp32 beside a type of 16 bits that the GPU multiplies in.
void pureBf16(const ChangeSubject& subject, Offers& offers) {
    const PrecisionSettings& precision = subject.now.settings.precision;
    const bool holdsMore = precision.parameters == Dtype::Fp32 && precision.compute == Dtype::Bf16;
    if (multipliesBf16(subject.now.cluster.node.gpu) && (isSearch(subject) || holdsMore)) {
        offers.add({{"workload.precision", "pure_bf16", "--precision"}});
    }
}

void moments8bit(const ChangeSubject& subject, Offers& offers) {
    if (isSearch(subject) || subject.now.settings.optimizer.kind == OptimizerKind::AdamW) {
        offers.add({{"workload.optimizer", "adamw_8bit", "--optimizer"}});
    }
}

/// Of a question that trains adapters already, only another base is a change.
void adaptersOnly(const ChangeSubject& subject, Offers& offers) {
    const auto isSaid = [&subject](std::string_view path, std::string_view word) {
        const JsonValue* const said = valueAt(subject.question.root, path);
        return said != nullptr && said->text().value_or("") == word;
    };
    if (says(subject.question, "settings.train") && !isSaid("settings.train", "all")) {
        return;  // a part of the weights is frozen already
    }
    const bool adapts = isSaid("settings.tuning", nameOf(Tuning::Lora));
    const Edit quantised = setting("settings.lora.base", "nf4");
    if (!adapts) {
        const Edit adapters{"settings.tuning", "lora", "--tuning"};
        offers.add({adapters});
        offers.add({adapters, quantised});
    } else if (!isSaid("settings.lora.base", nameOf(Dtype::Nf4))) {
        offers.add({quantised});
    }
}

void fourBitBase(const ChangeSubject& subject, Offers& offers) {
    const Settings& settings = subject.now.settings;
    if (settings.tuning == Tuning::Lora && settings.lora.base != Dtype::Nf4) {
        offers.add({setting("settings.lora.base", "nf4")});
    }
}

void quantizedConstants(const ChangeSubject& subject, Offers& offers) {
    const LoraSettings& lora = subject.now.settings.lora;
    const bool isQlora = isSearch(subject)
                             ? says(subject.question, "settings.lora.base")
                             : subject.now.settings.tuning == Tuning::Lora &&
                                   lora.base == Dtype::Nf4 && !lora.doubleQuantization;
    if (isQlora) {
        offers.add({setting("settings.lora.double_quantization", "true")});
    }
}

}  // namespace fabricast::offers
