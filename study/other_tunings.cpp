#include "planner/base/small_letters.h"
#include "study/flag_words.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

struct OtherTuning {
    std::string_view word;  ///< in small letters, without hyphens, blanks and the like
    std::string_view typed;
};

constexpr std::string_view kReference =
    "--tuning full, lora or qlora; its reference model: fabricast help reference";

/// LoRA+ has a learning rate of its own for B, rsLoRA another factor, PiSSA and LoftQ other first
/// values: none of them another size or another step.
constexpr std::array kOtherTunings = {
    OtherTuning{"lora", "--tuning lora"},
    OtherTuning{"lora+", "--tuning lora"},
    OtherTuning{"loraplus", "--tuning lora"},
    OtherTuning{"rslora", "--tuning lora"},
    OtherTuning{"pissa", "--tuning lora"},
    OtherTuning{"peft", "--tuning lora"},
    OtherTuning{"adapter", "--tuning lora"},
    OtherTuning{"adapters", "--tuning lora"},
    OtherTuning{"dora", "--tuning lora --set settings.lora.dora=true"},
    OtherTuning{"qlora", "--tuning qlora"},
    OtherTuning{"loftq", "--tuning qlora"},
    OtherTuning{"qdora", "--tuning qlora --set settings.lora.dora=true"},
    OtherTuning{"ft", "--tuning full"},
    OtherTuning{"fft", "--tuning full"},
    OtherTuning{"sft", "--tuning full"},
    OtherTuning{"full", "--tuning full"},
    OtherTuning{"fullft", "--tuning full"},
    OtherTuning{"finetune", "--tuning full"},
    OtherTuning{"finetuning", "--tuning full"},
    OtherTuning{"fullfinetune", "--tuning full"},
    OtherTuning{"fullfinetuning", "--tuning full"},
    OtherTuning{"pretrain", "--tuning full"},
    OtherTuning{"pretraining", "--tuning full"},
    OtherTuning{"none", "--tuning full"},
    OtherTuning{"freeze", "--train last:4"},
    OtherTuning{"frozen", "--train last:4"},
    OtherTuning{"dpo", kReference},
    OtherTuning{"grpo", kReference},
    OtherTuning{"kto", kReference},
    OtherTuning{"ppo", kReference},
    OtherTuning{"rlhf", kReference}};

}  // namespace

std::string tuningInstead(std::string_view word) {
    std::string plain = inSmallLetters(word);
    std::erase_if(plain,
                  [](char letter) { return letter == '-' || letter == '_' || letter == ' '; });
    const auto* const other = std::ranges::find(kOtherTunings, plain, &OtherTuning::word);
    return other == kOtherTunings.end() ? std::string() : std::string(other->typed);
}

}  // namespace fabricast
