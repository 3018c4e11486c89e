#pragma once
#include "gui/models/headlines.h"

#include <QWidget>
#include <vector>

class QGridLayout;
class QLabel;
class QProgressBar;
class QPushButton;

namespace fabricast {

class ElidedLabel;
class StudySession;

/// This is what stands above every page: whether it fits, how fast, and for how much, each with its
/// interval. A click on a number asks for its formula.
class VerdictStrip final : public QWidget {
    Q_OBJECT

public:
    explicit VerdictStrip(StudySession& session, QWidget* parent = nullptr);

    /// "llama-3.1-8b on 2 x dgx-h100 · fsdp2 dp=16", as far as it is answered.
    [[nodiscard]] QString subject() const;

signals:
    void whyAsked(const QString& key);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Tile {
        QWidget* box = nullptr;
        QPushButton* value = nullptr;
        QLabel* title = nullptr;
        QLabel* range = nullptr;
        QString why{};
    };

    void refresh();
    void addTile(const QString& key);
    void showTile(Tile& tile, const HeadlineTile& headline, bool stale);
    void showState();
    /// In one row, or in two where that has no room.
    void arrangeTiles();

    StudySession& session_;
    std::vector<Tile> tiles_;
    QGridLayout* grid_ = nullptr;
    std::size_t columns_ = 0;
    ElidedLabel* subject_ = nullptr;
    QLabel* state_ = nullptr;
};

}  // namespace fabricast
