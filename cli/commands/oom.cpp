#include "cli/explain_message.h"

#include <memory>

namespace fabricast {
namespace {

struct OomFlags {
    QuestionArguments question;
    std::string message = "-";
};

}  // namespace

Command oomCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app =
        program.command("oom", "Explain an out-of-memory message, and find ways out");
    app.footer(
        "The message is PyTorch's \"CUDA out of memory. Tried to allocate …\" (a whole log may be "
        "given: the\nfullest message of it is taken), Megatron's \"memory (MB) | allocated: …\", "
        "DeepSpeed's \"MA … Max_MA …\",\ntorchtitan's \"memory: 47.92GiB(60.51%)\", "
        "torch.cuda.memory_summary(), the table of nvidia-smi, or a snapshot of\n"
        "torch.cuda.memory (a pickle, or JSON).\n"
        "examples:\n"
        "  fabricast oom job.log\n"
        "  fabricast oom run.json --message job.log\n"
        "  fabricast oom -m llama-3.1-8b --gpu a100 --gpus 8 --stack fsdp2 --seq 8192 --message "
        "job.log");
    const auto flags = std::make_shared<OomFlags>();
    addScenarioArguments(app, flags->question);
    app.add("--message",
            flags->message,
            "the file with the message, or its text (default: one of FILE…, or standard input)")
        .takes("FILE");
    return {app,
            [flags, &options] { return explainMessage(flags->question, flags->message, options); }};
}

}  // namespace fabricast
