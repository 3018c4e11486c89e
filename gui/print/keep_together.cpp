#include "gui/print/keep_together.h"

#include <QAbstractTextDocumentLayout>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextFrame>
#include <QTextLayout>
#include <QTextTable>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace fabricast {
namespace {

/// A paragraph, a picture or a table, and the pages that it is on.
struct Printed {
    QTextBlock block{};
    QTextTable* table = nullptr;
    int first = 0;
    int begun =
        0;  ///< where enough of it is to stand below a heading: a row below a table's titles
    int last = 0;
    bool isHeading = false;
    bool isPicture = false;
    bool isLast = false;     ///< one of the last lines
    bool keepsNext = false;  ///< on its page
};

/// Of the first or last line of a block, which may be further down than the block.
int pageOfLine(const QTextDocument& document, const QTextBlock& block, bool isLast) {
    const int lines = block.layout()->lineCount();
    if (lines == 0) {
        return 0;
    }
    const QTextLine line = block.layout()->lineAt(isLast ? lines - 1 : 0);
    const double middle = line.y() + line.height() / 2.0;
    const double top = document.documentLayout()->blockBoundingRect(block).top();
    return static_cast<int>(std::floor((top + middle) / document.pageSize().height()));
}

Printed blockOnPages(const QTextDocument& document, const QTextBlock& block) {
    const int first = pageOfLine(document, block, false);
    return {.block = block,
            .first = first,
            .begun = first,
            .last = pageOfLine(document, block, true),
            .isHeading = block.blockFormat().headingLevel() > 0,
            .isPicture = block.text().contains(QChar::ObjectReplacementCharacter)};
}

Printed tableOnPages(const QTextDocument& document, QTextTable* table) {
    const auto pageOfRow = [&](int row) {
        const QTextBlock block = table->cellAt(row, 0).firstCursorPosition().block();
        return pageOfLine(document, block, false);
    };
    const int rows = table->rows();
    const int last = pageOfRow(rows - 1);
    // Qt paints the titles again on the page that the margin alone goes on to, over what is there.
    const double bottom = document.documentLayout()->frameBoundingRect(table).bottom();
    const int end = static_cast<int>(std::floor(bottom / document.pageSize().height()));
    const int begun = pageOfRow(std::min(table->format().headerRowCount(), rows - 1));
    return {.table = table, .first = pageOfRow(0), .begun = end > last ? end : begun, .last = last};
}

/// A heading keeps the paragraph below it, and with it the table or picture that comes soon.
void keepWithHeading(std::vector<Printed>& all, std::size_t heading) {
    constexpr std::size_t kSoon = 4;
    all[heading].keepsNext = true;
    for (std::size_t i = heading + 1; i < std::min(all.size(), heading + kSoon); ++i) {
        if (all[i].isHeading) {
            return;
        }
        if (all[i].isPicture || all[i].table != nullptr) {
            for (std::size_t between = heading; between < i; ++between) {
                all[between].keepsNext = true;
            }
            return;
        }
    }
}

std::vector<Printed> allPrinted(const QTextDocument& document) {
    constexpr std::size_t kLastLines = 3;
    std::vector<Printed> all;
    const QTextFrame* root = document.rootFrame();
    for (auto at = root->begin(); !at.atEnd(); ++at) {
        if (auto* table = qobject_cast<QTextTable*>(at.currentFrame())) {
            all.push_back(tableOnPages(document, table));
        } else if (const QTextBlock block = at.currentBlock(); block.length() > 1) {
            all.push_back(blockOnPages(document, block));
        }
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].isHeading) {
            keepWithHeading(all, i);
        }
        if (i + kLastLines >= all.size() && all[i].table == nullptr) {
            all[i].isLast = true;
            all[i].keepsNext = true;
        }
    }
    return all;
}

/// The first thing that has to begin a page, so that what belongs together is not torn apart; none
/// where that is so, or where no page has the room. Of the last lines fewer go too.
const Printed* tornApart(const std::vector<Printed>& all) {
    std::size_t begin = 0;  // of what belongs together
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool isKept = i > 0 && all[i - 1].keepsNext;
        begin = isKept ? begin : i;
        if (all[i].begun == all[i].first && (!isKept || all[i].begun == all[i - 1].last)) {
            continue;
        }
        for (std::size_t from = begin; from <= i; ++from) {
            const bool mayBegin = from == begin || all[from - 1].isLast;
            if (mayBegin && from > 0 && all[from - 1].last == all[from].first) {
                return &all[from];
            }
        }
    }
    return nullptr;
}

void beginPage(const Printed& one) {
    if (one.table != nullptr) {
        QTextTableFormat format = one.table->format();
        format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
        one.table->setFormat(format);
        return;
    }
    QTextBlockFormat format = one.block.blockFormat();
    format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
    QTextCursor(one.block).setBlockFormat(format);
}

/// A change lays out only what is near it, and moves the rest, which it loses where that was not
/// laid out before. So all is laid out, each time.
void layOutAll(QTextDocument& document) {
    document.setPageSize(document.pageSize());
    (void)document.pageCount();
}

}  // namespace

void keepTogether(QTextDocument& document) {
    layOutAll(document);
    for (std::vector<Printed> all = allPrinted(document); const Printed* torn = tornApart(all);
         all = allPrinted(document)) {
        beginPage(*torn);
        layOutAll(document);
    }
}

}  // namespace fabricast
