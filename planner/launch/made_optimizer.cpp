#include "planner/launch/made_model.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// Classes of optimizers, and transformers' names of them; bitsandbytes has its own of 8 bits.
struct OptimizerClass {
    std::string_view made;
    const char* typed;
};
constexpr std::array kOptimizerClasses = {OptimizerClass{"AdamW", "adamw_torch"},
                                          OptimizerClass{"Adam", "adamw_torch"},
                                          OptimizerClass{"SGD", "sgd"},
                                          OptimizerClass{"Adafactor", "adafactor"},
                                          OptimizerClass{"AdamW8bit", "adamw_torch_8bit"},
                                          OptimizerClass{"Adam8bit", "adamw_torch_8bit"},
                                          OptimizerClass{"PagedAdamW8bit", "paged_adamw_8bit"},
                                          OptimizerClass{"AdamW4bit", "adamw_torch_4bit"},
                                          OptimizerClass{"Lion", "lion_32bit"},
                                          OptimizerClass{"Lion8bit", "lion_8bit"}};

/// "sgd" of "torch.optim.SGD(model.parameters())"; empty: it is none that is read.
std::string optimizerName(const std::string& call) {
    const std::string called = call.substr(0, call.find('('));
    const std::string last = called.substr(called.rfind('.') + 1);
    const auto* const found = std::ranges::find(kOptimizerClasses, last, &OptimizerClass::made);
    if (found == kOptimizerClasses.end() || call.find("momentum=") != std::string::npos) {
        return "";
    }
    const std::string name = found->typed;
    const bool isBnb = called.starts_with("bnb") || called.starts_with("bitsandbytes");
    return name == "adamw_torch_8bit" && isBnb ? "adamw_bnb_8bit"
           : name == "adamw_torch" && call.find("fused=True") != std::string::npos
               ? "adamw_torch_fused"
               : name;
}

}  // namespace

void addMadeOptimizer(const LaunchKeys& program, LaunchKeys& keys) {
    bool isInside = false;  // create_optimizer
    std::optional<LaunchKey> unread;
    for (const LaunchKey& key : program.all()) {
        const std::string value = key.values.empty() ? "" : key.values.front();
        const bool isGiven = key.path.ends_with(".optimizers") && value != "null";
        isInside = key.path == "def" ? value == "create_optimizer" : isInside;
        std::string name;
        if (isGiven && value.starts_with("$(")) {
            name = optimizerName(value.substr(2));
        } else if (isInside) {
            name = optimizerName(value + "(");
        }
        // The Trainer's own, by its arguments.
        const bool asTyped = key.path == "super" || key.path == "get_optimizer_cls_and_kwargs";
        unread = isInside && asTyped ? std::nullopt : unread;
        LaunchKey said = key;
        said.values = {name};
        if (isGiven || !name.empty()) {
            said.path = name.empty() ? kUnreadOptimizer : "--optim";
            keys.add(said);
            unread = isInside ? std::nullopt : unread;
        } else if (key.path == "def" && isInside) {
            said.path = "create_optimizer()";
            unread = said;
        }
    }
    if (unread) {
        keys.add(*std::move(unread));
    }
}

}  // namespace fabricast
