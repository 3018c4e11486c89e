#include "cli/printable_text.h"

#include "cli/run_program.h"

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

TEST(PrintableText, IsWhatErrorsAreWrittenIn) {
    const ProgramOutput answer = runProgram({"model", "\x1b[31m\xff"}, {});
    EXPECT_EQ(answer.err.find('\x1b'), std::string::npos) << answer.err;
    EXPECT_NE(answer.err.find("\\x1b[31m\\xff"), std::string::npos) << answer.err;
}

}  // namespace
}  // namespace fabricast
