// SPDX-FileCopyrightText: Batchpeak authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/visible_devices.h"
#include "support/rows.h"
#include "support/test_main.h"

#include <QTest>

#include <optional>
#include <string>
#include <vector>

using namespace batchpeak::device;

namespace {

/// Returns four devices of a node in the order of NVML.
std::vector<LocalDevice> node()
{
    std::vector<LocalDevice> devices;
    for (const char* uuid : {"GPU-aa11", "GPU-ab22", "GPU-c333", "MIG-d444"})
        devices.push_back({.kind = "cuda", .index = static_cast<int>(devices.size()), .uuid = uuid});
    return devices;
}

} // namespace

class VisibleDevicesTest : public QObject
{
    Q_OBJECT

private slots:
    void selectsTheDevicesOfTheJob_data()
    {
        const std::string all = "GPU-aa11 GPU-ab22 GPU-c333 MIG-d444 ";
        const auto add = rows<std::string, std::string>();
        add("nothing said", {"", all});
        add("numbers in the job's order", {"CUDA_VISIBLE_DEVICES=2,0", "GPU-c333 GPU-aa11 "});
        add("blanks", {"CUDA_VISIBLE_DEVICES= 2, 0 ", "GPU-c333 GPU-aa11 "});
        add("names", {"CUDA_VISIBLE_DEVICES=GPU-c333,MIG-d444", "GPU-c333 MIG-d444 "});
        add("the beginning of a name", {"CUDA_VISIBLE_DEVICES=GPU-ab", "GPU-ab22 "});
        add("none", {"CUDA_VISIBLE_DEVICES=", ""});
        add("none, as some write it", {"CUDA_VISIBLE_DEVICES=-1", ""});
        add("none, as others do", {"CUDA_VISIBLE_DEVICES=NoDevFiles", ""});
        add("up to the first that is not there", {"CUDA_VISIBLE_DEVICES=1,9,2", "GPU-ab22 "});
        add("up to the first that was named", {"CUDA_VISIBLE_DEVICES=1,1,2", "GPU-ab22 "});
        add("a container's", {"NVIDIA_VISIBLE_DEVICES=GPU-c333", "GPU-c333 "});
        add("a container's, all", {"NVIDIA_VISIBLE_DEVICES=all", all});
        add("a container's, hidden otherwise", {"NVIDIA_VISIBLE_DEVICES=GPU-elsewhere", all});
        add("a step of Slurm", {"SLURM_STEP_GPUS=1;SLURM_JOB_GPUS=1,2", "GPU-ab22 "});
        add("a job of Slurm", {"SLURM_JOB_GPUS=1,2", "GPU-ab22 GPU-c333 "});
        add("a job of Slurm that sees only its own devices", {"SLURM_JOB_GPUS=6,7", all});
        add("CUDA's variable before the others", {"CUDA_VISIBLE_DEVICES=0;SLURM_JOB_GPUS=1", "GPU-aa11 "});
    }
    void selectsTheDevicesOfTheJob()
    {
        const auto& [variables, expected] = row<std::string, std::string>();
        const auto environment = [text =
                                      ";" + variables + ";"](const char* name) -> std::optional<std::string> {
            const std::string key = ";" + std::string(name) + "=";
            const std::size_t at = text.find(key);
            if (at == std::string::npos)
                return std::nullopt;
            const std::size_t begin = at + key.size();
            return text.substr(begin, text.find(';', begin) - begin);
        };
        const VisibleDevices visible = visibleDevices(node(), environment);
        std::string uuids;
        for (std::size_t i = 0; i < visible.devices.size(); ++i) {
            QCOMPARE(visible.devices[i].index, static_cast<int>(i));
            uuids += visible.devices[i].uuid + " ";
        }
        QCOMPARE(uuids, expected);
        QCOMPARE(visible.restriction.empty(), visible.devices.size() == node().size());
    }
};

BATCHPEAK_TEST(VisibleDevicesTest)
#include "tst_visible_devices.moc"
