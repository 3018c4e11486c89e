#include "cli/run_program.h"
#include "planner/text/json_document.h"
#include "tests/support/typed_words.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace better_machine_test {

double stepOf(const std::string& line) {
    const ProgramOutput output =
        runProgram(typedWords("explain --section time --no-fail -f json " + line), {});
    const JsonValue root = parseJson(output.out, "out").value();
    return root.find("time")->find("step_s")->find("value")->number(0, 1e9).value();
}

/// One chip with more memory: kernels and calls are fitted together.
TEST(BetterMachine, AnH200IsNotSlowerThanAnH100) {
    for (const std::string model : {"mixtral-8x7b", "llama-3.1-8b"}) {
        for (const std::string tuning : {"full", "lora", "qlora"}) {
            for (const std::string sequence : {"512", "2048"}) {
                const std::string run =
                    "-m " + model + " --stack axolotl --tuning " + tuning + " --seq " + sequence;
                EXPECT_LE(stepOf(run + " -c dgx-h200"), stepOf(run + " -c dgx-h100")) << run;
            }
        }
    }
}

/// Its CPUs have the faster memory.
TEST(BetterMachine, OffloadOnAB300IsNotSlowerThanOnAB200) {
    const std::string run =
        "-m llama-3.1-8b --stack deepspeed --layout offload=optimizer_cpu --seq 4096";
    EXPECT_LT(stepOf(run + " -c dgx-b300"), stepOf(run + " -c dgx-b200"));
}

}  // namespace better_machine_test
}  // namespace fabricast
