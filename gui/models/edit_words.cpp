#include "gui/models/edit_words.h"

#include "study/question_flags.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <sstream>
#include <string_view>

namespace fabricast {
namespace {

struct KeyWords {
    std::string_view path;
    std::string_view words;
};

constexpr std::array kKeyWords = {
    KeyWords{"model", "model"},
    KeyWords{"cluster.name", "hardware"},
    KeyWords{"cluster.nodes", "servers"},
    KeyWords{"cluster.gpus", "GPUs in all"},
    KeyWords{"cluster.fabric", "network"},
    KeyWords{"cluster.gpu", "GPU"},
    KeyWords{"stack", "training software"},
    KeyWords{"search.stacks", "training software"},
    KeyWords{"workload.sequence", "sequence length"},
    KeyWords{"workload.global_batch", "global batch"},
    KeyWords{"workload.precision", "precision"},
    KeyWords{"workload.optimizer", "optimizer"},
    KeyWords{"operation.mtbf", "time between failures"},
    KeyWords{"cluster.gpus_per_node", "GPUs of each"},
    KeyWords{"cluster.host_memory", "host memory"},
    KeyWords{"cluster.nvme", "drives of a server"},
    KeyWords{"settings.tuning", "tuning"},
    KeyWords{"settings.allocator", "memory allocator of PyTorch"},
    KeyWords{"settings.max_split_size_mb", "largest piece that PyTorch splits (MB, 0: any)"},
    KeyWords{"settings.lora.base", "numbers of the frozen weights"},
    KeyWords{"settings.lora.double_quantization", "quantise their scales too"},
    KeyWords{"settings.kernels.compile", "compile the model (torch.compile)"},
    KeyWords{"settings.kernels.attention", "attention kernel"},
    KeyWords{"settings.kernels.attention_code", "attention package"},
    KeyWords{"settings.kernels.loss", "loss kernel"},
    KeyWords{"settings.kernels.norm", "norm kernel"},
    KeyWords{"settings.kernels.rope", "rotary embedding kernel"},
    KeyWords{"settings.kernels.activation", "activation kernel"},
    KeyWords{"settings.kernels.dispatch_once_per_node",
             "send each token once to a server's experts"},
    KeyWords{"settings.precision.tf32", "products of fp32 in TF32"},
    KeyWords{"settings.megatron.overlap_grad_reduce", "reduce gradients during backward"},
    KeyWords{"settings.megatron.overlap_param_gather", "gather weights during forward"},
    KeyWords{"settings.megatron.tensor_overlap", "overlap tensor-parallel communication"},
    KeyWords{"settings.megatron.expert_overlap", "overlap expert-parallel communication"},
    KeyWords{"settings.torch.bucket_view", "gradients kept in their buckets"},
    KeyWords{"settings.torch.sync", "gradients are reduced"},
    KeyWords{"settings.phases.evaluation_batch", "samples that a GPU evaluates at once"},
    KeyWords{"settings.phases.kept_logits", "batches of logits that an evaluation keeps"},
    KeyWords{"settings.phases.loading", "weights are loaded in"},
    KeyWords{"settings.phases.checkpoint", "whole weights of a checkpoint"},
    KeyWords{"layout.tp", "tensor parallel (tp)"},
    KeyWords{"layout.pp", "pipeline parallel (pp)"},
    KeyWords{"layout.vpp", "pipeline chunks (vpp)"},
    KeyWords{"layout.cp", "context parallel (cp)"},
    KeyWords{"layout.ep", "expert parallel (ep)"},
    KeyWords{"layout.dp", "data parallel (dp)"},
    KeyWords{"layout.shard", "sharding"},
    KeyWords{"layout.micro_batch", "micro-batch"},
    KeyWords{"layout.recompute", "recompute"},
    KeyWords{"layout.offload", "keep in host memory"},
    KeyWords{"search.allow", "allow"},
    KeyWords{"search.software", "software settings"}};

/// "settings.torch.reshard_after" is "reshard after".
std::string lastPart(std::string_view path) {
    std::string words(path.substr(path.rfind('.') + 1));
    std::ranges::replace(words, '_', ' ');
    return words;
}

struct ValueWords {
    std::string_view value;
    std::string_view words;
};

/// Values that are names of a program or a file, and of no key else.
constexpr std::array kValueWords = {ValueWords{"liger", "Liger's"},
                                    ValueWords{"chunked", "in chunks"},
                                    ValueWords{"flash", "FlashAttention"},
                                    ValueWords{"flash2", "FlashAttention 2"},
                                    ValueWords{"nf4", "4 bits (NF4)"},
                                    ValueWords{"each_micro_batch", "after each micro-batch"},
                                    ValueWords{"cpu", "host memory"},
                                    ValueWords{"optimizer_cpu", "optimizer states"},
                                    ValueWords{"parameters_cpu", "weights and optimizer states"},
                                    ValueWords{"optimizer_nvme", "optimizer states, on drives"},
                                    ValueWords{"parameters_nvme", "weights too, on drives"},
                                    ValueWords{"full_cpu", "gathered in host memory"},
                                    ValueWords{"expandable_segments", "segments that grow"}};

std::string valueWords(const std::string& value) {
    const auto known = std::ranges::find(kValueWords, value, &ValueWords::value);
    if (known != kValueWords.end()) {
        return std::string(known->words);
    }
    return value == "null" ? "auto" : value == "true" ? "on" : value == "false" ? "off" : value;
}

bool isOfFlag(char letter) {
    return letter == '-' || (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
}

/// "--set layout.tp=null" at a place of a message: its edit, and where it ends.
struct TypedKey {
    std::string words;
    std::size_t end = 0;
};

std::optional<TypedKey> typedKeyAt(const std::string& message, std::size_t at) {
    constexpr std::string_view kSet = "--set ";
    if (at >= message.size() || !std::string_view(message).substr(at).starts_with(kSet)) {
        return {};
    }
    const std::size_t begin = at + kSet.size();
    const std::size_t end = std::min(message.find_first_of(" ,;)\"", begin), message.size());
    const std::string typed = message.substr(begin, end - begin);
    const std::size_t equals = typed.find('=');
    if (equals == std::string::npos || equals + 1 == typed.size()) {
        return {};
    }
    return TypedKey{keyWords(typed.substr(0, equals)) + ": " + valueWords(typed.substr(equals + 1)),
                    end};
}

}  // namespace

std::string keyWords(const std::string& path) {
    const auto known = std::ranges::find(kKeyWords, path, &KeyWords::path);
    return known != kKeyWords.end() ? std::string(known->words) : lastPart(path);
}

std::string windowWords(const std::string& message) {
    std::string words;
    for (std::size_t at = 0; at < message.size();) {
        if (const std::optional<TypedKey> key = typedKeyAt(message, at)) {
            words += key->words;
            at = key->end;
            words += typedKeyAt(message, at + 1) ? "," : "";  // "a=1 --set b=2"
            continue;
        }
        const bool begins =
            message[at] == '-' &&
            (at == 0 || std::string_view(" (\"'").find(message[at - 1]) != std::string_view::npos);
        std::size_t end = at;
        while (begins && end < message.size() && isOfFlag(message[end])) {
            ++end;
        }
        const QuestionFlag* flag =
            begins ? flagTyped(std::string_view(message).substr(at, end - at)) : nullptr;
        if (flag != nullptr) {
            words += keyWords(std::string(flag->path));
            words += std::string_view(message).substr(end).starts_with(" states it")
                         ? " on the left"
                         : "";
            at = end;
        } else {
            words += message[at++];
        }
    }
    return words;
}

std::string windowHint(const std::string& hint) {
    if (hint.starts_with("fabricast profiles list")) {
        return "choose one of the list on the left";
    }
    constexpr std::string_view kOr = ", or ";
    const std::size_t end = hint.find(kOr);
    if (end != std::string::npos && hint.find(std::string(kOr) + "-") != end) {
        return windowWords(hint);  // of one flag there is more than one value
    }
    std::istringstream words(hint.substr(0, end));
    std::string names;
    std::string values;
    for (std::string flag, value; words >> flag;) {
        const QuestionFlag* const typed = flagTyped(flag);
        const bool isControl =
            typed != nullptr &&
            std::ranges::find(kKeyWords, typed->path, &KeyWords::path) != kKeyWords.end();
        if (!isControl || !(words >> value)) {
            return windowWords(hint);
        }
        std::string name = keyWords(std::string(typed->path));
        name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
        names += (names.empty() ? "\"" : " and \"") + name + "\"";
        values += (values.empty() ? "" : " and ") + value;
    }
    return names.empty() ? windowWords(hint) : "set " + names + " on the left, such as " + values;
}

std::string errorWords(const Error& error) {
    const Error said{error.code, error.where, windowWords(error.why), windowHint(error.hint)};
    return windowWords(said.text());
}

std::string whyWords(const Error& error) {
    return errorWords({error.code, error.where, error.why, {}});
}

std::string editWords(std::span<const Edit> edits) {
    std::string text;
    for (const Edit& edit : edits) {
        const bool isLifted = edit.path == "search.forbid" && edit.value == "null";
        text += text.empty() ? "" : ", ";
        text +=
            isLifted ? "nothing is forbidden" : keyWords(edit.path) + ": " + valueWords(edit.value);
    }
    return text;
}

}  // namespace fabricast
