#include "planner/stack/stack_list.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

struct Alias {
    std::string_view name;
    std::string_view stack;
};
constexpr std::array kAliases = {Alias{"megatron-bridge", "nemo"},
                                 Alias{"megatron-lm", "megatron"},
                                 Alias{"megatron-core", "megatron"},
                                 Alias{"fsdp", "fsdp2"},
                                 Alias{"titan", "torchtitan"},
                                 Alias{"hf", "accelerate"}};

}  // namespace

std::span<const Stack> allStacks() {
    static const std::array stacks = {ddpStack(),
                                      fsdp1Stack(),
                                      fsdp2Stack(),
                                      deepspeedStack(),
                                      megatronStack(),
                                      megatronFsdpStack(),
                                      nemoStack(),
                                      torchtitanStack(),
                                      accelerateStack(),
                                      axolotlStack()};
    return stacks;
}

Result<const Stack*> findStack(std::string_view name) {
    const auto* const alias = std::find_if(
        kAliases.begin(), kAliases.end(), [&](const Alias& entry) { return entry.name == name; });
    const std::string_view wanted = alias == kAliases.end() ? name : alias->stack;
    std::string known;
    for (const Stack& stack : allStacks()) {
        if (stack.name == wanted) {
            return &stack;
        }
        known += (known.empty() ? "" : ", ") + std::string(stack.name);
    }
    return fail(Error::Code::NotFound,
                "stack",
                "no stack is called '" + std::string(name) + "'",
                "one of: " + known);
}

}  // namespace fabricast
