#pragma once
#include <QLabel>

namespace fabricast {

/// A line of words that ends in "…" where there is no room; all of it is in its tooltip.
class ElidedLabel final : public QLabel {
    Q_OBJECT

public:
    explicit ElidedLabel(const QString& name, QWidget* parent = nullptr);

    void setWords(const QString& words);
    [[nodiscard]] QString words() const { return words_; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();

    QString words_;
};

}  // namespace fabricast
