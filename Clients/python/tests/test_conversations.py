"""The golden conversations come true: line by line over a plain socket, and through each twin where it can have them."""

import json

import pytest
from conversations import FILES, FOLDER, Differs, fits_the_api, replay, replay_through


@pytest.mark.parametrize("file", FILES, ids=[one.stem for one in FILES])
def test_over_a_socket(file, start):
    replay(file, start().path)


# A cursor from the future is an error on the wire; the client makes a Gap and a new snapshot of it.
THROUGH = [one for one in FILES if fits_the_api(one) and "seq-in-future" not in one.read_text() and "gone" not in one.read_text()]


@pytest.mark.parametrize("file", THROUGH, ids=[one.stem for one in THROUGH])
def test_through_the_client(file, twin, start):
    daemon = start()
    twin.play(lambda: replay_through(twin, file, daemon.path))


def test_a_line_that_differs_is_found(start, folder, tmp_path):
    lines = (FOLDER / "lessons-assign.jsonl").read_text(encoding="utf-8").splitlines()
    first = next(n for n, line in enumerate(lines) if '"seq":3' in line)
    changed = [*lines[:first], lines[first].replace('"seq":3', '"seq":4'), *lines[first + 1 :]]
    swapped = [*lines[:first], reordered(lines[first]), *lines[first + 1 :]]
    missing = [*lines[:first], *lines[first + 1 :]]
    for number, one in enumerate((changed, swapped, missing)):
        path = tmp_path / f"{number}.jsonl"
        path.write_text("\n".join(one), encoding="utf-8")
        with pytest.raises(Differs, match=rf"^{number}.jsonl:\d+\n"):
            replay(path, start(path=f"{folder}/{number}.sock").path)


def reordered(line):
    value = json.loads(line)
    value["line"] = dict(reversed(value["line"].items()))
    return json.dumps(value, ensure_ascii=False)


def test_there_are_conversations():
    assert FOLDER / "lessons-assign.jsonl" in FILES and FOLDER / "lessons-assign.jsonl" in THROUGH
