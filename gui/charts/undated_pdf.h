#pragma once
#include <QByteArray>

namespace fabricast {

/// A PDF that QPdfWriter wrote without the time at which it did, so that the same pages are the
/// same bytes.
QByteArray undatedPdf(QByteArray pdf);

}  // namespace fabricast
