#include "planner/base/nearest_name.h"
#include "planner/load/scenario_defaults.h"
#include "planner/spec/names.h"

#include <array>
#include <utility>

namespace fabricast {
namespace {

Settings singlePrecision(Settings settings) {
    PrecisionSettings& precision = settings.precision;
    precision.parameters = Dtype::Fp32;
    precision.compute = Dtype::Fp32;
    precision.autocast = false;
    precision.gradients = Dtype::Fp32;
    precision.reduce = Dtype::Fp32;
    precision.masterWeights = false;
    precision.masterRemainder = false;
    precision.moments = Dtype::Fp32;
    return settings;
}

Settings halfPrecision(Settings settings) {
    PrecisionSettings& precision = settings.precision;
    for (Dtype* dtype : {&precision.parameters,
                         &precision.compute,
                         &precision.gradients,
                         &precision.reduce,
                         &precision.moments}) {
        *dtype = *dtype == Dtype::Bf16 ? Dtype::Fp16 : *dtype;
    }
    if (settings.tuning == Tuning::Lora) {  // loaded, and cast, in the type that is multiplied in
        for (Dtype* dtype : {&settings.lora.base, &settings.lora.dtype}) {
            *dtype = *dtype == Dtype::Bf16 ? Dtype::Fp16 : *dtype;
        }
    }
    return settings;
}

Settings allBf16(Settings settings) {
    if (settings.tuning == Tuning::Lora) {
        LoraSettings& lora = settings.lora;
        lora.dtype = Dtype::Bf16;
        lora.base = lora.base == Dtype::Fp32 ? Dtype::Bf16 : lora.base;
    }
    PrecisionSettings& precision = settings.precision;
    precision.parameters = Dtype::Bf16;
    precision.compute = Dtype::Bf16;
    precision.autocast = false;
    precision.gradients = Dtype::Bf16;
    precision.reduce = Dtype::Bf16;
    precision.masterWeights = false;
    precision.masterRemainder = false;
    precision.moments = Dtype::Bf16;
    return settings;
}

Settings asTheStackDoes(Settings settings) {
    return settings;
}

struct Scheme {
    std::string_view name;
    Settings (*apply)(Settings);
};
constexpr std::array kSchemes = {Scheme{"bf16", &asTheStackDoes},
                                 Scheme{"fp16", &halfPrecision},
                                 Scheme{"fp32", &singlePrecision},
                                 Scheme{"pure_bf16", &allBf16}};

/// PyTorch's words for some of them.
struct OtherName {
    std::string_view word;
    std::string_view name;
};
constexpr std::array kOtherNames = {OtherName{"bfloat16", "bf16"},
                                    OtherName{"float16", "fp16"},
                                    OtherName{"half", "fp16"},
                                    OtherName{"float32", "fp32"},
                                    OtherName{"float", "fp32"},
                                    OtherName{"fp8", "fp8_tensorwise"},
                                    OtherName{"float8", "fp8_rowwise"}};

/// Words for the weights under adapters, which are no precision of a training.
struct BaseWord {
    std::string_view word;
    std::string_view hint;
};
constexpr std::string_view kFourBits = "--tuning qlora: adapters over weights of 4 bits";
constexpr std::string_view kEightBits =
    "--tuning lora --set settings.lora.base=int8: adapters over weights of 8 bits";
constexpr std::array kBaseWords = {BaseWord{"4bit", kFourBits},
                                   BaseWord{"4-bit", kFourBits},
                                   BaseWord{"int4", kFourBits},
                                   BaseWord{"nf4", kFourBits},
                                   BaseWord{"8bit", kEightBits},
                                   BaseWord{"8-bit", kEightBits},
                                   BaseWord{"int8", kEightBits}};

std::string precisionHint(std::string_view name) {
    for (const BaseWord& one : kBaseWords) {
        if (editDistance(one.word, name) == 0) {
            return std::string(one.hint);
        }
    }
    for (const OtherName& one : kOtherNames) {
        if (editDistance(one.word, name) == 0) {  // whatever the case
            return "did you mean \"" + std::string(one.name) + "\"?";
        }
    }
    return suggestName(name, precisionNames());
}

}  // namespace

std::vector<std::string_view> precisionNames() {
    std::vector<std::string_view> names;
    names.reserve(kSchemes.size() + namesOf(Quantization{}).size());
    for (const Scheme& scheme : kSchemes) {
        names.push_back(scheme.name);
    }
    for (const auto& entry : namesOf(Quantization{})) {
        if (entry.value != Quantization::None) {
            names.push_back(entry.name);
        }
    }
    return names;
}

Result<Settings> withPrecision(Settings settings, std::string_view name, const std::string& where) {
    for (const Scheme& scheme : kSchemes) {
        if (scheme.name == name) {
            return scheme.apply(std::move(settings));
        }
    }
    if (name == kPrecisionOfGpu) {
        return settings;
    }
    const auto quantization = name == "fp8"
                                  ? Quantization::Fp8Tensorwise
                                  : fromName<Quantization>(name).value_or(Quantization::None);
    if (quantization == Quantization::None) {
        return fail(Error::Code::BadInput,
                    where,
                    "unknown precision \"" + std::string(name) + "\"",
                    precisionHint(name));
    }
    settings.kernels.quantization = quantization;
    return settings;
}

}  // namespace fabricast
