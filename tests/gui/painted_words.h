#pragma once
#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QPointF>
#include <QSize>
#include <QString>
#include <vector>

namespace fabricast {

/// Words that were painted, and where.
struct PaintedWords {
    QPointF base;
    QString words;
};

/// A sheet of paper that keeps the words that are painted on it, those beyond its edges too.
///     WordsPaper paper(QSize(4'000, 6'000));
///     paint(paper);
///     paper.words();
class WordsPaper final : public QPaintDevice {
public:
    static constexpr int kDotsPerInch = 600;

    explicit WordsPaper(const QSize& size) : size_(size) {}

    [[nodiscard]] const std::vector<PaintedWords>& words() const { return engine_.words; }
    void clear() { engine_.words.clear(); }
    [[nodiscard]] QPaintEngine* paintEngine() const override { return &engine_; }

protected:
    [[nodiscard]] int metric(PaintDeviceMetric metric) const override {
        switch (metric) {
            case PdmWidth:
                return size_.width();
            case PdmHeight:
                return size_.height();
            case PdmDpiX:
            case PdmDpiY:
            case PdmPhysicalDpiX:
            case PdmPhysicalDpiY:
                return kDotsPerInch;
            case PdmDevicePixelRatio:
                return 1;
            case PdmDevicePixelRatioScaled:
                return static_cast<int>(devicePixelRatioFScale());
            default:
                return 0;
        }
    }

private:
    struct Engine final : QPaintEngine {
        Engine() : QPaintEngine(AllFeatures) {}
        bool begin(QPaintDevice* /*device*/) override { return true; }
        bool end() override { return true; }
        void updateState(const QPaintEngineState& /*state*/) override {}
        void drawPath(const QPainterPath& /*path*/) override {}
        void drawPolygon(const QPointF* /*points*/,
                         int /*count*/,
                         PolygonDrawMode /*mode*/) override {}
        void drawPolygon(const QPoint* /*points*/,
                         int /*count*/,
                         PolygonDrawMode /*mode*/) override {}
        void drawPixmap(const QRectF& /*to*/,
                        const QPixmap& /*from*/,
                        const QRectF& /*part*/) override {}
        void drawTextItem(const QPointF& base, const QTextItem& item) override {
            words.push_back({painter()->combinedTransform().map(base), item.text()});
        }
        [[nodiscard]] Type type() const override { return User; }

        std::vector<PaintedWords> words;
    };

    QSize size_;
    mutable Engine engine_;
};

}  // namespace fabricast
