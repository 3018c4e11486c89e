#include "planner/measured/parse_memory_snapshot.h"
#include "planner/text/text_files.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;

std::string snapshotBytes(const std::string& name) {
    return readTextFile(FABRICAST_SOURCE_DIR "/tests/cases/memory/snapshots/" + name).value();
}

std::string refusalOf(const std::string& bytes) {
    const Result<MemoryMessage> message = parseMemorySnapshot(bytes, "s.pickle");
    return message ? "" : message.error().text();
}

/// Bytes as they are written, with those that are zero.
template <std::size_t size>
std::string bytesOf(const char (&text)[size]) {
    return std::string(text, size - 1);
}

/// The same in two protocols of pickle and in JSON: a private pool, another device, and a history
/// whose peak was above what was held at the end.
TEST(MemorySnapshot, IsReadFromPickleAndJson) {
    for (const char* name : {"p2.pickle", "p4.pickle", "s.json"}) {
        const std::string bytes = snapshotBytes(name);
        EXPECT_TRUE(isMemorySnapshot(bytes)) << name;
        const Result<MemoryMessage> message = parseMemorySnapshot(bytes, name);
        ASSERT_TRUE(message) << message.error().text();
        EXPECT_FALSE(message->isFailure());
        EXPECT_EQ(message->allocated->count(), 15 * kMebibyte) << name;
        EXPECT_EQ(message->unallocated->count(), 7 * kMebibyte) << name;
        EXPECT_EQ(message->maxAllocated->count(), 45 * kMebibyte) << name;
        EXPECT_EQ(message->privatePools->count(), kMebibyte) << name;
        EXPECT_EQ(message->others, 1U) << name;
        EXPECT_EQ(message->snapshot->segments, 2) << name;
        EXPECT_EQ(message->snapshot->largestFree.count(), 6 * kMebibyte) << name;
    }
}

TEST(MemorySnapshot, SaysTheAllocationThatFailed) {
    const Result<MemoryMessage> message =
        parseMemorySnapshot(snapshotBytes("oom.pickle"), "oom.pickle");
    ASSERT_TRUE(message) << message.error().text();
    EXPECT_TRUE(message->isFailure());
    EXPECT_EQ(message->tried->count(), 8 * kMebibyte);
    EXPECT_EQ(message->missing()->count(), 6 * kMebibyte);
}

/// A pickle can call anything: `os.system` stands here as protocol 4 writes it.
TEST(MemorySnapshot, ExecutesNothing) {
    const std::string call = bytesOf("\x80\x04}\x8c\x08segments]\x8c\x05posix\x8c\x06system\x93.");
    EXPECT_NE(refusalOf(call).find("opcode 0x93, which no snapshot has and which is not executed"),
              std::string::npos)
        << refusalOf(call);
}

TEST(MemorySnapshot, IsRefusedWhereItIsCutOrImpossible) {
    const std::string whole = snapshotBytes("p4.pickle");
    for (std::size_t size = 3; size < whole.size(); ++size) {
        EXPECT_NE(refusalOf(whole.substr(0, size)), "") << size;
    }
    EXPECT_NE(refusalOf(R"({"segments": 3})").find("no list of segments"), std::string::npos);
    EXPECT_NE(refusalOf(R"([{"total_size": -1, "blocks": []}])").find("without a size"),
              std::string::npos);
    EXPECT_NE(refusalOf(R"([{"total_size": 4, "blocks": [{"size": 5, "state": "inactive"}]}])")
                  .find("larger than their segment"),
              std::string::npos);
    EXPECT_NE(refusalOf(std::string(100000, '[')), "");
}

/// A list that is within itself, and lists of lists that a few bytes make very many.
TEST(MemorySnapshot, DoesNotFollowPartsForever) {
    EXPECT_NE(refusalOf(bytesOf("\x80\x04]\x94h\x00"
                                "a.")),
              "");
    EXPECT_NE(refusalOf(bytesOf("\x80\x04]r\xff\xff\xff\x00."))
                  .find("a place to keep that no snapshot has"),
              std::string::npos);
    std::string shared = bytesOf(
        "\x80\x04](}(\x8c\x0atotal_sizeKd\x8c\x06"
        "blocks](");
    for (int i = 0; i < 2000; ++i) {
        shared += bytesOf("}\x8c\x04sizeK\x01s");
    }
    shared += bytesOf("eu\x94");
    for (int i = 0; i < 500000; ++i) {
        shared += bytesOf("h\x00");
    }
    shared += "e.";
    EXPECT_NE(refusalOf(shared).find("more places than can be looked at"), std::string::npos)
        << refusalOf(shared);
}

}  // namespace
}  // namespace fabricast
