#include "planner/output/printable_text.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

TEST(PrintableText, KeepsWhatPeopleWrite) {
    for (const char* text : {"", "plain\n\ttext", "größe µs …", "漢字 🙂", "\u00a0"}) {
        EXPECT_EQ(printableText(text), text);
    }
}

TEST(PrintableText, ShowsControlCharactersInsteadOfSendingThem) {
    EXPECT_EQ(printableText("\x1b[2J\r\x7f"), "\\x1b[2J\\x0d\\x7f");
    EXPECT_EQ(printableText(std::string("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(printableText("\u009b31m"), "\\xc2\\x9b31m");  // one character that is ESC [
}

TEST(PrintableText, ShowsBytesThatAreNotUtf8) {
    EXPECT_EQ(printableText("\xff\xfe"), "\\xff\\xfe");
    EXPECT_EQ(printableText("\xc3"), "\\xc3") << "cut short";
    EXPECT_EQ(printableText("\xc0\xaf"), "\\xc0\\xaf") << "overlong";
    EXPECT_EQ(printableText("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a surrogate pair";
    EXPECT_EQ(printableText("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
    EXPECT_EQ(printableText("\xe2\x82 x"), "\\xe2\\x82 x");
}

TEST(PrintableText, ShowsWhatWouldTurnTheLine) {
    EXPECT_EQ(printableText("a\u200bb"), "a\\xe2\\x80\\x8bb") << "a space of no width";
    EXPECT_EQ(printableText("a\u202eb"), "a\\xe2\\x80\\xaeb") << "right to left from here";
    EXPECT_EQ(printableText("\U000e0041"), "\\xf3\\xa0\\x81\\x81");
    EXPECT_EQ(printableText("\u2066\u2069"), "\\xe2\\x81\\xa6\\xe2\\x81\\xa9");
    EXPECT_EQ(printableText("\u200f\u061c"), "\\xe2\\x80\\x8f\\xd8\\x9c");
    EXPECT_EQ(printableText("\u2028"), "\\xe2\\x80\\xa8") << "a line's end";
    EXPECT_EQ(printableText("\u2014 \u2026 \u05d0"), "\u2014 \u2026 \u05d0");
}

TEST(PrintableText, IsOneLineWhereOneIsAskedFor) {
    EXPECT_EQ(printableLine("a\nerror: b\tc"), "a\\x0aerror: b\\x09c");
}

TEST(PrintableText, IsAMessageThatAPersonReads) {
    EXPECT_EQ(shortMessage("a\nb"), "a\nb");
    const std::string path(4000, 'p');
    EXPECT_EQ(shortMessage(path), path);
    const std::string cut = shortMessage("no GPU is \"" + std::string(1'000'000, 'X') + "\": none");
    EXPECT_LT(cut.size(), 1000U);
    EXPECT_TRUE(cut.starts_with("no GPU is \"XXX")) << cut;
    EXPECT_TRUE(cut.ends_with("XXX\": none")) << cut;
    std::string wide;
    for (int i = 0; i < 3000; ++i) {
        wide += "漢";
    }
    EXPECT_EQ(printableLine(shortMessage("a" + wide)).find("\\x"), std::string::npos);
}

}  // namespace
}  // namespace fabricast
