#include "tests/support/profile_folder.h"
#include "tests/support/program_answer.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace own_correction_test {

/// A correction of H100s: communication at this share of its speed.
std::string correctionOf(const std::string& name,
                         const std::string& date,
                         const std::string& speed) {
    return R"({"schema": "fabricast.correction/2", "name": ")" + name +
           R"(", "title": "ours", "source": "fitted", "from": "ours.csv", "date": ")" + date +
           R"(", "gpu": "h100-sxm5-80gb", "runs": 9, "groups": 4,
           "median_error": {"before": 0.2, "after": 0.02},
           "factors": [{"factor": "network", "speed": )" +
           speed + R"(, "error": 0.05, "runs": 9}], "intervals": []})";
}

const std::string kWork = " -m llama-3.2-1b -c dgx-h100 --seq 2048 --global-batch 64 ";
const std::string kNote = "corrected by ours, 2026-11-20: network 0.500";

ProgramOutput correctedBy(const TemporaryProfiles& folder, const std::string& line) {
    return ran(line, {"--profile-dir", folder.path()});
}

TEST(OwnCorrection, IsNamedByEveryAnswerThatLeansOnIt) {
    const TemporaryProfiles folder;
    folder.write("corrections/ours.json", correctionOf("ours", "2026-11-20", "0.5"));
    for (const std::string& line : {"plan --stack fsdp2" + kWork,
                                    "advise --set search.stacks=fsdp2" + kWork,
                                    "explain --stack fsdp2 --section time" + kWork,
                                    "simulate --stack fsdp2" + kWork,
                                    "size --stack fsdp2 -n 1,2" + kWork,
                                    "compare --stack fsdp2,ddp" + kWork}) {
        const ProgramOutput answer = correctedBy(folder, line);
        EXPECT_NE(answer.out.find("\nmeasured: " + kNote), std::string::npos)
            << line << answer.out << answer.err;
    }
}

TEST(OwnCorrection, VerifyWarnsOfTwoThatContradictEachOther) {
    const TemporaryProfiles folder;
    folder.write("corrections/a.json", correctionOf("a", "2026-10-20", "0.9"));
    folder.write("corrections/b.json", correctionOf("b", "2026-11-20", "0.4"));
    const ProgramOutput verified = correctedBy(folder, "profiles verify");
    EXPECT_EQ(verified.code, ExitCode::Ok) << verified.err;
    EXPECT_NE(verified.out.find("b.json: contradicts \"a\", which is also of h100-sxm5-80gb: "
                                "network has the speed 0.4 here and 0.9 there"),
              std::string::npos)
        << verified.out;
}

TEST(OwnCorrection, IsNamedByEverySideOfAComparisonInJson) {
    const TemporaryProfiles folder;
    folder.write("corrections/ours.json", correctionOf("ours", "2026-11-20", "0.5"));
    const JsonValue root =
        jsonOf(correctedBy(folder, "compare -f json --stack fsdp2,ddp" + kWork).out);
    ASSERT_NE(root.find("sides"), nullptr);
    for (const JsonValue& side : root.find("sides")->items()) {
        ASSERT_NE(side.find("assumed"), nullptr);
        std::string all;
        for (const JsonValue& note : side.find("assumed")->items()) {
            all += note.text().value_or("") + "\n";
        }
        EXPECT_NE(all.find(kNote), std::string::npos) << all;
    }
}

// Without the folder the same words would be another question.
TEST(OwnCorrection, TheFolderIsTypedInWhatComesNext) {
    const TemporaryProfiles folder;
    folder.write("corrections/ours.json", correctionOf("ours", "2026-11-20", "0.5"));
    for (const std::string& line : {"plan --stack fsdp2" + kWork,
                                    "advise --set search.stacks=fsdp2" + kWork,
                                    "explain --stack fsdp2" + kWork,
                                    "size --stack fsdp2 -n 1" + kWork}) {
        const ProgramOutput answer = correctedBy(folder, line);
        const std::size_t next = answer.out.find("\nnext: fabricast ");
        ASSERT_NE(next, std::string::npos) << line << answer.out << answer.err;
        EXPECT_NE(answer.out.find("--profile-dir " + folder.path(), next), std::string::npos)
            << answer.out.substr(next);
    }
}

TEST(OwnCorrection, TheNewestOfSeveralWinsAndTheOthersAreNamed) {
    const TemporaryProfiles folder;
    folder.write("corrections/older.json", correctionOf("older", "2026-10-01", "0.75"));
    folder.write("corrections/ours.json", correctionOf("ours", "2026-11-20", "0.5"));
    const std::string out = correctedBy(folder, "explain --stack fsdp2 --section time" + kWork).out;
    EXPECT_NE(out.find(kNote), std::string::npos) << out;
    EXPECT_NE(out.find("the correction older, 2026-10-01 is not used, ours, 2026-11-20 is"),
              std::string::npos)
        << out;
}

// What a run is compared by has to be there, and to be a number that a step can have.
TEST(OwnCorrection, RunsToCompareWithAreRead) {
    std::string like = R"([{"run": "own-1", "settings": "torch-eager bf16 none full fsdp",
        "counts": {"tp": 1, "pp": 1, "cp": 1, "ep": 1, "micro_batch": 1, "samples_per_gpu": 8,
                   "sequence": 2048, "gpus": 8, "hidden": 2048, "layers": 16},
        "shares": {"gemm": 0.6, "attention": 0.1, "memory_bound": 0.2, "tensor": 0, "context": 0,
                   "expert": 0, "shard": 0, "stage": 0, "bubble": 0, "optimizer": 0.1, "host": 0},
        "weight": 0.05}])";
    const auto answered = [](const std::string& runs) {
        const TemporaryProfiles folder;
        std::string file = correctionOf("ours", "2026-11-20", "1");
        file.replace(file.find("correction/2"), 12, "correction/3");
        file.replace(file.rfind('}'), 1, ", \"like\": " + runs + "}");
        folder.write("corrections/ours.json", file);
        return correctedBy(folder, "explain --stack fsdp2 --section time" + kWork);
    };
    const ProgramOutput good = answered(like);
    EXPECT_EQ(good.code, ExitCode::Ok) << good.err;
    EXPECT_NE(good.out.find("likeness to 1 runs"), std::string::npos) << good.out;
    for (const auto& [from, to] : {std::pair(R"("tp": 1)", R"("tp": 0)"),
                                   std::pair(R"("host": 0)", R"("host": 7)"),
                                   std::pair(R"("gpus": 8, )", ""),
                                   std::pair(R"("weight": 0.05)", R"("weight": 1e9)")}) {
        std::string bad = like;
        bad.replace(bad.find(from), std::string(from).size(), to);
        const ProgramOutput answer = answered(bad);
        EXPECT_EQ(answer.code, ExitCode::BadInput) << to << answer.out;
        EXPECT_NE(answer.err.find("ours.json:"), std::string::npos) << answer.err;
    }
}

TEST(OwnCorrection, IsRefusedOutsideItsBoundsAndWithoutADay) {
    const std::string line = "explain --stack fsdp2 --section time" + kWork;
    for (const std::string speed : {"0", "-1", "0.3", "1.7"}) {
        const TemporaryProfiles folder(speed);
        folder.write("corrections/ours.json", correctionOf("ours", "2026-11-20", speed));
        const ProgramOutput answer = correctedBy(folder, line);
        EXPECT_EQ(answer.code, ExitCode::BadInput) << speed << answer.out;
        EXPECT_NE(answer.err.find("ours.json:3:"), std::string::npos) << answer.err;
        EXPECT_NE(answer.err.find(" to "), std::string::npos) << answer.err;  // the bounds
    }
    const TemporaryProfiles folder("undated");
    folder.write("corrections/ours.json", correctionOf("ours", "last week", "0.5"));
    const ProgramOutput answer = correctedBy(folder, line);
    EXPECT_EQ(answer.code, ExitCode::BadInput) << answer.out;
    EXPECT_NE(answer.err.find("must be a day"), std::string::npos) << answer.err;
}

}  // namespace own_correction_test
}  // namespace fabricast
