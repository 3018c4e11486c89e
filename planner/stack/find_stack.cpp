#include "planner/base/nearest_name.h"
#include "planner/stack/stack_list.h"

#include <array>
#include <vector>

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
                                 Alias{"trainer", "accelerate"}};

std::string_view withoutAlias(std::string_view name) {
    for (const Alias& alias : kAliases) {
        if (alias.name == name) {
            return alias.stack;
        }
    }
    return name;
}

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
    const std::string_view wanted = withoutAlias(name);
    std::vector<std::string_view> known;
    for (const Stack& stack : allStacks()) {
        if (stack.name == wanted) {
            return &stack;
        }
        known.push_back(stack.name);
    }
    return fail(Error::Code::NotFound,
                "stack",
                "no stack is called \"" + std::string(name) + "\"",
                suggestName(name, known));
}

}  // namespace fabricast
