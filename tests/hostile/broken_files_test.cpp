// Files of measurements, broken as disks and people break them. What cannot be read is named, and
// no good profile is lost for it.
#include "planner/text/text_files.h"
#include "tests/hostile/scratch_folder.h"
#include "tests/hostile/soundness.h"
#include "tests/support/case_count.h"
#include "tests/support/nccl_dump.h"
#include "tests/support/profile_folder.h"
#include "tests/support/program_answer.h"
#include "tests/support/text_mutator.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fabricast {
namespace {

using Words = std::vector<std::string>;

std::string collectiveLog() {
    std::string log =
        "# nThread 1 nGpus 8 minBytes 1024 maxBytes 67108864 step: 2(factor) iters: 20\n"
        "# all_reduce_perf\n";
    for (int rank = 0; rank < 8; ++rank) {
        log += "#  Rank  " + std::to_string(rank) + " Group  0 Pid 1 on host1 device  " +
               std::to_string(rank) + " [0x00] NVIDIA H100 80GB HBM3\n";
    }
    log += "#       size         count      type   redop    root     time   algbw   busbw #wrong\n";
    for (int power = 10; power < 27; power += 2) {
        const int bytes = 1 << power;
        const double microseconds = 10 + bytes / 1000 + 0.25;
        log += "  " + std::to_string(bytes) + "  256  float  sum  -1  " +
               std::to_string(microseconds) + "  " + std::to_string(bytes / 1e3 / microseconds) +
               "  " + std::to_string(1.75 * bytes / 1e3 / microseconds) + "  0\n";
    }
    return log;
}

std::string collectiveJson() {
    std::string rows;
    for (int power = 10; power < 27; power += 4) {
        rows += std::string(rows.empty() ? "" : ",") + R"({"size":)" + std::to_string(1 << power) +
                R"(,"type":"float","out_of_place":{"time":)" + std::to_string(200 + power) +
                R"(.5,"nwrong":0}})";
    }
    return R"({"version":"2.18.5","start_time":"2026-11-20 13:05:00",)"
           R"("args":["./build/all_reduce_perf"],"results":[)" +
           rows + "]}";
}

std::string record() {
    std::string text =
        R"({"schema":"fabricast.measurements/1","machine":{"gpu":"NVIDIA H100 80GB HBM3",)"
        R"("nccl":"2.28.9"},"program":"fabricast-probe-nccl","begun":"2026-11-22T19:00:00Z"})"
        "\n";
    for (int power = 10; power < 27; power += 2) {
        text += R"({"point":"all_reduce bytes=)" + std::to_string(1 << power) +
                R"( nodes=1 ranks=8","unit":"s","facts":{"wrong":0},"samples":[)" +
                "2e-4,2.1e-4]}\n";
    }
    return text;
}

std::string runs() {
    std::string table =
        "id,model,layers,hidden,ffn,heads,kv_heads,vocab,gpu,stack,gpus,gpus_per_node,dp,tp,pp,"
        "shard,seq,micro_batch,global_batch,precision,recompute,optimizer,measured_step_s,"
        "measured_tokens_s_gpu,measured_mem_gib,memory_kind,tier,core\n";
    for (int row = 1; row <= 6; ++row) {
        table += "ours-" + std::to_string(row) +
                 ",llama-3.1-8b,32,4096,14336,32,8,128256,h100-sxm5-80gb,fsdp2,8,8,8,1,1,fsdp," +
                 std::to_string(1024 * row) + ",1,8,bf16,full,adamw,1." + std::to_string(row) +
                 ",,60,allocated,A,y\n";
    }
    return table;
}

/// A file, and the command that reads it.
struct Reader {
    std::string name;
    std::function<std::string()> text;
    std::function<Words(const std::string& file, const std::string& profile)> words;
};

Words fitted(const std::string& flag, const std::string& file, const std::string& profile) {
    return {"calibrate",
            flag,
            file,
            "--ranks",
            "8",
            "--machine",
            "dgx-h100",
            "--profile",
            profile,
            "--name",
            "ours"};
}
const std::vector<Reader> kReaders = {
    {"all_reduce_perf.log",
     collectiveLog,
     [](const auto& file, const auto& profile) {
         return fitted("--from-nccl-tests", file, profile);
     }},
    {"all_reduce.json",
     collectiveJson,
     [](const auto& file, const auto& profile) {
         return fitted("--from-nccl-tests", file, profile);
     }},
    {"run.jsonl",
     record,
     [](const auto& file, const auto& profile) {
         Words words = fitted("--from-record", file, profile);
         words.erase(words.begin() + 3, words.begin() + 5);  // it names its ranks
         return words;
     }},
    {"dump.jsonl",
     ncclDump,
     [](const auto& file, const auto& /*profile*/) {
         return Words{"calibrate", "--from-nccl-tuner", file, "--machine", "dgx-h100"};
     }},
    {"runs.csv", runs, [](const auto& file, const auto& profile) {
         return Words{
             "backtest", file, "--all", "-f", "json", "--fit", profile + "/corrections/fit.json"};
     }}};

/// All files below a folder, by name.
std::map<std::string, std::string> filesOf(const ScratchFolder& folder, const std::string& below) {
    std::map<std::string, std::string> files;
    for (const std::string& name : folder.names()) {
        if (name.starts_with(below) && std::filesystem::is_regular_file(folder.at(name))) {
            files[name] = folder.text(name);
        }
    }
    return files;
}

TEST(BrokenFiles, WholeOnesAreTaken) {
    for (const Reader& reader : kReaders) {
        const ScratchFolder folder;
        std::filesystem::create_directories(folder.at("profile"));
        const std::string file = folder.write(reader.name, reader.text());
        const ProgramOutput answer = runProgram(reader.words(file, folder.at("profile")), {});
        EXPECT_EQ(troubleOf(answer), "") << reader.name << answer.err;
        EXPECT_LE(static_cast<int>(answer.code), reader.name == "runs.csv" ? 2 : 0)
            << reader.name << answer.err;
    }
}

/// Also where nothing asks for it; commands that list, check and replace profiles go on.
TEST(BrokenFiles, OfOwnProfilesAreTold) {
    const TemporaryProfiles mine;
    mine.write(
        "fabrics/ours.json",
        R"({"schema": "fabricast.fabric/1", "name": "ours", "title": "Ours", "kind": "infiniband",)"
        "\n"
        R"("link_bandwidth": {"value": "-5 Gbps", "source": "measured"}})");
    for (const Words& words : std::vector<Words>{
             {"plan", "-m", "gpt2", "-c", "dgx-h100", "--seq", "1024", "--global-batch", "64"},
             {"explain", "-m", "gpt2", "-c", "dgx-h100", "--stack", "ddp"},
             {"topology", "-c", "dgx-h100"}}) {
        Words asked = words;
        asked.insert(asked.end(), {"--profile-dir", mine.path()});
        const ProgramOutput answer = runProgram(asked, {});
        EXPECT_EQ(answer.code, ExitCode::BadInput) << words.front();
        EXPECT_EQ(answer.out, "") << words.front();
        EXPECT_TRUE(answer.err.starts_with("error: " + mine.path("fabrics/ours.json:2:")))
            << answer.err;
    }
    EXPECT_EQ(runProgram({"completion", "bash", "--profile-dir", mine.path()}, {}).code,
              ExitCode::Ok);
}

TEST(BrokenFiles, LoseNoGoodProfile) {
    for (const Reader& reader : kReaders) {
        const ScratchFolder folder;
        std::filesystem::create_directories(folder.at("profile"));
        const Words words = reader.words(folder.at(reader.name), folder.at("profile"));
        folder.write(reader.name, reader.text());
        (void)runProgram(words, {});
        std::map<std::string, std::string> good = filesOf(folder, "profile/");
        std::size_t refused = 0;
        for (std::size_t seed = 0; seed < cases(100); ++seed) {
            const std::string text = TextMutator(7'000'000 + seed).mutated(reader.text());
            folder.write(reader.name, text);
            const ProgramOutput answer = runProgram(words, {});
            EXPECT_EQ(troubleOf(answer), "") << reader.name << seed << answer.err << text;
            const std::map<std::string, std::string> now = filesOf(folder, "profile/");
            if (answer.code == ExitCode::BadInput) {
                ++refused;
                EXPECT_EQ(now, good) << reader.name << " " << seed << answer.err << text;
            }
            good = now;
        }
        EXPECT_GT(refused, cases(100) / 50) << reader.name << ": hardly any was broken enough";
        if (reader.words("", "").front() == "calibrate" && !good.empty()) {
            const ProgramOutput verified =
                runProgram({"--profile-dir", folder.at("profile"), "profiles", "verify"}, {});
            EXPECT_NE(verified.code, ExitCode::BadInput) << verified.err << verified.out;
        }
    }
}

}  // namespace
}  // namespace fabricast
