# Third-party headers that are parsed once for all files of some rooms, and once for their tests.

option(BATCHPEAK_PRECOMPILED_HEADERS "Parse the headers of libtorch, Qt and the standard library once for many files" ON)

set(_standard
  <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <numeric>
  <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <utility> <variant> <vector>)
set(_qt
  <QByteArray> <QCoreApplication> <QDateTime> <QDir> <QElapsedTimer> <QFile> <QFileInfo> <QJsonArray> <QJsonDocument>
  <QJsonObject> <QLocale> <QObject> <QProcess> <QRegularExpression> <QSaveFile> <QString> <QStringList> <QTimer>)
set(_widgets
  <QAbstractTableModel> <QAction> <QApplication> <QComboBox> <QDialog> <QFrame> <QHBoxLayout> <QHeaderView> <QLabel>
  <QLineEdit> <QMenu> <QPainter> <QPushButton> <QTableView> <QToolButton> <QVBoxLayout> <QWidget>)
set(_torch
  <ATen/Context.h> <ATen/autocast_mode.h> <ATen/core/Tensor.h> <ATen/core/grad_mode.h> <ATen/ops/cat.h>
  <ATen/ops/empty.h> <ATen/ops/linear.h> <ATen/ops/scaled_dot_product_attention.h> <ATen/ops/zeros.h>
  <c10/core/Device.h> <c10/util/Exception.h> <torch/csrc/autograd/custom_function.h>)

batchpeak_precompiled_header(plain HEADERS ${_standard})
batchpeak_precompiled_header(qt HEADERS ${_standard} ${_qt} LINKS Qt6::Core)
batchpeak_precompiled_header(widgets HEADERS ${_standard} ${_qt} ${_widgets} LINKS Qt6::Widgets)
batchpeak_precompiled_header(torch HEADERS ${_standard} ${_torch} LINKS batchpeak_torch)
if(BATCHPEAK_TESTS)
  batchpeak_precompiled_header(qt_test HEADERS ${_standard} ${_qt} <QTest> <QSignalSpy> LINKS Qt6::Test)
  batchpeak_precompiled_header(widgets_test HEADERS ${_standard} ${_qt} ${_widgets} <QTest> <QSignalSpy>
    LINKS Qt6::Widgets Qt6::Test)
  # TorchScript's headers use a name that is a Qt keyword, so they come first.
  batchpeak_precompiled_header(torch_test HEADERS ${_standard} ${_torch} <torch/csrc/jit/api/module.h> <ATen/ATen.h>
    <QTest> LINKS batchpeak_torch Qt6::Test)
endif()
