// A disk without room: what lay there stays, nothing half done is left, and it is said.
#include "tests/hostile/scratch_folder.h"
#include "tests/hostile/soundness.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

using Words = std::vector<std::string>;

std::string logOfCollectives(const std::string& microseconds) {
    std::string log =
        "# all_reduce_perf\n"
        "#       size         count      type   redop    root     time   algbw   busbw #wrong\n";
    for (int power = 10; power < 28; ++power) {
        log += std::to_string(1 << power) + "  256  float  sum  -1  " + microseconds +
               "  N/A  N/A  0\n";
    }
    return log;
}

/// What writes a file or several, given the folder of the disk.
struct Writing {
    Words words;
    std::string file;  ///< within the disk: the old one
};
std::vector<Writing> writings(const std::string& disk, const std::string& log) {
    const Words step = {"simulate", "-m", "gpt2", "-c", "dgx-h100", "--stack", "ddp", "-q"};
    const auto with = [](Words words, const Words& more) {
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    return {{with(step, {"-f", "json", "-o", disk + "/a"}), "a"},
            {with(step, {"--svg", disk + "/a"}), "a"},
            {with(step, {"--trace", disk + "/a"}), "a"},
            {{"calibrate",
              "--from-nccl-tests",
              log,
              "--ranks",
              "8",
              "--machine",
              "dgx-h100",
              "--profile",
              disk + "/p",
              "--name",
              "ours",
              "--force"},
             "p/collectives/measured-ours.json"}};
}

/// Shell words that run a command on a disk of so many bytes, of which old files take some.
std::string onDisk(const std::string& disk, int kilobytes, const Writing& writing) {
    std::string command = "mount -t tmpfs -o size=" + std::to_string(kilobytes) + "k none '" +
                          disk + "' && mkdir -p '" + disk + "/p/collectives' && printf old > '" +
                          disk + "/" + writing.file + "' && { '" FABRICAST_BINARY "'";
    for (const std::string& word : writing.words) {
        command += " '" + word + "'";
    }
    return command + "; echo $? > '" + disk + "/../code'; cat '" + disk + "/" + writing.file +
           "' > '" + disk + "/../kept'; find '" + disk + "' -type f | wc -l > '" + disk +
           "/../files'; }";
}

TEST(FullDisk, KeepsWhatIsThereAndSaysWhy) {
    const ScratchFolder folder;
    const std::string log = folder.write("all_reduce_perf.log", logOfCollectives("355.0"));
    const std::string disk = folder.at("disk");
    std::filesystem::create_directories(disk);
    const auto inNamespace = [](const std::string& command) {
        return disturbedRun({"/usr/bin/unshare", "-m", "/bin/sh", "-c", command});
    };
    if (inNamespace("mount -t tmpfs none '" + disk + "'").code != 0) {
        GTEST_SKIP() << "no mounts of one's own here";
    }
    for (const Writing& writing : writings(disk, log)) {
        SCOPED_TRACE(writing.words.front() + " " + writing.words.back());
        // One page holds the old file, and none is left for a new one.
        const Disturbed run = inNamespace(onDisk(disk, 4, writing));
        EXPECT_EQ(folder.text("code"), "4\n") << run.err;
        EXPECT_EQ(folder.text("kept"), "old");
        EXPECT_EQ(folder.text("files"), "1\n") << "half a file was left behind";
        EXPECT_NE(run.err.find("No space left on device"), std::string::npos) << run.err;
        EXPECT_EQ(troubleOf(4, run.out, run.err), "");
    }
}

TEST(FullDisk, ALimitOnTheSizeOfFilesIsOne) {
    for (const std::uint64_t limit : {0U, 1U, 100U, 4096U}) {
        const ScratchFolder folder;
        const std::string log = folder.write("all_reduce_perf.log", logOfCollectives("355.0"));
        for (const Writing& writing : writings(folder.path(), log)) {
            folder.write(writing.file, "old");
            const Words before = folder.names();
            Words words = {FABRICAST_BINARY};
            words.insert(words.end(), writing.words.begin(), writing.words.end());
            const Disturbed run = disturbedRun(words, {.limits = {{RLIMIT_FSIZE, limit}}});
            if (run.code == 0) {
                EXPECT_EQ(limit, 4096U) << "it fits: " << folder.text(writing.file).size();
                continue;
            }
            EXPECT_EQ(run.code, 4) << writing.words.back() << run.err;
            EXPECT_NE(run.err.find("File too large"), std::string::npos) << run.err;
            EXPECT_EQ(folder.text(writing.file), "old");
            EXPECT_EQ(folder.names(), before);
        }
    }
}

}  // namespace
}  // namespace fabricast
