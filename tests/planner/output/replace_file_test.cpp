#include "planner/output/replace_file.h"

#include "planner/output/destination.h"
#include "tests/support/temp_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

/// An empty folder that is gone with its test.
class ReplaceFile : public testing::Test {
protected:
    void SetUp() override {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    [[nodiscard]] std::string at(const std::string& name) const {
        return (folder_ / name).string();
    }
    [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(at(name), std::ios::binary) << text;
        return at(name);
    }
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }

private:
    fs::path folder_ = fs::path(tempFolder()) / ("replace_file_" + std::to_string(::getpid()));
};

std::string textOf(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

struct stat statusOf(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status;
}

TEST_F(ReplaceFile, AKilledWriterLeavesNothing) {
    const std::string path = write("record.jsonl", "old");
    const pid_t child = ::fork();
    if (child == 0) {
        TemporaryFile next(path, TemporaryFile::Rights::Private);
        (void)writeAllTo(next.descriptor(), "half of the n");
        (void)::raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(files(), 1U);
    EXPECT_EQ(textOf(path), "old");
}

TEST_F(ReplaceFile, ACompleteFileHasItsNameBeforeItIsMoved) {
    const std::string path = write("answer", "old");
    {
        TemporaryFile next(path, TemporaryFile::Rights::Private);
        ASSERT_TRUE(next.complete("new"));
        EXPECT_EQ(textOf(next.path()), "new");
        EXPECT_EQ(files(), 2U);
    }
    EXPECT_EQ(files(), 1U) << "whoever does not move it has nothing left of it";
    EXPECT_EQ(textOf(path), "old");
}

TEST_F(ReplaceFile, ReplacesWhatALinkLeadsTo) {
    const std::string target = write("target", "old");
    fs::create_symlink("target", at("link"));
    fs::create_symlink("link", at("second"));
    EXPECT_EQ(replaceFile(at("second"), "new"), "");
    EXPECT_TRUE(fs::is_symlink(at("second")));
    EXPECT_TRUE(fs::is_symlink(at("link")));
    EXPECT_EQ(textOf(target), "new");
    fs::create_symlink("not-yet", at("dangling"));
    EXPECT_EQ(replaceFile(at("dangling"), "made"), "");
    EXPECT_EQ(textOf(at("not-yet")), "made");
    fs::create_symlink("circle", at("circle"));
    EXPECT_EQ(replaceFile(at("circle"), "x"),
              "cannot be written: Too many levels of symbolic links");
    EXPECT_TRUE(fs::is_symlink(at("circle")));
}

TEST_F(ReplaceFile, WritesThroughWhatLeadsToAnOpenDescriptor) {
    const std::string out = write("out", "");
    const int file = ::open(out.c_str(), O_WRONLY | O_CLOEXEC);
    ASSERT_EQ(::write(file, "first ", 6), 6);
    const std::string name = "/proc/self/fd/" + std::to_string(file);
    fs::create_symlink(name, at("stdout"));
    EXPECT_FALSE(isReplaceable(at("stdout")));
    EXPECT_EQ(replaceFile(at("stdout"), "second"), "");
    EXPECT_EQ(replaceFile("/dev/fd/" + std::to_string(file), " third"), "");
    ::close(file);
    EXPECT_TRUE(fs::is_symlink(at("stdout")));
    EXPECT_EQ(textOf(out), "first second third");
}

TEST_F(ReplaceFile, TakesTheLongestNameThatThereIs) {
    const std::string file = at(std::string(255, 'x'));
    EXPECT_EQ(replaceFile(file, "text"), "");
    std::ifstream in(file);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "text");
    EXPECT_EQ(files(), 1U);
}

TEST_F(ReplaceFile, WritesThroughPipes) {
    ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
    fs::create_symlink("pipe", at("link"));
    const int reader = ::open(at("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    EXPECT_EQ(replaceFile(at("link"), "through"), "");
    std::string read(7, ' ');
    EXPECT_EQ(::read(reader, read.data(), read.size()), 7);
    ::close(reader);
    EXPECT_EQ(read, "through");
    EXPECT_TRUE(fs::is_fifo(at("pipe")));
}

TEST_F(ReplaceFile, KeepsOwnerGroupAndMode) {
    const std::string path = write("a", "old");
    ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
    const bool root = ::geteuid() == 0;
    if (root) {
        ASSERT_EQ(::chown(path.c_str(), 1000, 1001), 0);
    }
    const struct stat before = statusOf(path);
    EXPECT_EQ(replaceFile(path, "new"), "");
    const struct stat after = statusOf(path);
    EXPECT_EQ(after.st_mode, before.st_mode);
    EXPECT_EQ(after.st_uid, before.st_uid);
    EXPECT_EQ(after.st_gid, before.st_gid);
    EXPECT_NE(after.st_ino, before.st_ino) << "readers of the old file still have all of it";
    EXPECT_EQ(files(), 1U);
}

TEST_F(ReplaceFile, KeepsHardLinks) {
    const std::string path = write("a", "the old text, which is longer");
    fs::create_hard_link(path, at("b"));
    EXPECT_EQ(replaceFile(path, "new"), "");
    EXPECT_EQ(textOf(at("b")), "new");
    EXPECT_EQ(files(), 2U);
}

/// Without the rights of root, which no folder keeps out.
template <class Body>
int asAnOrdinaryUser(Body body) {
    const pid_t child = ::fork();
    if (child == 0) {
        constexpr uid_t kNobody = 65534;
        const bool changed = ::geteuid() != 0 || ::setuid(kNobody) == 0;
        std::_Exit(changed ? body() : 99);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(ReplaceFile, WritesOverAFileWhoseFolderTakesNoNewOne) {
    fs::create_directory(at("closed"));
    const std::string path = write("closed/a", "old");
    ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
    ASSERT_EQ(::chmod(at("closed").c_str(), 0555), 0);
    ASSERT_EQ(::chmod(at("").c_str(), 0755), 0);
    EXPECT_EQ(asAnOrdinaryUser([&] { return replaceFile(path, "new").empty() ? 0 : 1; }), 0);
    EXPECT_EQ(textOf(path), "new");
    EXPECT_EQ(asAnOrdinaryUser([&] { return replaceFile(at("closed/b"), "x").empty() ? 0 : 1; }),
              1);
    ASSERT_EQ(::chmod(at("closed").c_str(), 0755), 0);
    EXPECT_FALSE(fs::exists(at("closed/b")));
}

TEST_F(ReplaceFile, LeavesNothingBehindWhateverEndsIt) {
    for (const int signal : {SIGTERM, SIGINT, SIGXFSZ}) {
        const std::string path = write("a", "old");
        const pid_t child = ::fork();
        if (child == 0) {
            if (signal == SIGXFSZ) {
                const rlimit limit{.rlim_cur = 100, .rlim_max = 100};
                (void)::setrlimit(RLIMIT_FSIZE, &limit);
            }
            // The temporary file is there when the signal comes.
            (void)replaceFile(path, std::string(1000, 'x'), [&](int) { (void)::raise(signal); });
            std::_Exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
        EXPECT_EQ(files(), 1U) << signal;
    }
}

TEST_F(ReplaceFile, FollowsNoPlantedName) {
    const std::string victim = write("victim", "precious");
    const std::string path = at("out");
    for (const std::string& name :
         {path + ".partial-" + std::to_string(::getpid()), path + ".part"}) {
        fs::create_symlink("victim", name);
    }
    EXPECT_EQ(replaceFile(path, "answer"), "");
    EXPECT_EQ(textOf(victim), "precious");
    EXPECT_EQ(textOf(path), "answer");
}

TEST_F(ReplaceFile, SaysWhatItCannotDo) {
    EXPECT_EQ(replaceFile(at("no/such"), "x"), "cannot be written: No such file or directory");
    EXPECT_EQ(replaceFile(at(""), "x"), "cannot be written: Is a directory");
    EXPECT_EQ(replaceFile("/dev/full", "x"), "cannot be written: No space left on device");
}

TEST_F(ReplaceFile, TellsWhetherTwoNamesAreOneFile) {
    const std::string path = write("a", "x");
    fs::create_symlink("a", at("link"));
    fs::create_hard_link(path, at("hard"));
    EXPECT_TRUE(isSameFile(path, at("./a")));
    EXPECT_TRUE(isSameFile(path, at("link")));
    EXPECT_TRUE(isSameFile(path, at("hard")));
    EXPECT_TRUE(isSameFile(at("new"), at("./new")));
    EXPECT_FALSE(isSameFile(path, at("new")));
    EXPECT_FALSE(isSameFile("/dev/null", "/dev/null")) << "takes all that it is given";
}

}  // namespace
}  // namespace fabricast
