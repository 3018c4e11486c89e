#include "planner/load/precision_scheme.h"

#include "planner/base/nearest_name.h"
#include "planner/spec/names.h"

#include <array>

namespace fabricast {
namespace {

PrecisionSettings singlePrecision(PrecisionSettings precision) {
    precision.parameters = Dtype::Fp32;
    precision.compute = Dtype::Fp32;
    precision.autocast = false;
    precision.gradients = Dtype::Fp32;
    precision.reduce = Dtype::Fp32;
    precision.masterWeights = false;
    precision.masterRemainder = false;
    precision.moments = Dtype::Fp32;
    return precision;
}

PrecisionSettings halfPrecision(PrecisionSettings precision) {
    for (Dtype* dtype : {&precision.parameters,
                         &precision.compute,
                         &precision.gradients,
                         &precision.reduce,
                         &precision.moments}) {
        *dtype = *dtype == Dtype::Bf16 ? Dtype::Fp16 : *dtype;
    }
    return precision;
}

PrecisionSettings allBf16(PrecisionSettings precision) {
    precision.parameters = Dtype::Bf16;
    precision.compute = Dtype::Bf16;
    precision.autocast = false;
    precision.gradients = Dtype::Bf16;
    precision.reduce = Dtype::Bf16;
    precision.masterWeights = false;
    precision.masterRemainder = false;
    precision.moments = Dtype::Bf16;
    return precision;
}

PrecisionSettings asTheStackDoes(PrecisionSettings precision) {
    return precision;
}

struct Scheme {
    std::string_view name;
    PrecisionSettings (*apply)(PrecisionSettings);
};
constexpr std::array kSchemes = {Scheme{"bf16", &asTheStackDoes},
                                 Scheme{"fp16", &halfPrecision},
                                 Scheme{"fp32", &singlePrecision},
                                 Scheme{"pure_bf16", &allBf16}};

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
            settings.precision = scheme.apply(settings.precision);
            return settings;
        }
    }
    const auto quantization = name == "fp8"
                                  ? Quantization::Fp8Tensorwise
                                  : fromName<Quantization>(name).value_or(Quantization::None);
    if (quantization == Quantization::None) {
        return fail(Error::Code::BadInput,
                    where,
                    "unknown precision \"" + std::string(name) + "\"",
                    suggestName(name, precisionNames()));
    }
    settings.kernels.quantization = quantization;
    return settings;
}

}  // namespace fabricast
