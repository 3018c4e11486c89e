// A report on paper: what its page has, without a browser.
#include "gui/print/report_pdf.h"

#include "gui/print/printed_html.h"
#include "gui/print/printed_pages.h"
#include "gui/print/printed_table.h"
#include "planner/report/page_style.h"
#include "study/study_report.h"
#include "tests/gui/painted_words.h"
#include "tests/gui/used_window.h"

#include <QRegularExpression>
#include <QTextDocument>
#include <cmath>
namespace fabricast {
namespace report_pdf_test {

const PageInfo kInfo{.title = "Study", .tool = "fabricast 1", .command = "fabricast plan -m gpt2"};

const Report& wholeStudy() {
    static const Report kReport = [] {
        const Question question = smallQuestion({{"workload.tokens", "1B", "--tokens"}});
        const Question other =
            smallQuestion({{"workload.tokens", "1B", "--tokens"}, {"layout.tp", "4", "--fix"}});
        return studyReport({.question = question, .beside = other}, openBench(), {}).value();
    }();
    return kReport;
}

QString plainWords(QString text) {
    return text.remove(QChar(0x200b)).remove(QChar(QChar::ObjectReplacementCharacter)).simplified();
}

QString wordsAlone(const QString& text) {
    return plainWords(text).remove(' ');
}

/// What a reader of the page sees beside its pictures, tag by tag.
QStringList piecesOf(const Report& report) {
    QString page = QString::fromStdString(htmlPage(report, kInfo));
    page = page.mid(page.indexOf("<body>"));
    page.remove(QRegularExpression("<svg.*?</svg>|<caption class=\"unseen\">.*?</caption>",
                                   QRegularExpression::DotMatchesEverythingOption));
    page.remove(QRegularExpression("<figcaption>.*?</figcaption>"));  // drawn with its picture
    page.remove("<wbr/>");
    QStringList pieces;
    for (const QString& piece : page.split(QRegularExpression("<[^>]*>"), Qt::SkipEmptyParts)) {
        QTextDocument words;
        words.setHtml(piece);
        if (!plainWords(words.toPlainText()).isEmpty()) {
            pieces << plainWords(words.toPlainText());
        }
    }
    return pieces;
}

TEST(ReportPdf, HasEveryWordAndPictureOfThePage) {
    const PrintedHtml printed =
        printedHtml(wholeStudy(), kInfo, StyleSheet(kPageStyle), 700.0).value();
    QTextDocument document;
    document.setHtml(printed.html);
    const QString words = plainWords(document.toPlainText());
    const QStringList pieces = piecesOf(wholeStudy());
    EXPECT_GT(pieces.size(), 200);
    qsizetype from = 0;
    for (const QString& piece : pieces) {
        const qsizetype at = words.indexOf(piece, from);
        ASSERT_GE(at, 0) << piece.toStdString() << " behind "
                         << words.mid(std::max(from - 60, qsizetype(0)), 60).toStdString();
        from = at + piece.size();
    }
    const QString page = QString::fromStdString(htmlPage(wholeStudy(), kInfo));
    EXPECT_EQ(qsizetype(printed.pictures.size()), page.count("<svg"));
    EXPECT_GE(printed.pictures.size(), 4U);
    EXPECT_TRUE(page.contains("<title>" + printed.title.toHtmlEscaped() + "</title>"));
}

constexpr double kDotsPerPoint = WordsPaper::kDotsPerInch / 72.0;

/// What is seen on each page of so many points, word after word, without what is between them.
QStringList pagesOf(const Report& report, const QSizeF& points) {
    const QSizeF size = points * kDotsPerPoint;
    WordsPaper paper(size.toSize());
    PrintedHtml printed =
        printedHtml(report, kInfo, StyleSheet(kPageStyle), points.width()).value();
    const PrintedPages pages(std::move(printed), StyleSheet(kPageStyle), paper, size);
    QStringList seen;
    for (int page = 0; page < pages.count(); ++page) {
        paper.clear();
        QPainter painter(&paper);
        pages.paint(painter, page);
        QString words;
        for (const PaintedWords& one : paper.words()) {
            const bool isSeen = one.base.y() > 0.0 && one.base.y() < size.height();
            words += isSeen ? one.words : "";
        }
        seen << wordsAlone(words);
    }
    return seen;
}

/// Pages of many heights, so that each thing comes to the end of one.
void expectNothingLost(const Report& report) {
    QStringList pieces;
    for (const QString& piece : piecesOf(report)) {
        pieces << wordsAlone(piece);
    }
    for (double height = 250.0; height < 790.0; height += 31.0) {
        const QString words = pagesOf(report, {750.0, height}).join("");
        qsizetype from = 0;
        for (const QString& piece : pieces) {
            const qsizetype at = words.indexOf(piece, from);
            ASSERT_GE(at, 0) << piece.toStdString() << " on pages of " << height << " behind "
                             << words.mid(std::max(from - 60, qsizetype(0)), 60).toStdString();
            from = at + piece.size();
        }
    }
}

TEST(ReportPdf, NothingIsLostWhereAPageEnds) {
    expectNothingLost(wholeStudy());
    const Question servers =
        smallQuestion({{"cluster.name", "dgx-h100", "-c"}, {"cluster.nodes", "2", "-n"}});
    expectNothingLost(studyReport({.question = servers}, openBench(), {}).value());
}

/// A heading and what it heads, in the order of a report.
Report headedTable(int linesBefore) {
    std::string before = "FITS  a title\n\n";
    for (int line = 0; line < linesBefore; ++line) {
        before += "line: " + std::to_string(line) + "\n";
    }
    Report report(before + "\nCOST  of all\nan aside\n");
    report.add(Table{{{"titles"}, {"of"}}, {{"one", "two"}, {"three", "four"}}});
    return report;
}

TEST(ReportPdf, AHeadingIsOnThePageOfItsTable) {
    for (int lines = 0; lines < 40; ++lines) {
        const QStringList pages = pagesOf(headedTable(lines), {500.0, 300.0});
        int headed = 0;
        for (const QString& page : pages) {
            headed += page.contains("COSTofall") ? 1 : 0;
            EXPECT_EQ(page.contains("COSTofall"), page.contains("onetwo"))
                << lines << ": " << page.toStdString();
        }
        EXPECT_EQ(headed, 1) << lines;
    }
}

TEST(ReportPdf, TheTitlesOfATableStandOnlyAboveItsRows) {
    for (double height = 300.0; height < 315.0; height += 3.0) {
        for (int lines = 0; lines < 24; ++lines) {
            for (const QString& page : pagesOf(headedTable(lines), {500.0, height})) {
                const bool hasRows = page.contains("onetwo") || page.contains("threefour");
                EXPECT_EQ(page.count("titlesof"), hasRows ? 1 : 0)
                    << lines << " lines, " << height << ": " << page.toStdString();
            }
        }
    }
}

TEST(ReportPdf, ALastPageHasMoreThanOneLine) {
    const QString command = wordsAlone(QString::fromStdString(kInfo.command));
    for (int lines = 0; lines < 40; ++lines) {
        const QString last = pagesOf(headedTable(lines), {500.0, 300.0}).last();
        EXPECT_TRUE(last.endsWith(command) && last.size() > command.size())
            << lines << ": " << last.toStdString();
    }
}

TEST(ReportPdf, IsA4AcrossWhereATableIsWideAndTheSameBytesAgain) {
    const QByteArray pdf = reportPdf(wholeStudy(), kInfo).value();
    EXPECT_TRUE(pdf.startsWith("%PDF-"));
    EXPECT_TRUE(pdf.trimmed().endsWith("%%EOF"));
    EXPECT_TRUE(pdf.contains("/MediaBox [0 0 842.000000 595.000000]"));
    EXPECT_EQ(pdf, reportPdf(wholeStudy(), kInfo).value());
    EXPECT_FALSE(pdf.contains("/CreationDate"));
    const QByteArray upright = reportPdf(Report("a line\n"), kInfo).value();
    EXPECT_TRUE(upright.contains("/MediaBox [0 0 595.000000 842.000000]"));
}

/// Each entry of the table of a PDF's objects says where one begins.
TEST(ReportPdf, ItsObjectsAreWhereItsTableSays) {
    const QByteArray pdf = reportPdf(Report("a line\n"), kInfo).value();
    const qsizetype start = pdf.lastIndexOf("startxref\n") + 10;
    const qsizetype table = pdf.mid(start, pdf.indexOf('\n', start) - start).toLongLong();
    ASSERT_EQ(pdf.mid(table, 4), "xref");
    qsizetype at = pdf.indexOf('\n', table) + 1;
    const int objects = pdf.mid(at, pdf.indexOf('\n', at) - at).split(' ').last().toInt();
    ASSERT_GT(objects, 5);
    at = pdf.indexOf('\n', at) + 1;
    for (int object = 0; object < objects; ++object, at += 20) {
        const qsizetype place = pdf.mid(at, 10).toLongLong();
        if (pdf[at + 17] == 'n' && place > 0) {
            const QByteArray begins = QByteArray::number(object) + " 0 obj";
            EXPECT_EQ(pdf.mid(place, begins.size()), begins);
        }
    }
}

TEST(ReportPdf, ATableOfManyColumnsHasSmallerLetters) {
    Table narrow{{{"a"}, {"b"}}, {{"one", "two"}}};
    Table wide;
    for (int column = 0; column < 20; ++column) {
        wide.columns.push_back({"communication", Align::Right});
    }
    EXPECT_TRUE(printedTable(narrow, "", 500.0).contains("font-size:7.50pt"));
    EXPECT_FALSE(printedTable(wide, "", 500.0).contains("font-size:7.50pt"));
    EXPECT_TRUE(printedTable(narrow, "a < b", 500.0).contains("a &lt; b"));
}

}  // namespace report_pdf_test
}  // namespace fabricast
