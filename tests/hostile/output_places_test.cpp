// Where an answer may be sent: whatever lies there, nothing is lost that was not to be replaced.
#include "tests/hostile/scratch_folder.h"
#include "tests/hostile/soundness.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace fabricast {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const Words kStep = {"simulate", "-m", "gpt2", "-c", "dgx-h100", "--stack", "ddp", "-q"};

/// A command that writes a file there, and how such a file begins.
struct Writer {
    std::string flag;
    std::string begins;

    [[nodiscard]] Disturbed to(const std::string& place, const Conditions& conditions = {}) const {
        Words words = {FABRICAST_BINARY};
        words.insert(words.end(), kStep.begin(), kStep.end());
        words.insert(words.end(), {flag, place});
        return disturbedRun(words, conditions);
    }
};
const std::vector<Writer> kWriters = {{"-o", "FITS"}, {"--svg", "<svg"}, {"--trace", "{"}};

TEST(OutputPlaces, AFileIsReplacedAndKeepsItsRights) {
    for (const Writer& writer : kWriters) {
        const ScratchFolder folder;
        const std::string file = folder.write("old", "old");
        ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
        const bool isRoot = ::geteuid() == 0;
        ASSERT_EQ(isRoot ? ::chown(file.c_str(), 1000, 2000) : 0, 0);
        EXPECT_EQ(writer.to(file).code, 0) << writer.flag;
        EXPECT_TRUE(folder.text("old").starts_with(writer.begins)) << folder.text("old");
        struct stat status {};
        ASSERT_EQ(::stat(file.c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 07777U, 0640U);
        EXPECT_EQ(status.st_uid, isRoot ? 1000U : ::getuid());
        EXPECT_EQ(folder.names(), Words({"old"}));
    }
}

TEST(OutputPlaces, LinksStayAndTheirFilesAreReplaced) {
    for (const Writer& writer : kWriters) {
        const ScratchFolder folder;
        folder.write("file", "old");
        folder.write("named", "old");
        fs::create_symlink("file", folder.at("link"));
        fs::create_symlink("link", folder.at("second"));
        fs::create_symlink("new", folder.at("dangling"));
        fs::create_hard_link(folder.at("named"), folder.at("again"));
        EXPECT_EQ(writer.to(folder.at("second")).code, 0);
        EXPECT_EQ(writer.to(folder.at("dangling")).code, 0);
        EXPECT_EQ(writer.to(folder.at("again")).code, 0);
        for (const char* const name : {"file", "new", "named"}) {
            EXPECT_TRUE(folder.text(name).starts_with(writer.begins)) << writer.flag << name;
        }
        EXPECT_TRUE(fs::is_symlink(folder.at("link")) && fs::is_symlink(folder.at("dangling")));
        EXPECT_EQ(fs::hard_link_count(folder.at("named")), 2U);
        EXPECT_EQ(folder.names(),
                  Words({"again", "dangling", "file", "link", "named", "new", "second"}));
    }
}

TEST(OutputPlaces, ACircleOfLinksIsRefused) {
    const ScratchFolder folder;
    fs::create_symlink("there", folder.at("here"));
    fs::create_symlink("here", folder.at("there"));
    for (const Writer& writer : kWriters) {
        const Disturbed refused = writer.to(folder.at("here"));
        EXPECT_EQ(refused.code, 4) << refused.err;
        EXPECT_EQ(troubleOf(refused), "") << refused.err;
    }
    EXPECT_EQ(folder.names(), Words({"here", "there"}));
}

TEST(OutputPlaces, OpenStreamsAndDevicesAreWrittenThrough) {
    const ScratchFolder folder;
    fs::create_symlink("/proc/self/fd/1", folder.at("stdout"));
    for (const Writer& writer : kWriters) {
        for (const std::string& place : {folder.at("stdout"), std::string("/proc/self/fd/1")}) {
            const Disturbed written = writer.to(place);
            EXPECT_EQ(written.code, 0) << place << written.err;
            EXPECT_NE(written.out.find(writer.begins), std::string::npos) << writer.flag;
        }
        EXPECT_EQ(writer.to("/dev/null").code, 0);
        const Disturbed full = writer.to("/dev/full");
        EXPECT_EQ(full.code, 4) << writer.flag;
        EXPECT_NE(full.err.find("No space left on device"), std::string::npos) << full.err;
    }
    EXPECT_TRUE(fs::is_symlink(folder.at("stdout")));
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(OutputPlaces, APipeThatNobodyReadsIsNotWaitedFor) {
    const ScratchFolder folder;
    ASSERT_EQ(::mkfifo(folder.at("pipe").c_str(), 0600), 0);
    for (const Writer& writer : kWriters) {
        const Disturbed refused = writer.to(folder.at("pipe"));
        EXPECT_EQ(refused.code, 4) << refused.err;
        EXPECT_EQ(refused.out, "");
        EXPECT_NE(refused.err.find(folder.at("pipe") + ": is a pipe that nobody reads\n  try: "),
                  std::string::npos)
            << refused.err;
    }
}

TEST(OutputPlaces, WhatCannotBeWrittenIsNamed) {
    const ScratchFolder folder;
    folder.write("shut/old", "old");
    folder.write("file", "old");
    ASSERT_EQ(::chmod(folder.at("shut").c_str(), 0555), 0);
    ASSERT_EQ(::chmod(folder.at("shut/old").c_str(), 0444), 0);
    const Conditions nobody{.asNobody = true};
    for (const Writer& writer : kWriters) {
        for (const char* const place :
             {"shut/new", "shut/old", "shut", "nowhere/new", "file/new"}) {
            const Disturbed refused = writer.to(folder.at(place), nobody);
            EXPECT_EQ(refused.code, 4) << writer.flag << place << refused.err;
            EXPECT_NE(refused.err.find(folder.at(place)), std::string::npos) << refused.err;
        }
    }
    EXPECT_EQ(folder.text("shut/old"), "old");
    EXPECT_EQ(folder.names(), Words({"file", "shut", "shut/old"}));
    ASSERT_EQ(::chmod(folder.at("shut").c_str(), 0755), 0);
}

TEST(OutputPlaces, AFileOfAFolderThatTakesNoNewOneIsWrittenOver) {
    const ScratchFolder folder;
    const std::string file = folder.write("shut/open", "old");
    ASSERT_EQ(::chmod(file.c_str(), 0666), 0);
    ASSERT_EQ(::chmod(folder.at("shut").c_str(), 0555), 0);
    for (const Writer& writer : kWriters) {
        const Disturbed written = writer.to(file, {.variables = {"TMPDIR=/tmp"}, .asNobody = true});
        EXPECT_EQ(written.code, 0) << written.err;
        EXPECT_TRUE(folder.text("shut/open").starts_with(writer.begins)) << writer.flag;
    }
    EXPECT_EQ(folder.names(), Words({"shut", "shut/open"}));
    ASSERT_EQ(::chmod(folder.at("shut").c_str(), 0755), 0);
}

Disturbed emittedInto(const std::string& place, bool isForced) {
    Words words = {
        FABRICAST_BINARY, "emit", "-m", "gpt2", "-c", "dgx-h100", "--stack", "ddp", "--out", place};
    if (isForced) {
        words.emplace_back("--force");
    }
    return disturbedRun(words, {.mostSeconds = 20.0});
}

// What lies in the folder of launch files may have been put there by somebody else.
TEST(OutputPlaces, LaunchFilesFollowNoLinks) {
    const ScratchFolder folder;
    ASSERT_EQ(emittedInto(folder.at("clean"), false).code, 0);
    const std::string script = folder.text("clean/run.sh");
    folder.write("precious", "old");
    for (const char* const leads : {"../precious", "../planted", "../clean/run.sh"}) {
        fs::remove_all(folder.at("launch"));
        fs::create_directories(folder.at("launch"));
        fs::create_symlink(leads, folder.at("launch/run.sh"));
        const Disturbed refused = emittedInto(folder.at("launch"), false);
        EXPECT_EQ(refused.code, 2) << refused.err;
        EXPECT_EQ(refused.out, "");
        EXPECT_NE(refused.err.find("run.sh is a link"), std::string::npos) << refused.err;
        EXPECT_EQ(folder.names(),
                  Words({"clean",
                         "clean/run.sh",
                         "clean/train.py",
                         "launch",
                         "launch/run.sh",
                         "precious"}));
        EXPECT_EQ(emittedInto(folder.at("launch"), true).code, 0);
        EXPECT_FALSE(fs::is_symlink(folder.at("launch/run.sh")));
        EXPECT_EQ(folder.text("launch/run.sh"), script);
        EXPECT_EQ(folder.text("precious"), "old");
        EXPECT_FALSE(fs::exists(folder.at("planted")));
    }
    fs::remove(folder.at("launch/run.sh"));
    ASSERT_EQ(::mkfifo(folder.at("launch/run.sh").c_str(), 0600), 0);
    EXPECT_EQ(emittedInto(folder.at("launch"), false).code, 2);
    const Disturbed forced = emittedInto(folder.at("launch"), true);
    EXPECT_EQ(forced.code, 4) << forced.err;
    EXPECT_EQ(troubleOf(forced), "");
}

// A pipe has no lock of before, and reading it would wait for ever.
TEST(OutputPlaces, ALockMayGoIntoAPipe) {
    const ScratchFolder folder;
    const std::string scenario = folder.write(
        "run.json",
        R"({"schema": "fabricast.scenario/1", "model": "gpt2", "cluster": "dgx-h100", "stack": "ddp"})");
    const Disturbed run = disturbedRun(
        {FABRICAST_BINARY, "check", scenario, "--lock", "/dev/stdout", "--update-lock"},
        {.mostSeconds = 20.0});
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(troubleOf(run), "");
    EXPECT_NE(run.out.find("fabricast.lock/1"), std::string::npos) << run.out;
}

TEST(OutputPlaces, OneFileIsNotWrittenTwiceNorOverItsInput) {
    const ScratchFolder folder;
    const std::string scenario = folder.write(
        "run.json",
        R"({"schema": "fabricast.scenario/1", "model": "gpt2", "cluster": "dgx-h100", "stack": "ddp"})");
    const std::string before = folder.text("run.json");
    fs::create_symlink("run.json", folder.at("link.json"));
    for (const Words& words : std::vector<Words>{
             {"explain", scenario, "-o", scenario},
             {"explain", scenario, "-o", folder.at("link.json")},
             {"simulate", scenario, "--svg", folder.at("x"), "--trace", folder.at("./x")}}) {
        Words all = {FABRICAST_BINARY};
        all.insert(all.end(), words.begin(), words.end());
        const Disturbed refused = disturbedRun(all);
        EXPECT_EQ(refused.code, 2) << refused.err;
        EXPECT_EQ(troubleOf(refused), "") << refused.err;
    }
    EXPECT_EQ(folder.text("run.json"), before);
    EXPECT_EQ(folder.names(), Words({"link.json", "run.json"}));
}

/// Answers of a test inside a mount namespace of its own, which only root may make.
Disturbed inMounts(const std::string& mounts, const std::string& command) {
    return disturbedRun({"/usr/bin/unshare", "-m", "/bin/sh", "-c", mounts + " && " + command});
}

TEST(OutputPlaces, TheMachinesStandardOutputStaysADeviceForRootToo) {
    const ScratchFolder folder;
    const std::string devices =
        "mount -t tmpfs none /dev && ln -s /proc/self/fd /dev/fd && "
        "ln -s /proc/self/fd/1 /dev/stdout && mknod -m 666 /dev/null c 1 3";
    if (inMounts(devices, "true").code != 0) {
        GTEST_SKIP() << "no mounts of one's own here";
    }
    const Disturbed run =
        inMounts(devices,
                 std::string(FABRICAST_BINARY) + " model gpt2 -o /dev/stdout > " +
                     folder.at("out") + "; echo $?; test -h /dev/stdout && echo link");
    EXPECT_EQ(run.out, "0\nlink\n") << run.err;
    EXPECT_TRUE(folder.text("out").starts_with("gpt2")) << folder.text("out");
}

/// What a file is named after is what it holds, in capitals too, or it is not written.
TEST(OutputPlaces, AnEndingSaysWhatIsInTheFile) {
    const ScratchFolder folder;
    for (const std::string name : {"x.png", "x.SVG", "x.xlsx"}) {
        const Disturbed run =
            disturbedRun({FABRICAST_BINARY, "model", "gpt2", "-o", folder.at(name)});
        EXPECT_EQ(run.code, 2) << name;
        EXPECT_EQ(run.out, "") << name;
        EXPECT_NE(run.err.find("would hold text"), run.err.npos) << run.err;
        EXPECT_NE(run.err.find("x.txt"), run.err.npos) << run.err;
    }
    EXPECT_EQ(folder.names(), Words());
    for (const std::string name : {"x.JSON", "y.json"}) {
        EXPECT_EQ(disturbedRun({FABRICAST_BINARY, "model", "gpt2", "-o", folder.at(name)}).code, 0);
        EXPECT_TRUE(folder.text(name).starts_with("{")) << name;
    }
    const Words drawn = {FABRICAST_BINARY, "topology", "-c", "dgx-h100", "-f", "svg", "-o"};
    Words words = drawn;
    words.push_back(folder.at("node.svg"));
    EXPECT_EQ(disturbedRun(words).code, 0);
    EXPECT_TRUE(folder.text("node.svg").starts_with("<svg"));
}

TEST(OutputPlaces, AFileThatIsAMountIsWrittenOver) {
    const ScratchFolder folder;
    folder.write("below", "old");
    const std::string over = folder.write("over", "old");
    const std::string mount = "mount --bind " + folder.at("below") + " " + over;
    if (inMounts(mount, "true").code != 0) {
        GTEST_SKIP() << "no mounts of one's own here";
    }
    EXPECT_EQ(inMounts(mount, std::string(FABRICAST_BINARY) + " model gpt2 -o " + over).code, 0);
    EXPECT_TRUE(folder.text("below").starts_with("gpt2"));
    EXPECT_EQ(folder.text("over"), "old");
}

}  // namespace
}  // namespace fabricast
