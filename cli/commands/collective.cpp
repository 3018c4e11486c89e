#include "study/collective.h"

#include "cli/answer_forms.h"
#include "flags/question_arguments.h"
#include "planner/base/quantity_text.h"
#include "planner/report/collective_report.h"

#include <charconv>
#include <memory>
#include <string>
#include <utility>

namespace fabricast {
namespace {

constexpr std::int64_t kMostGpus = 1'000'000;

struct CollectiveFlags {
    CollectiveAsk ask;
    std::string size;
    std::int64_t nodes = 0;
    std::int64_t gpus = 0;
    std::int64_t gpusPerNode = 0;
    std::int64_t ranks = 0;
    bool why = false;
};

std::optional<std::int64_t> typedCount(std::int64_t count) {
    return count > 0 ? std::optional(count) : std::nullopt;
}

/// A bare number is a size without a unit, or the number of ranks in its place; some are neither.
Result<Bytes> typedSize(const CollectiveFlags& flags) {
    Result<Bytes> size = parseQuantity<Bytes>(flags.size, "size");
    if (size) {
        return size;
    }
    const std::string some = flags.ask.operation + " 1GB";
    std::int64_t bare = 0;
    const char* const end = flags.size.data() + flags.size.size();
    const auto [stop, trouble] = std::from_chars(flags.size.data(), end, bare);
    const bool isCount = trouble == std::errc() && stop == end && bare > 0 && bare <= kMostGpus;
    size.error().hint = isCount ? flags.ask.operation + " " + flags.size + "MB" : some;
    if (isCount && bare > 1) {
        size.error().hint += "; of " + flags.size + " ranks: " + some + " --ranks " + flags.size;
    }
    return size;
}

Result<CollectiveAsk> collectiveAsk(const CollectiveFlags& flags, const GlobalOptions& options) {
    CollectiveAsk ask = flags.ask;
    FABRICAST_ASSIGN(ask.size, typedSize(flags));
    ask.cluster.nodes = typedCount(flags.nodes);
    ask.cluster.gpus = typedCount(flags.gpus);
    ask.cluster.gpusPerNode = typedCount(flags.gpusPerNode);
    ask.cluster.where = ask.cluster.gpu.empty() ? "-c" : "--gpu";
    ask.cluster.fabricWhere = "--fabric";
    ask.cluster.typed = true;
    ask.ranks = typedCount(flags.ranks);
    ask.folders = {.typed = options.directory};
    return ask;
}

struct ShownCollective {
    CollectiveAnswer answer;
    bool why = false;
};
using CollectiveForm = AnswerForm<ShownCollective>;
constexpr std::array kCollectiveForms = {
    CollectiveForm{"text",
                   [](const ShownCollective& all) { return collectiveText(all.answer, all.why); }},
    CollectiveForm{
        "json",
        [](const ShownCollective& all) { return collectiveJson(all.answer, FABRICAST_VERSION); }},
    CollectiveForm{"csv", [](const ShownCollective& all) { return collectiveCsv(all.answer); }},
    CollectiveForm{"md",
                   [](const ShownCollective& all) { return collectiveMarkdown(all.answer); }}};

Result<Answer> runCollective(const CollectiveFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const CollectiveAsk ask, collectiveAsk(flags, options));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    FABRICAST_ASSIGN(CollectiveAnswer answer, collective(ask, bench));
    if (options.quiet && options.format == Format::Text) {
        answer.notes.clear();
    }
    const ShownCollective all{std::move(answer), flags.why || options.verbose};
    Answer printed = answerIn(options.format, all, kCollectiveForms);
    printed.leanOn(all.answer.notes);
    return printed;
}

void addPlaceFlags(const FlagSet& app, CollectiveFlags& flags) {
    constexpr const char* kGroup = "The GPUs";
    ClusterRequest& cluster = flags.ask.cluster;
    app.add("-c,--cluster", cluster.name, "a cluster or node: dgx-h100")
        .takes("NAME", "dgx-h100")
        .group(kGroup);
    app.add("-n,--nodes", flags.nodes, {1, kMostGpus}).describe("number of nodes").group(kGroup);
    app.add("--gpus", flags.gpus, {1, kMostGpus})
        .describe("total number of GPUs, instead of -n")
        .group(kGroup);
    app.add("--gpu", cluster.gpu, "nodes with this GPU, instead of -c")
        .takes("NAME", "h100-sxm5-80gb")
        .group(kGroup);
    app.add("--gpus-per-node", flags.gpusPerNode, {1, kMostGpus})
        .describe("with --gpu; with -c only so many of each node")
        .group(kGroup);
    app.add("--fabric", cluster.fabric, "network of these nodes, instead of their own: ib-ndr")
        .takes("NAME", "ib-ndr")
        .group(kGroup);
    app.add("--ranks", flags.ranks, {1, kMostGpus})
        .describe("the first so many GPUs (default: all)")
        .takes("N", "2")
        .group(kGroup);
}

}  // namespace

Command collectiveCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app =
        program.command("collective", "Time one collective, as nccl-tests would measure it");
    app.footer(
        "collectives: all_reduce all_gather reduce_scatter broadcast reduce alltoall sendrecv\n"
        "Sizes are of the whole tensor: what an all-gather puts out and a reduce-scatter takes "
        "in.\n"
        "examples:\n"
        "  fabricast collective all_reduce 140GB -c dgx-h100 -n 8\n"
        "  fabricast collective all_gather 1GiB -c 8x-rtx-4090 --curve\n"
        "  fabricast collective alltoall 64MB -c dgx-h100 -n 4 --ranks 16 --why");
    const auto flags = std::make_shared<CollectiveFlags>();
    app.add("collective", flags->ask.operation, "name of a collective: all_reduce")
        .takes("NAME")
        .required();
    app.add("size", flags->size, "bytes of the whole tensor: 140GB").takes("SIZE").required();
    addPlaceFlags(app, *flags);
    app.add("--curve", flags->ask.curve, "smaller sizes too, each a quarter of the next");
    app.add("--why", flags->why, "what the time rests on");
    return {app, [flags, &options] { return runCollective(*flags, options); }};
}

}  // namespace fabricast
