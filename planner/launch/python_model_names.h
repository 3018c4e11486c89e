#pragma once
#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace fabricast {

/// Some model of a program, or a part of it.
struct ModelRef {
    std::size_t model = 0;    ///< of PythonModels::all
    std::string part{};       ///< "model.layers[-4:]"; empty: the whole
    std::string named{};      ///< the variable that has the name of each weight
    bool givesNames = false;  ///< named_parameters(): a loop has a name beside each
};
using MaybeRef = std::optional<ModelRef>;

/// What the names of a program, or of a function of it, are of some model.
using ModelNames = std::map<std::string, ModelRef>;

/// The part of a model that stands for the Trainer that is given it: trainer.train() is
/// "$trainer.train".
inline constexpr std::string_view kTrainerPart = "$trainer";

/// What a dotted name is of some model.
///     "student.lm_head", where student is the first model  →  lm_head of it
MaybeRef namedModel(const std::string& name, const ModelNames& names);

/// trainer.model is the model, and so is model.module of what wraps it.
ModelRef ofTrainer(ModelRef ref);

/// "float" of "model.layers.float".
std::string lastOf(const std::string& name);

/// "model.layers" of "model.layers.float".
std::string withoutLast(const std::string& name);

template <class List>
bool isAmong(const List& list, std::string_view name) {
    return std::ranges::find(list, name) != list.end();
}

}  // namespace fabricast
