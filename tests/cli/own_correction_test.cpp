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
