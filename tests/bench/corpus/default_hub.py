# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a command beside a hub on the loopback interface that answers every id with a default config.json of
transformers:

    python default_hub.py COMMAND ARGUMENT...

The model type is the one whose name the id contains at the start of a word, else LLaMA's: the answers have the
families of real networks, not their sizes."""

from __future__ import annotations

import http.server
import os
import re
import subprocess
import sys
import threading

from transformers import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
    MODEL_FOR_PRETRAINING_MAPPING_NAMES,
)

_CLASSES = {
    **MODEL_FOR_PRETRAINING_MAPPING_NAMES,
    **MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    **MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
}
# Names of published networks whose model type has another name.
_OTHERS = {
    "devstral": "mistral3",
    "llama32vision": "mllama",
    "llama3211bvision": "mllama",
    "llama3290bvision": "mllama",
    "magistralsmall2507": "mistral3",
    "magistralsmall2509": "mistral3",
    "mistralsmall3": "mistral3",
    "mistralsmall4": "mistral4",
    "phi35": "phi3",
    "phi4": "phi3",
    "pixtral": "llava",
    "pythia": "gpt_neox",
    "qwen15": "qwen2",
    "qwen25": "qwen2",
}


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def _type_of(name: str) -> str:
    words = re.split(r"[-_.]", name.lower())
    starts = [_plain("".join(words[index:])) for index in range(len(words))]
    types = {**{_plain(model_type): model_type for model_type in _CLASSES}, **_OTHERS}
    found = [plain for plain in types if any(start.startswith(plain) for start in starts)]
    return types[max(found, key=len)] if found else "llama"


def _config_of(name: str) -> bytes:
    model_type = _type_of(name)
    config = CONFIG_MAPPING[model_type]()
    made = _CLASSES[model_type]
    config.architectures = [made if isinstance(made, str) else made[0]]
    return config.to_json_string(use_diff=False).encode()


class _Hub(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path = re.fullmatch(r"/(.+)/resolve/([^/]+)/config\.json", self.path.partition("?")[0])
        if path:
            body = _config_of(path.group(1).rpartition("/")[2])
            self.send_response(200)
            self.send_header("X-Repo-Commit", "0" * 40)
            self.send_header("ETag", '"%s"' % ("0" * 40))
        else:
            body = b""
            self.send_response(404)
            self.send_header("X-Error-Code", "EntryNotFound")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


def main() -> int:
    hub = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Hub)
    threading.Thread(target=hub.serve_forever, daemon=True).start()
    address = "http://127.0.0.1:%d" % hub.server_address[1]
    return subprocess.run(sys.argv[1:], env={**os.environ, "HF_ENDPOINT": address}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
