#pragma once
#include <QFrame>
#include <QString>
#include <vector>

class QLabel;
class QPushButton;

namespace fabricast {

class MainWindow;

/// One thing that the tour shows.
struct TourStop {
    QString widget;  ///< by its name
    QString page;    ///< shown meanwhile; empty: as it is
    QString title;
    QString words;
};
const std::vector<TourStop>& tourStops();

/// This is a bubble that shows the parts of the window one after the other. Enter and the arrow
/// keys go on and back, Escape ends it, and the page is the one from before.
class Tour final : public QFrame {
    Q_OBJECT

public:
    explicit Tour(MainWindow& window);

    [[nodiscard]] int at() const { return at_; }
    void goTo(int stop);

signals:
    /// It was seen to its end, or skipped.
    void ended();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void addWords();
    void addButtons();
    void place();
    void end();

    MainWindow& window_;
    QFrame* mark_ = nullptr;  ///< around what is shown
    QString pageBefore_;      ///< is shown again after it
    QLabel* title_ = nullptr;
    QLabel* words_ = nullptr;
    QPushButton* back_ = nullptr;
    QPushButton* next_ = nullptr;
    int at_ = 0;
};

}  // namespace fabricast
