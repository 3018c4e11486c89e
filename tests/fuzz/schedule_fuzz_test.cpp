#include "cli/run_program.h"
#include "planner/text/json_document.h"
#include "tests/support/text_mutator.h"

#include <gtest/gtest.h>

#include <chrono>
#include <span>
#include <string>
#include <vector>

namespace fabricast {
namespace {

using Arguments = std::vector<std::string>;

const std::vector<Arguments>& seeds() {
    static const std::vector<Arguments> commands = {
        {"1f1b", "--pp", "4", "--microbatches", "8", "--durations", "F=1 2 3 4;B=2", "--p2p", "1"},
        {"interleaved", "--stack", "megatron", "--vpp", "3", "--group", "5", "--microbatches", "9"},
        {"interleaved-overlap-ep", "--stack", "nemo", "--pair", "seq", "--recv", "block"},
        {"zbv", "--stack", "torchtitan", "--durations", "F=4.1;I=0.004;W=3", "--p2p", "0.25"},
        {"dualpipev", "--stack", "deepspeed", "--pp", "3", "--microbatches", "7"},
        {"dualpipe", "--pp", "6", "--microbatches", "14"},
        {"looped-bfs", "--vpp", "4", "--microbatches", "3"},
        {"interleaved-zb", "--group", "6", "--microbatches", "12"},
        {"zb-h1", "--microbatches", "2"},
        {"zb-h2", "--pp", "7"},
        {"v-half", "--pp", "5"},
        {"v-min", "--microbatches", "1"}};
    return commands;
}

/// Another command's word for one of the command's, or a broken one.
Arguments mutated(TextMutator& mutator, Arguments arguments) {
    const std::size_t at = mutator.below(arguments.size());
    if (mutator.oneIn(2)) {
        const Arguments& other = mutator.oneOf(std::span<const Arguments>(seeds()));
        arguments[at] = other[mutator.below(other.size())];
    } else {
        arguments[at] = mutator.mutated(arguments[at]);
    }
    return arguments;
}

// For any input, an answer without negative numbers, or an error with the reason.
TEST(ScheduleFuzz, MutatedCommandLines) {
    std::size_t answered = 0;
    for (std::size_t seed = 0; seed < 3000; ++seed) {
        TextMutator mutator(seed);
        Arguments arguments = mutated(mutator, seeds()[seed % seeds().size()]);
        arguments.insert(arguments.begin(), "schedule");
        arguments.insert(arguments.end(), {"-f", "json"});
        const auto begin = std::chrono::steady_clock::now();
        const ProgramOutput output = runProgram(arguments, {});
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
        if (output.code == ExitCode::BadInput) {
            EXPECT_TRUE(output.err.starts_with("error: ")) << output.err;
            continue;
        }
        ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
        const auto document = parseJson(output.out, "out");
        if (document && document->find("makespan") != nullptr) {  // not --help
            EXPECT_TRUE(document->find("makespan")->number(0, 1e30)) << output.out.substr(0, 500);
            ++answered;
        }
    }
    EXPECT_GT(answered, 300U);
}

}  // namespace
}  // namespace fabricast
