"""Write `sample.json.xz` and `questions.jsonl`, or compare them with a fresh generation.

python datasets/sample/generate.py            write both files
python datasets/sample/generate.py --check    compare, write nothing
"""

from __future__ import annotations

import sys
from importlib import import_module

if __name__ == "__main__":
    # By its bare name: this file's folder is first on the path, and no installed package called
    # `datasets` can come between.
    sys.exit(import_module("generator.command").main(sys.argv[1:]))
