#include "probes/tuner/cost_file.h"
#include "probes/tuner/tuner_abi.h"
#include "tests/support/temp_folder.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace fabricast::probe {
namespace {

namespace fs = std::filesystem;
using Table = std::array<std::array<float, 3>, 7>;

std::string& logged() {
    static std::string text;
    return text;
}

void keepLog(int level, unsigned long, const char*, int, const char* format, ...) {
    std::array<char, 1024> line{};
    va_list words;
    va_start(words, format);
    (void)std::vsnprintf(line.data(), line.size(), format, words);
    va_end(words);
    logged() += std::to_string(level) + " " + line.data() + "\n";
}

/// NCCL's input: what it cannot do is -1.
Table costs(float ring) {
    Table table{};
    for (auto& row : table) {
        row.fill(-1.0F);
    }
    table[0][0] = 9.2F;
    table[1] = {ring, 12.5F, 38.1F};
    table[4][2] = 25.6F;
    return table;
}

/// The plugin as NCCL uses it: opened, its symbol looked up, and closed with the last communicator.
class Plugin {
public:
    explicit Plugin(const std::string& dump) {
        ::setenv("FABRICAST_TUNER_DUMP", dump.c_str(), 1);
        logged().clear();
        library_ = ::dlopen(FABRICAST_TUNER, RTLD_NOW | RTLD_LOCAL);
        EXPECT_NE(library_, nullptr) << ::dlerror();
        tuner = static_cast<const TunerVersion5*>(::dlsym(library_, "ncclTunerPlugin_v5"));
        old = static_cast<const TunerVersion4*>(::dlsym(library_, "ncclTunerPlugin_v4"));
    }
    Plugin(const Plugin&) = delete;
    Plugin& operator=(const Plugin&) = delete;
    ~Plugin() {
        ::unsetenv("FABRICAST_TUNER_DUMP");
        ::dlclose(library_);
    }

    [[nodiscard]] void* begin(std::size_t ranks, std::size_t nodes) const {
        void* context = library_;
        EXPECT_EQ(tuner->begin(&context, 17, ranks, nodes, keepLog, nullptr, nullptr), 0);
        return context;
    }
    /// Asks as NCCL does, and sees that nothing was changed.
    void ask(void* context, int collective, std::size_t bytes, float ring = 10.5F) const {
        Table table = costs(ring);
        const Table before = table;
        int channels = 0;
        EXPECT_EQ(tuner->getCollInfo(context,
                                     collective,
                                     bytes,
                                     1,
                                     reinterpret_cast<float**>(table.data()),
                                     7,
                                     3,
                                     0,
                                     &channels),
                  0);
        EXPECT_EQ(table, before);
        EXPECT_EQ(channels, 0);
    }

    const TunerVersion5* tuner = nullptr;
    const TunerVersion4* old = nullptr;

private:
    void* library_ = nullptr;
};

std::string fresh(const std::string& name) {
    const std::string path = tempFolder() + "/tuner_" + name;
    fs::remove_all(path);
    return path;
}

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

const std::string kHead = "{\"schema\":\"fabricast.nccl_costs/1\"}\n";

TEST(NcclTuner, WritesWhatNcclBelievesOnce) {
    const std::string path = fresh("once.jsonl");
    {
        const Plugin plugin(path);
        ASSERT_NE(plugin.tuner, nullptr);
        EXPECT_STREQ(plugin.tuner->name, "fabricast");
        void* const world = plugin.begin(16, 2);
        void* const node = plugin.begin(8, 1);
        for (int step = 0; step < 3; ++step) {
            plugin.ask(world, 4, 1048576);
            plugin.ask(node, 2, 4096, 10.25F);
        }
        EXPECT_EQ(plugin.tuner->end(world), 0);
        plugin.ask(node, 99, 1);
        EXPECT_EQ(plugin.tuner->end(node), 0);
    }
    const std::string us = "\"simple\":38.1},\"nvls\":{\"simple\":25.6}}}\n";
    EXPECT_EQ(contents(path),
              kHead +
                  "{\"collective\":\"all_reduce\",\"bytes\":1048576,\"ranks\":16,\"nodes\":2,"
                  "\"operations\":1,\"registered\":false,\"us\":{\"tree\":{\"ll\":9.2},"
                  "\"ring\":{\"ll\":10.5,\"ll128\":12.5," +
                  us +
                  "{\"collective\":\"all_gather\",\"bytes\":4096,\"ranks\":8,\"nodes\":1,"
                  "\"operations\":1,\"registered\":false,\"us\":{\"tree\":{\"ll\":9.2},"
                  "\"ring\":{\"ll\":10.25,\"ll128\":12.5," +
                  us +
                  "{\"collective\":\"collective99\",\"bytes\":1,\"ranks\":8,\"nodes\":1,"
                  "\"operations\":1,\"registered\":false,\"us\":{\"tree\":{\"ll\":9.2},"
                  "\"ring\":{\"ll\":10.5,\"ll128\":12.5," +
                  us);
}

TEST(NcclTuner, TheOlderInterfaceWritesTheSame) {
    const std::string path = fresh("old.jsonl");
    {
        const Plugin plugin(path);
        ASSERT_NE(plugin.old, nullptr);
        void* context = nullptr;
        EXPECT_EQ(plugin.old->begin(4, 1, keepLog, &context), 0);
        plugin.ask(context, 3, 512);
        EXPECT_EQ(plugin.old->end(context), 0);
    }
    EXPECT_NE(contents(path).find("\"reduce_scatter\",\"bytes\":512,\"ranks\":4"),
              std::string::npos);
}

TEST(NcclTuner, WithoutAFileItIsSilent) {
    const Plugin plugin("");
    void* const context = plugin.begin(8, 1);
    EXPECT_EQ(context, nullptr);
    plugin.ask(context, 4, 1024);
    EXPECT_EQ(plugin.tuner->end(context), 0);
    EXPECT_EQ(logged(), "");
}

/// A site's tuner goes on to choose, whether costs are written or not; they are those before it.
TEST(NcclTuner, TheFormerTunerChooses) {
    for (const std::string& path : {fresh("former.jsonl"), std::string()}) {
        ::setenv("FABRICAST_TUNER_NEXT", FABRICAST_FORMER_TUNER, 1);
        {
            const Plugin plugin(path);
            void* const context = plugin.begin(16, 2);
            Table table = costs(10.5F);
            int channels = 0;
            EXPECT_EQ(plugin.tuner->getCollInfo(context,
                                                4,
                                                1024,
                                                1,
                                                reinterpret_cast<float**>(table.data()),
                                                7,
                                                3,
                                                0,
                                                &channels),
                      0);
            EXPECT_EQ(table[1][0], 0.0F);
            EXPECT_EQ(channels, 7);
            EXPECT_EQ(plugin.tuner->end(context), 0);
        }
        ::unsetenv("FABRICAST_TUNER_NEXT");
        if (!path.empty()) {
            EXPECT_NE(contents(path).find("\"ring\":{\"ll\":10.5,"), std::string::npos);
        }
    }
    // It is not its own former one.
    ::setenv("FABRICAST_TUNER_NEXT", FABRICAST_TUNER, 1);
    const Plugin plugin("");
    EXPECT_EQ(plugin.begin(8, 1), nullptr);
    ::unsetenv("FABRICAST_TUNER_NEXT");
}

TEST(NcclTuner, APlaceThatCannotBeWrittenIsSaidInTheLog) {
    const std::string folder = fresh("folder");
    fs::create_directories(folder);
    for (const std::string& path : {std::string("/no/such/folder/x"), folder}) {
        const Plugin plugin(path);
        void* const context = plugin.begin(8, 1);
        EXPECT_EQ(context, nullptr);
        EXPECT_NE(logged().find("2 fabricast: " + path + ": cannot be opened: "), std::string::npos)
            << logged();
    }
}

TEST(NcclTuner, APipeDoesNotHoldUpTheHost) {
    const std::string pipe = fresh("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const Plugin plugin(pipe);
    EXPECT_EQ(plugin.begin(8, 1), nullptr);
    EXPECT_NE(logged().find("cannot be opened"), std::string::npos) << logged();
}

TEST(NcclTuner, AFullDiskEndsTheWritingOnly) {
    const Plugin plugin("/dev/full");
    void* const context = plugin.begin(8, 1);
    for (std::size_t bytes = 1; bytes < 100; ++bytes) {
        plugin.ask(context, 4, bytes);
    }
    EXPECT_EQ(plugin.tuner->end(context), 0);
    // Told once.
    const std::string why = "/dev/full: cannot be written: No space left on device";
    ASSERT_NE(logged().find(why), std::string::npos) << logged();
    EXPECT_EQ(logged().find(why), logged().rfind(why));
}

TEST(NcclTuner, ALimitOnFilesDoesNotEndTheHost) {
    const std::string path = fresh("limit.jsonl");
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit limit{500, 500};
        (void)::setrlimit(RLIMIT_FSIZE, &limit);
        const Plugin plugin(path);
        void* const context = plugin.begin(8, 1);
        for (std::size_t bytes = 1; bytes < 20; ++bytes) {
            plugin.ask(context, 4, bytes);
        }
        ::_exit(logged().find("limit on a file's size") != std::string::npos ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    const std::string text = contents(path);
    EXPECT_LE(text.size(), 500U);
    EXPECT_TRUE(text.ends_with("}\n")) << text;
}

TEST(NcclTuner, OneOfSeveralProcessesWritesAFile) {
    const std::string path = fresh("shared.jsonl");
    CostFile::Opened first = CostFile::open(path);
    ASSERT_TRUE(first.file) << first.trouble;
    {
        const Plugin plugin(path);
        EXPECT_EQ(plugin.begin(8, 1), nullptr);
        EXPECT_NE(logged().find(path + ": another process writes it"), std::string::npos)
            << logged();
    }
    // A file for each is named with the process.
    EXPECT_EQ(filledPath("a.%p.jsonl"), "a." + std::to_string(::getpid()) + ".jsonl");
    EXPECT_EQ(filledPath("100%.%q"), "100%.%q");
    EXPECT_EQ(filledPath("%h").find('%'), std::string::npos);
    first.file.reset();
    const Plugin plugin(path);
    void* const context = plugin.begin(8, 1);
    plugin.ask(context, 0, 64);
    EXPECT_EQ(plugin.tuner->end(context), 0);
    EXPECT_TRUE(contents(path).starts_with(kHead));
}

TEST(NcclTuner, ThreadsAndManySizesStayWithinBounds) {
    const std::string path = fresh("many.jsonl");
    {
        const Plugin plugin(path);
        void* const context = plugin.begin(8, 1);
        std::vector<std::thread> threads;
        for (int number = 0; number < 4; ++number) {
            threads.emplace_back([&] {
                for (std::size_t bytes = 1; bytes <= 20'000; ++bytes) {
                    plugin.ask(context, 4, bytes);
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        EXPECT_EQ(plugin.tuner->end(context), 0);
    }
    const std::string text = contents(path);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 16'385);
    EXPECT_NE(logged().find("no more are written"), std::string::npos);
    EXPECT_TRUE(text.ends_with("}\n"));
}

TEST(NcclTuner, OddQuestionsAreNotAnswered) {
    const std::string path = fresh("odd.jsonl");
    const Plugin plugin(path);
    void* const context = plugin.begin(8, 1);
    for (const auto& [rows, width] : {std::pair(0, 3), {7, 0}, {-1, 3}, {7, 1'000'000}}) {
        EXPECT_EQ(plugin.tuner->getCollInfo(context, 4, 64, 1, nullptr, rows, width, 0, nullptr),
                  0);
    }
    EXPECT_EQ(plugin.tuner->end(context), 0);
    EXPECT_EQ(contents(path), "");
}

}  // namespace
}  // namespace fabricast::probe
