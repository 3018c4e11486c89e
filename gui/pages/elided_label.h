#pragma once
#include <QLabel>

namespace fabricast {

/// A line of words that ends in "…" where there is no room; all of it is in its tooltip.
class ElidedLabel final : public QLabel {
    Q_OBJECT

public:
    explicit ElidedLabel(const QString& name, QWidget* parent = nullptr);

    void setWords(const QString& words);
    /// On as many lines as the words need from now on, in place of the "…", or on one again.
    void letWrap(bool wraps = true);
    [[nodiscard]] QString words() const { return words_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();

    QString words_;
    bool wraps_ = false;
};

}  // namespace fabricast
