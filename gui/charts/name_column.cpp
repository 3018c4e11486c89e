#include "gui/charts/name_column.h"

#include "gui/charts/plot_frame.h"

#include <QString>
#include <QStringList>
#include <algorithm>
#include <utility>

namespace fabricast {

namespace {

/// A word that is too wide for a line in parts that are not, behind its hyphens or with new ones.
std::vector<std::string> inParts(std::string word, double width, double textSize) {
    constexpr std::size_t kLeastPart = 3;
    std::vector<std::string> parts;
    while (roughTextWidth(word, textSize) > width) {
        std::size_t cut = word.find('-') + 1;
        const bool isWritten = cut > 0 && cut < word.size();
        if (!isWritten) {
            cut = std::max(word.size(), 2 * kLeastPart) - kLeastPart;
            while (cut > kLeastPart &&
                   roughTextWidth(word.substr(0, cut) + "-", textSize) > width) {
                --cut;
            }
        }
        if (cut < kLeastPart || word.size() < cut + kLeastPart) {
            break;
        }
        parts.push_back(word.substr(0, cut) + (isWritten ? "" : "-"));
        word.erase(0, cut);
    }
    parts.push_back(std::move(word));
    return parts;
}

}  // namespace

double nameColumnWidth(const std::vector<std::string>& names, double whole, double textSize) {
    constexpr double kMostShare = 0.42;
    double widest = 0.0;
    for (const std::string& name : names) {
        widest = std::max(widest, roughTextWidth(name, textSize));
    }
    return std::max(std::min(widest + textSize, whole * kMostShare), textSize);
}

std::vector<std::string> wrapped(std::string_view words,
                                 double width,
                                 std::size_t mostLines,
                                 double textSize) {
    std::vector<std::string> lines(1);
    const QString text = QString::fromUtf8(words.data(), static_cast<qsizetype>(words.size()));
    for (const QString& word : text.split(' ', Qt::SkipEmptyParts)) {
        std::string between = lines.back().empty() ? "" : " ";
        for (const std::string& part : inParts(word.toStdString(), width, textSize)) {
            const std::string longer = lines.back() + between + part;
            const bool full = lines.size() == mostLines;
            if (full || lines.back().empty() || roughTextWidth(longer, textSize) <= width) {
                lines.back() = longer;
            } else {
                lines.push_back(part);
            }
            between.clear();
        }
    }
    for (std::string& line : lines) {
        line = shortened(line, width, textSize);
    }
    return lines;
}

void paintRowName(Canvas& canvas,
                  std::string_view name,
                  const QRectF& row,
                  double plotLeft,
                  const ChartTheme& theme) {
    const double size = theme.textSize;
    canvas.text({plotLeft - size * 0.6, row.center().y() + size * 0.36},
                shortened(name, plotLeft - row.left() - size * 0.6, size),
                {.colour = theme.text, .size = size, .anchor = TextAnchor::End});
}

std::vector<QRectF> equalRows(const QRectF& box, std::size_t count) {
    std::vector<QRectF> rows;
    const double height = box.height() / static_cast<double>(std::max<std::size_t>(count, 1));
    for (std::size_t row = 0; row < count; ++row) {
        rows.emplace_back(
            box.left(), box.top() + static_cast<double>(row) * height, box.width(), height);
    }
    return rows;
}

std::vector<QRectF> equalColumns(const QRectF& box, std::size_t count) {
    std::vector<QRectF> columns;
    const double width = box.width() / static_cast<double>(std::max<std::size_t>(count, 1));
    for (std::size_t column = 0; column < count; ++column) {
        columns.emplace_back(
            box.left() + static_cast<double>(column) * width, box.top(), width, box.height());
    }
    return columns;
}

}  // namespace fabricast
