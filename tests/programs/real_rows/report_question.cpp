#include "tests/programs/real_rows/memory_report.h"
#include "tests/programs/real_rows/software_of_its_day.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <sstream>

namespace fabricast {

namespace {

/// The edits of a question as they are collected, and what they leave open.
class Asked {
public:
    void set(std::string path, std::string value) {
        edits_.push_back({std::move(path), std::move(value), "--set"});
    }
    void assume(std::string what) { assumed_.push_back(std::move(what)); }
    /// The cell, or where it is empty the least that it can be. That says something only where the
    /// states are known, by how they are divided and what is trained.
    Result<double> orLeast(const MemoryReport& report, const std::string& column, double least) {
        FABRICAST_ASSIGN(const std::optional<double> gpus, report.number("gpus"));
        const bool isDivided = !report.words("layout").empty() || gpus == 1.0;
        if (!isDivided || report.words("tuning").empty()) {
            return report.needed(column);
        }
        FABRICAST_ASSIGN(const std::optional<double> said, report.number(column));
        if (!said) {
            silent_.push_back(column);
            assume(column + ": " + std::to_string(std::llround(least)) + " or more");
        }
        return said.value_or(least);
    }
    [[nodiscard]] bool isOfTheLeast() const { return !silent_.empty(); }

    [[nodiscard]] Result<ReportQuestion> question() && {
        FABRICAST_ASSIGN(const Question nothing, readQuestion("", ""));
        FABRICAST_ASSIGN(Question asked, with(nothing, edits_));
        return ReportQuestion{std::move(asked), std::move(assumed_), std::move(silent_)};
    }

private:
    std::vector<Edit> edits_;
    std::vector<std::string> assumed_;
    std::vector<std::string> silent_;
};

/// "tp2 pp4 dp8, no sp" as {tp: 2, pp: 4, dp: 8}.
std::map<std::string, std::int64_t> degreesOf(const std::string& layout) {
    std::map<std::string, std::int64_t> degrees;
    std::string word;
    for (std::istringstream words(layout); words >> word;) {
        const auto digit = std::ranges::find_if(
            word, [](unsigned char letter) { return std::isdigit(letter) != 0; });
        const std::string axis(word.begin(), digit);
        for (const std::string_view known : {"tp", "pp", "cp", "dp", "ep", "etp", "vpp"}) {
            if (axis == known && digit != word.end() && word.end() - digit < 7) {
                degrees[axis] = std::stoll(std::string(digit, word.end()));
            }
        }
    }
    return degrees;
}

std::string shardOf(const std::string& layout, const std::string& stack) {
    for (const std::string_view shard : {"zero1", "zero2", "zero3", "hsdp"}) {
        if (layout.find(shard) != std::string::npos) {
            const bool optimizerOnly = stack == "megatron" && shard != "zero1";
            return optimizerOnly ? "" : std::string(shard);
        }
    }
    if (layout.find("no dist-opt") != std::string::npos) {
        return "none";
    }
    if (layout.find("grad_op") != std::string::npos) {
        return "zero2";
    }
    return layout.find("dist-opt") != std::string::npos ? "zero1" : "";
}

/// The number after "rank" or "r" in the notes: "lora rank 64", "lora r 16 q,k,v,o".
std::string loraRank(const MemoryReport& report) {
    for (const std::string_view key : {"rank ", "lora r "}) {
        const std::string notes = report.words("notes");
        const std::size_t at = notes.find(key);
        if (at != std::string::npos && std::isdigit(static_cast<unsigned char>(
                                           notes[std::min(at + key.size(), notes.size() - 1)]))) {
            return notes.substr(
                at + key.size(),
                notes.find_first_not_of("0123456789", at + key.size()) - (at + key.size()));
        }
    }
    return {};
}

std::string whole(double value) {
    return std::to_string(std::llround(value));
}

/// As said, or as many as the layout has ranks where it names them all.
Result<double> gpusOf(const MemoryReport& report) {
    FABRICAST_ASSIGN(const std::optional<double> said, report.number("gpus"));
    if (said) {
        return *said;
    }
    const std::map<std::string, std::int64_t> degrees = degreesOf(report.words("layout"));
    double ranks = 1;
    for (const auto& [axis, count] : degrees) {
        const bool divides = axis == "tp" || axis == "pp" || axis == "cp" || axis == "dp";
        ranks *= divides ? static_cast<double>(std::max<std::int64_t>(1, count)) : 1.0;
    }
    return degrees.contains("dp") ? ranks : report.needed("gpus");
}

Result<void> addPlace(const MemoryReport& report, Asked& asked) {
    FABRICAST_ASSIGN(const NamedGpu gpu, gpuOf(report));
    FABRICAST_ASSIGN(const double gpus, gpusOf(report));
    if (gpu.anyOfItsSize) {
        asked.assume("gpu: " + gpu.profile + ", as the row gives the size alone");
    }
    FABRICAST_ASSIGN(const std::optional<double> said, report.number("gpus_per_node"));
    const double perNode = std::min(gpus, said.value_or(8));
    asked.set("cluster.gpu", gpu.profile);
    asked.set("cluster.gpus", whole(gpus));
    asked.set("cluster.gpus_per_node", whole(perNode));
    if (gpus > perNode) {
        asked.set("cluster.fabric", "ib-ndr");
        asked.assume("network: InfiniBand NDR");
    }
    return {};
}

Result<void> addSequence(const MemoryReport& report, Asked& asked) {
    constexpr double kShortest = 64;
    FABRICAST_ASSIGN(const double said, asked.orLeast(report, "seq", kShortest));
    if (said > kForgottenLength && forgetsItsLength(report)) {
        asked.set("workload.sequence", std::to_string(kForgottenLength));
        asked.assume("seq: cut to 1024, as TRL did then");
    } else {
        asked.set("workload.sequence", whole(said));
    }
    return {};
}

Result<void> addLayout(const MemoryReport& report, const std::string& stack, Asked& asked) {
    const std::string layout = report.words("layout");
    const std::map<std::string, std::int64_t> degrees = degreesOf(layout);
    FABRICAST_ASSIGN(const double gpus, gpusOf(report));
    FABRICAST_ASSIGN(const double microBatch, asked.orLeast(report, "micro_batch", 1));
    FABRICAST_ASSIGN(const std::optional<double> batch, report.number("global_batch"));
    FABRICAST_ASSIGN(const std::optional<double> steps, report.number("grad_accum"));
    std::int64_t inner = 1;
    for (const auto& [axis, count] : degrees) {
        if (axis != "dp") {
            asked.set("layout." + axis, std::to_string(count));
        }
        inner *=
            axis == "tp" || axis == "pp" || axis == "cp" ? std::max<std::int64_t>(1, count) : 1;
    }
    const double replicas = std::max(1.0, std::floor(gpus / static_cast<double>(inner)));
    asked.set("layout.micro_batch", whole(microBatch));
    if (const std::string shard = shardOf(layout, stack); !shard.empty()) {
        asked.set("layout.shard", shard);
    }
    if (layout.find("no sp") != std::string::npos) {
        asked.set("layout.sp", "false");
    }
    if (!batch && !steps) {
        asked.assume("global_batch: one microbatch a rank and stage");
    }
    const auto stages = static_cast<double>(degrees.count("pp") != 0 ? degrees.at("pp") : 1);
    asked.set("workload.global_batch",
              whole(batch.value_or(steps.value_or(stages) * microBatch * replicas)));
    return {};
}

/// In the words of the frameworks.
Result<void> addRecompute(const MemoryReport& report, Asked& asked) {
    const std::string said = report.words("recompute");
    const bool silent = said.empty() || said == "?";
    if (said == "n" || said == "none") {
        asked.set("layout.recompute", "none");
    } else if (said == "y" || said.starts_with("full") || said == "activation checkpointing") {
        asked.set("layout.recompute", "full");
    } else if (said.starts_with("selective")) {
        asked.set("layout.recompute", "selective");
    } else if (said == "moe activation recompute") {
        asked.set("layout.recompute", "moe");
    } else if (!silent) {
        return fail(Error::Code::Unsupported, "recompute", "'" + said + "' is not modelled");
    } else if (asked.isOfTheLeast()) {
        asked.set("layout.recompute", "full");
        asked.assume("recompute: all layers, which takes least");
    } else if (recomputesAllLayers(report)) {
        asked.set("layout.recompute", "full");
        asked.assume("recompute: all layers, this framework's default");
    } else {
        asked.assume("recompute: the stack's default");
    }
    return {};
}

Result<void> addPrecision(const MemoryReport& report, const std::string& stack, Asked& asked) {
    const std::map<std::string, std::string> kNames = {{"bf16", "bf16"},
                                                       {"bf16 amp", "bf16"},
                                                       {"bf16, fp32 master", "bf16"},
                                                       {"fp16", "fp16"},
                                                       {"fp16 amp", "fp16"},
                                                       {"fp32", "fp32"},
                                                       {"bf16-true", "pure_bf16"},
                                                       {"bf16 true", "pure_bf16"},
                                                       {"pure bf16", "pure_bf16"},
                                                       {"fp8_cs", "fp8_tensorwise"},
                                                       {"fp8_mx", "mxfp8"},
                                                       {"nvfp4", "nvfp4"}};
    std::string said = report.words("precision");
    if (said.empty()) {
        said = report.says("gpu", "v100") || report.says("gpu", "t4 ") ? "fp16" : "bf16";
        asked.assume("precision: " + said);
    }
    const auto known = kNames.find(said);
    if (known == kNames.end()) {
        return fail(Error::Code::Unsupported, "precision", "'" + said + "' is not modelled");
    }
    const bool pure = report.says("stack", "torchtune") && known->second == "bf16";
    asked.set("workload.precision", pure ? "pure_bf16" : known->second);
    if (stack == "ddp" && said == "bf16" && !report.words("precision").empty()) {
        asked.assume("precision: weights of 32 bits under autocast");
    }
    return {};
}

Result<void> addTuning(const MemoryReport& report, Asked& asked) {
    const std::string said = report.words("tuning");
    if (said.empty() || said == "full" || said == "full (pretraining)") {
        return {};
    }
    if (said != "lora" && said != "qlora" && said != "lora on int8" && said != "qlora nf4 dq") {
        return fail(Error::Code::Unsupported, "tuning", "'" + said + "' is not modelled");
    }
    asked.set("settings.tuning", said.starts_with("qlora") ? "qlora" : "lora");
    if (said == "lora on int8") {
        asked.set("settings.lora.base", "int8");
    }
    if (said == "qlora nf4 dq") {
        asked.set("settings.lora.double_quantization", "true");
    }
    if (const std::string rank = loraRank(report); !rank.empty()) {
        asked.set("settings.lora.rank", rank);
    } else {
        asked.assume("lora: rank 16 on all linear layers");
    }
    return {};
}

Result<void> addOptimizer(const MemoryReport& report, const std::string& stack, Asked& asked) {
    const std::string said = report.words("optimizer");
    const bool onHost = !report.words("offload").empty() || report.says("optimizer", "cpu");
    if (fillsInBuckets(report, stack) && !onHost) {
        asked.set("settings.optimizer.kernel", "foreach");
        asked.assume("optimizer: torch's AdamW, as this framework's DeepSpeed files name none");
    }
    if (said.find("8bit") != std::string::npos) {
        asked.set("workload.optimizer",
                  said.starts_with("paged") ? "paged_adamw_8bit" : "adamw_8bit");
    } else if (said == "sgd") {
        asked.set("workload.optimizer", "sgd");
    } else if (said.find("bf16 moments") != std::string::npos) {
        asked.set("settings.precision.moments", "bf16");
    } else if (!said.empty() && !said.starts_with("adam")) {
        return fail(Error::Code::Unsupported, "optimizer", "'" + said + "' is not modelled");
    }
    const std::string offload = report.words("offload");
    if (offload.find("ref") != std::string::npos ||
        offload.find("activation") != std::string::npos) {
        return fail(Error::Code::Unsupported, "offload", "'" + offload + "' is not modelled");
    }
    if (offload.find("param") != std::string::npos) {
        asked.set("layout.offload", "parameters_cpu");
    } else if (!offload.empty() || report.says("optimizer", "cpu")) {
        asked.set("layout.offload", "optimizer_cpu");
    }
    return {};
}

void addKernels(const MemoryReport& report, const std::string& stack, Asked& asked) {
    const std::string attention = report.words("attention");
    if (attention.starts_with("eager") || attention.starts_with("unfused")) {
        asked.set("settings.kernels.attention", "unfused");
    } else if (attention.empty() && keepsScoresOfSinks(report, stack)) {
        asked.set("settings.kernels.attention", "unfused");
        asked.assume("attention: unfused, as no fused one took sinks then");
    }
    if (report.says("stack", "compile")) {
        asked.set("settings.kernels.compile", "true");
    }
    if (report.words("expandable_segments") == "y") {
        asked.set("settings.allocator", "expandable_segments");
    }
}

}  // namespace

Result<ReportQuestion> questionOf(const MemoryReport& report) {
    Asked asked;
    FABRICAST_ASSIGN(const std::string stack, stackOf(report));
    FABRICAST_ASSIGN(const std::string model, modelOf(report));
    FABRICAST_TRY(addPlace(report, asked));
    asked.set("model", model);
    asked.set("stack", stack);
    FABRICAST_TRY(addSequence(report, asked));
    FABRICAST_TRY(addLayout(report, stack, asked));
    FABRICAST_TRY(addRecompute(report, asked));
    FABRICAST_TRY(addPrecision(report, stack, asked));
    FABRICAST_TRY(addTuning(report, asked));
    FABRICAST_TRY(addOptimizer(report, stack, asked));
    addKernels(report, stack, asked);
    return std::move(asked).question();
}

}  // namespace fabricast
