#pragma once
#include "gui/models/headlines.h"

#include <QWidget>
#include <vector>

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

signals:
    void whyAsked(const QString& key);

protected:
    void changeEvent(QEvent* event) override;

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

    StudySession& session_;
    std::vector<Tile> tiles_;
    ElidedLabel* subject_ = nullptr;
    QLabel* state_ = nullptr;
};

}  // namespace fabricast
