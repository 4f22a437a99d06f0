"""Running a notebook's code, as Jupyter does, without it.

`python -m tests.make.notebook examples/notebook.ipynb` runs it and writes what its cells print.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Cell = dict[str, Any]


def cells_of(path: Path) -> list[Cell]:
    cells: list[Cell] = json.loads(path.read_text("utf-8"))["cells"]
    return cells


def printed(cell: Cell) -> str:
    """What a code cell printed when the notebook was written."""
    return "".join("".join(output["text"]) for output in cell["outputs"])


def run_cells(cells: list[Cell], folder: Path) -> Iterator[str]:
    """Run the code cells one after the other in `folder`; what each prints, with the value of its
    last expression."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]), f"cell {number}")
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        output = io.StringIO()
        with contextlib.chdir(folder), contextlib.redirect_stdout(output):
            exec(compile(tree, f"cell {number}", "exec"), names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
                if value is not None:
                    print(value)
        yield output.getvalue()


def write_outputs(path: Path) -> None:
    notebook = json.loads(path.read_text("utf-8"))
    codes = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, (cell, text) in enumerate(
        zip(codes, run_cells(notebook["cells"], path.parent), strict=True), start=1
    ):
        lines = text.splitlines(keepends=True)
        stream = {"name": "stdout", "output_type": "stream", "text": lines}
        cell |= {"execution_count": number, "outputs": [stream] if lines else []}
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + os.linesep, "utf-8")


if __name__ == "__main__":
    write_outputs(Path(sys.argv[1]))
