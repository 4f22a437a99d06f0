"""The cache of vectors as a file: its place, how to tell it from others, deleting it."""

from __future__ import annotations

from pathlib import Path

from harness.errors import InputError
from harness.storage.atomic import storage_error

APPLICATION_ID = 0x45564856  # in the header of every cache, unlike any other SQLite file
_SQLITE_MAGIC = b"SQLite format 3\0"
_APPLICATION_ID_AT = 68  # 4 bytes, big-endian
_BESIDE = ("-wal", "-shm", "-journal")  # what SQLite keeps next to the file while it is in use


def default_cache_path() -> Path:
    """Return the cache of this user, where the operating system keeps caches."""
    from platformdirs import user_cache_path

    return user_cache_path("evidence-harness", appauthor=False) / "vectors.sqlite"


def cache_bytes(path: Path) -> int:
    """Return the size of the cache with SQLite's other files; 0 without a cache."""
    return sum(file.stat().st_size for file in _files(path))


def delete_cache(path: Path) -> int:
    """Delete the cache, damaged or not, with SQLite's other files; return the bytes freed.

    A file that is neither at the default place nor begins as a cache does may be somebody's work:
    it is refused with `InputError`.
    """
    if not _may_delete(path):
        raise InputError(
            f"{path} does not begin as a cache of vectors does, and may be something else",
            "If it is a damaged cache, delete the file yourself.",
        )
    freed = cache_bytes(path)
    for file in _files(path):
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise storage_error(error, file) from error
    return freed


def damaged(path: Path, reason: str) -> InputError:
    """Describe a cache that cannot be read."""
    if _may_delete(path):
        return InputError(f"{path}: the cache of vectors is damaged ({reason})", clear_hint(path))
    return InputError(
        f"{path} is not a cache of vectors, or is damaged at its start ({reason})",
        "Choose another --cache, or delete the file if you know that it is a damaged cache.",
    )


def clear_hint(path: Path) -> str:
    """Say how to remove a cache that is unusable."""
    option = "" if path == default_cache_path() else f" --cache {path}"
    return f"Remove it with: harness cache clear{option}; its vectors are embedded again."


def _may_delete(path: Path) -> bool:
    return path == default_cache_path() or _begins_as_cache(path)


def _begins_as_cache(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            header = stream.read(100)
    except OSError as error:
        raise storage_error(error, path) from error
    application = header[_APPLICATION_ID_AT : _APPLICATION_ID_AT + 4]
    return not header or (
        header.startswith(_SQLITE_MAGIC) and application == APPLICATION_ID.to_bytes(4, "big")
    )


def _files(path: Path) -> list[Path]:
    files = [path, *(path.with_name(path.name + ending) for ending in _BESIDE)]
    return [file for file in files if file.is_file()]
