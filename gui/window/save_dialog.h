#pragma once
#include <QString>

class QWidget;

namespace fabricast {

/// A file's name with the kind of the filter that it was typed under, unless it ends in one of
/// those that there are: "lay" under "Pictures (*.png *.svg)" is "lay.png".
QString withKind(const QString& file, const QString& filter, const QString& filters);

/// Asks for a file to write; empty where none was chosen, or one that is there is to stay.
QString askFileToSave(QWidget* window,
                      const QString& title,
                      const QString& proposed,
                      const QString& filters);

}  // namespace fabricast
