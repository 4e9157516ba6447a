# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests which words a trainer gets from a script, and that a script can do nothing else."""

import tempfile
import unittest
from pathlib import Path

from trainers.launching import Launch, config_of, launch_of, launched, words_or_file


class LaunchOfTest(unittest.TestCase):
    def check(self, command: str, options: str, program: str, words: str) -> None:
        self.assertEqual(launch_of(command.split()), Launch(options.split(), program, words.split()))

    def test_options_of_accelerate_are_not_those_of_the_script(self) -> None:
        self.check(
            "accelerate launch --config_file x --num_processes 2 train.py --a 1",
            "launch --config_file x --num_processes 2",
            "train.py",
            "--a 1",
        )

    def test_a_module_takes_the_place_of_a_script(self) -> None:
        self.check("deepspeed --num_gpus 4 --module pkg.train --a 1", "--num_gpus 4", "pkg.train", "--a 1")
        self.check("python -m pkg.train a=1", "", "pkg.train", "a=1")

    def test_launchers_start_each_other(self) -> None:
        self.check("srun -n 1 torchrun --nnodes 2 train.py --a 1", "--nnodes 2", "train.py", "--a 1")
        self.check("uv run python -m torch.distributed.run --nnodes 2 t.py --a", "--nnodes 2", "t.py", "--a")
        self.check("python mason.py --gpus 8 -- accelerate launch t.py --a", "launch", "t.py", "--a")

    def test_a_shell_gets_a_command_as_one_word(self) -> None:
        self.assertEqual(
            launch_of(["srun", "bash", "-c", "torchrun --nnodes 2 t.py --a 'b c'"]),
            Launch(["--nnodes", "2"], "t.py", ["--a", "b c"]),
        )

    def test_trainers_can_have_a_program(self) -> None:
        self.check("swift sft --a 1", "", "swift", "sft --a 1")
        self.check("uv run llamafactory-cli train --a 1", "run", "llamafactory-cli", "train --a 1")

    def test_other_programs_start_no_trainer(self) -> None:
        self.assertIsNone(launch_of(["python", "-c", "print(1)"]))
        self.assertIsNone(launch_of(["python", "-m", "torch.distributed.run"]))


class ScriptTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def script(self, text: str) -> str:
        file = self.folder / "run.sh"
        file.write_text(text)
        return str(file)

    def words(self, text: str) -> list[str]:
        return launched(self.script(text), "--size").words

    def test_the_shell_computes_words(self) -> None:
        text = "N=$(expr 8 / 2)\nA=(--size $((N * 2)) --b 'c d')\ntorchrun t.py \"${A[@]}\" \\\n  --e\n"
        self.assertEqual(self.words(text), ["--size", "8", "--b", "c d", "--e"])

    def test_the_start_with_the_sign_counts(self) -> None:
        self.assertEqual(self.words("python prepare.py --b\ntorchrun t.py --size 2\n"), ["--size", "2"])

    def test_logs_are_no_obstacle(self) -> None:
        for redirection in ("> log", ">> log 2>&1", "&> $LOG &", "2>&1 | tee log", '> "a b" 2>&1 &', ">& log"):
            with self.subTest(redirection=redirection):
                self.assertEqual(self.words(f"torchrun t.py --size 2 {redirection}\n"), ["--size", "2"])

    def test_preparations_succeed(self) -> None:
        text = "set -e\nmodule load cuda\nsource env/bin/activate\nmkdir -p x\ncd x\ntorchrun t.py --size 2\n"
        self.assertEqual(self.words(text), ["--size", "2"])

    def test_arguments_of_the_script_can_be_required_or_refused(self) -> None:
        start = "torchrun t.py --size 2\n"
        self.assertEqual(self.words("[ $# -gt 1 ] || exit 1\n" + start), ["--size", "2"])
        self.assertEqual(self.words("[ $# = 0 ] || exit 1\n" + start), ["--size", "2"])

    def test_a_script_without_a_start_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "starts nothing with --size"):
            self.words("echo --size\n")

    def test_a_script_writes_nothing(self) -> None:
        target = self.folder / "written"
        writes = ("touch F", "/usr/bin/touch F", "echo > F; true", "echo | tee F", "/bin/sh -c 'echo > F'", "exec 3>F")
        text = "".join(write.replace("F", str(target)) + "\n" for write in writes)
        self.assertEqual(self.words(text + "torchrun t.py --size 2\n"), ["--size", "2"])
        self.assertFalse(target.exists())

    def test_a_heredoc_is_a_config(self) -> None:
        for start in ("cat > cfg.yaml <<EOF", "cat <<EOF > cfg.yaml", 'cat << "EOF" >"cfg.yaml"', "tee cfg.yaml <<EOF"):
            with self.subTest(start=start):
                config = config_of(self.script(f"N=3\n{start}\nsize: $N\nEOF\ntool cfg.yaml\n"))
                self.assertEqual(Path(config).read_text(), "size: $N\n" if '"EOF"' in start else "size: 3\n")

    def test_the_config_that_a_trainer_gets_counts(self) -> None:
        text = "cat > a.yaml <<EOF\na: 1\nEOF\ncat > b.yaml <<EOF\nb: 1\nEOF\nllamafactory-cli train b.yaml\n"
        self.assertEqual(Path(config_of(self.script(text))).read_text(), "b: 1\n")

    def test_other_texts_are_configs_themselves(self) -> None:
        self.assertEqual(config_of("a.yaml"), "a.yaml")
        self.assertEqual(words_or_file("a.yaml", "size", "sft"), ["sft", "a.yaml"])

    def test_the_command_of_a_trainer_is_its_first_word_or_its_script(self) -> None:
        for start in ("swift sft", "torchrun --nnodes 1 swift/cli/sft.py"):
            with self.subTest(start=start):
                words = words_or_file(self.script(f"{start} --size 2\n"), "size", "pt")
                self.assertEqual(words, ["sft", "--size", "2"])


if __name__ == "__main__":
    unittest.main()
