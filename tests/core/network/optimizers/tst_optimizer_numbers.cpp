// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "network/budget_allocator.h"
#include "network/optimizers/optimizer_step.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <ATen/ATen.h>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <algorithm>
#include <string>
#include <vector>

using namespace batchpeak;
using namespace batchpeak::network;

namespace {

using Shape = std::vector<std::int64_t>;

// Returns the cases that tests/parity/optimizer_steps.py writes.
QJsonArray cases()
{
    QFile file(QStringLiteral(BATCHPEAK_TEST_DATA "/optimizers/steps.json"));
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).array() : QJsonArray();
}

at::Tensor numbersIn(const QJsonValue& given, const Shape& shape)
{
    std::vector<float> values;
    for (const QJsonValue& value : given.toArray())
        values.push_back(static_cast<float>(value.toDouble()));
    return at::tensor(values).view(shape);
}

Shape shapeOf(const QJsonValue& parameter)
{
    Shape shape;
    for (const QJsonValue& size : parameter[QStringLiteral("shape")].toArray())
        shape.push_back(size.toInteger());
    return shape;
}

std::string nameOf(qsizetype place)
{
    return "parameter." + std::to_string(place);
}

std::vector<model::Parameter> tableOf(const QJsonArray& parameters)
{
    std::vector<model::Parameter> table;
    for (qsizetype i = 0; i < parameters.size(); ++i) {
        const Shape shape = shapeOf(parameters[i]);
        table.push_back({.name = nameOf(i), .shape = shape, .decays = shape.size() > 1});
    }
    return table;
}

} // namespace

class OptimizerNumbersTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        BudgetAllocator::installed();
        // Without rows, a data-driven test would be skipped.
        QVERIFY(!cases().isEmpty());
    }

    void stepsAsItsLibraryDoes_data()
    {
        const auto add = rows<QJsonObject>();
        for (const QJsonValue& given : cases()) {
            const QString name = given[QStringLiteral("optimizer")].toString() + QStringLiteral(", ") +
                                 given[QStringLiteral("type")].toString();
            add(name.toStdString(), given.toObject());
        }
    }
    void stepsAsItsLibraryDoes()
    {
        const auto& given = row<QJsonObject>();
        const QJsonArray parameters = given[QStringLiteral("parameters")].toArray();
        const bool isNarrow = given[QStringLiteral("type")] == QLatin1String("bf16");
        const auto kind =
            model::fromText<model::Optimizer>(given[QStringLiteral("optimizer")].toString().toStdString());
        QVERIFY(kind && parameters.size() > 3);
        FlatParameters held(tableOf(parameters), model::Phase::Train, at::kCPU,
                            {.type = isNarrow ? at::kBFloat16 : at::kFloat});
        for (qsizetype i = 0; i < parameters.size(); ++i)
            held.set(nameOf(i), numbersIn(parameters[i][QStringLiteral("values")], shapeOf(parameters[i])));
        OptimizerStep optimizer({.kind = *kind, .keepsMasters = false}, held);
        double largest = 0.0;
        for (int step = 0; step < 3; ++step) {
            held.completeGradients();
            for (qsizetype i = 0; i < parameters.size(); ++i) {
                const QJsonValue gradients = parameters[i][QStringLiteral("gradients")];
                at::Tensor(held.at(nameOf(i)).grad())
                    .copy_(numbersIn(gradients[step], shapeOf(parameters[i])));
            }
            optimizer.run();
            for (qsizetype i = 0; i < parameters.size(); ++i) {
                const at::Tensor expected =
                    numbersIn(parameters[i][QStringLiteral("expected")][step], shapeOf(parameters[i]));
                const at::Tensor actual = held.at(nameOf(i)).detach().to(at::kFloat);
                // If sums are added in another order, a result of 16 bits may round to the other neighbor.
                const at::Tensor allowed = expected.abs().mul(isNarrow ? 1.0 / 128 : 1e-6).add(1e-8);
                const double off = (actual - expected).abs().div(allowed).max().item<double>();
                largest = std::max(largest, off);
                QVERIFY2(off < 1.0, qPrintable(QStringLiteral("%1 of %2").arg(off).arg(i)));
                const double differing = actual.ne(expected).to(at::kFloat).mean().item<double>();
                QVERIFY(!isNarrow || differing < 0.02);
            }
        }
        qInfo("off by %.2f of what is allowed at most", largest);
    }

    // A trainer's network has separate matrices where ours has a joined one, and the columns of each have
    // their own means.
    void factorsPartsOfAMatrixSeparately()
    {
        using model::Projection;
        model::Parameter joined{.name = "joined", .shape = {8, 6}};
        joined.projections = {{.projection = Projection::Query, .rows = 5},
                              {.projection = Projection::Key, .rows = 3}};
        const std::vector<model::Parameter> parts{{.name = "query", .shape = {5, 6}},
                                                  {.name = "key", .shape = {3, 6}}};
        FlatParameters together({joined}, model::Phase::Train, at::kCPU);
        FlatParameters separated(parts, model::Phase::Train, at::kCPU);
        at::manual_seed(2);
        const at::Tensor values = at::randn({8, 6});
        const at::Tensor gradients = at::randn({8, 6});
        together.set("joined", values);
        separated.set("query", values.narrow(0, 0, 5));
        separated.set("key", values.narrow(0, 5, 3));
        const OptimizerChoice choice{.kind = model::Optimizer::Adafactor};
        OptimizerStep ofAll(choice, together);
        OptimizerStep ofParts(choice, separated);
        together.completeGradients();
        separated.completeGradients();
        at::Tensor(together.at("joined").grad()).copy_(gradients);
        at::Tensor(separated.at("query").grad()).copy_(gradients.narrow(0, 0, 5));
        at::Tensor(separated.at("key").grad()).copy_(gradients.narrow(0, 5, 3));
        ofAll.run();
        ofParts.run();
        QVERIFY(at::equal(together.at("joined").narrow(0, 0, 5), separated.at("query")));
        QVERIFY(at::equal(together.at("joined").narrow(0, 5, 3), separated.at("key")));
        QVERIFY(!at::equal(together.at("joined"), values));
    }
};

BATCHPEAK_TEST(OptimizerNumbersTest)
#include "tst_optimizer_numbers.moc"
