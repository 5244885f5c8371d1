"""The benchmark measures, writes and draws; how fast anything is, no test says."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rich")
pytest.importorskip("matplotlib")

ROOT = Path(__file__).resolve().parent.parent
SIZE = (1196, 806)
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def benchmarks():
    """The package of the benchmark's parts, which lies beside the command."""
    sys.path.insert(0, str(ROOT / "scripts"))
    yield pytest.importorskip("benchmarks.command")
    sys.path.remove(str(ROOT / "scripts"))


def run(folder, *options):
    command = [
        sys.executable, "scripts/benchmark.py", "--rounds", "1", "--seconds", "0.01",
        "--json", str(folder / "figures.json"), "--pictures", str(folder / "pictures"), *options,
    ]  # fmt: skip
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800)


def picture_size(path):
    head = path.read_bytes()[:24]
    assert head.startswith(PNG)
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")


def some_figures():
    """Figures as a run leaves them, of a machine that never was."""
    from benchmarks.figures import Figure

    figures = []
    for game, players in (("elfern", 2), ("konchinka", 2), ("konchinka", 4), ("konchinka", 12)):
        at = {"game": game, "players": players}
        figures.append(Figure("width", "C, one process", tables=4096, value=3e7 / players, **at))
        for width in (1, 4096):
            value = 1e5 * (1 + width / players)
            figures.append(Figure("width", "engine loop", tables=width, value=value, least=value / 2, most=value, **at))
    for players in range(2, 13):
        at = {"game": "konchinka", "players": players, "value": 1e7, "least": 9e6, "most": 2e7}
        for threads in (1, 2):
            figures.append(Figure("players", "engine loop", tables=65_536, threads=threads, **at))
            figures.append(Figure("players", "C, so many processes", tables=65_536, threads=threads, **at))
    for library, game, tables in (("OpenSpiel", "hearts", 1), ("OpenSpiel", "skat", 1), ("pgx", "leduc", 4096)):
        figures.append(Figure("peers", library, game, tables=tables, value=2e5, ratio=0.1, notes={"version": "1"}))
    figures.append(Figure("peers", "RLCard", notes={"missing": "not installed"}))
    return figures


def results_of(figures):
    return {
        "date": "2000-01-01",
        "machine": {"cpu": "some processor", "cores": 2},
        "settings": {"rounds": 3, "seconds": 1.0, "parts": []},
        "figures": [figure.to_dict() for figure in figures],
    }


def test_the_command_measures_prints_and_writes(tmp_path):
    done = run(tmp_path, "--only", "engine", "environments")
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "figures.json").read_text())
    assert results["machine"]["cores"] >= 1
    assert results["settings"] == {"rounds": 1, "seconds": 0.01, "parts": ["engine", "environments"]}
    assert {"card_envs", "numpy", "numba"} <= results["versions"].keys()
    found = {(row["what"], row["game"], row["players"]): row for row in results["figures"]}
    for game, players in (("elfern", 2), ("konchinka", 2), ("konchinka", 4), ("konchinka", 12)):
        for what in ("engine loop", "four verbs", "VectorEnv.step", "Env.step", "State.play"):
            assert found[what, game, players]["value"] > 0
    assert found["a row of state", "elfern", 2]["met"]
    assert found["a row of state", "konchinka", 12]["met"]
    assert found["VectorEnv.step", "elfern", 2]["ratio"] > 0
    assert "Konchinka, 12 players" in done.stdout


def test_unknown_parts_are_refused(tmp_path):
    done = run(tmp_path, "--only", "everything")
    assert done.returncode == 2
    assert "engine" in done.stderr


def test_decisions_are_counted_at_the_tables(benchmarks):
    import card_envs
    from benchmarks.environments import decisions

    for name, players in (("elfern", {}), ("konchinka", {"num_players": 5})):
        game = card_envs.make_game(name, **players)
        states = game.new_states(range(20))
        for _ in range(100):
            game.step(states, game.sample_actions(states))
        assert decisions(game, states) == 100 * len(states)


def test_threads_that_play_otherwise_would_be_noticed(benchmarks, monkeypatch):
    from benchmarks import engine

    game = benchmarks.engine.measured_games()[0]
    engine.compare_threads(game, size=2048, rounds=3)
    honest = type(game).sample_actions
    monkeypatch.setattr(type(game), "sample_actions", lambda self, states, out, threads: (
        honest(self, states[::-1].copy() if threads > 1 else states, out=out)
    ))  # fmt: skip
    with pytest.raises((RuntimeError, ValueError)):
        engine.compare_threads(game, size=2048, rounds=3)


def test_training_beside_an_environment_that_does_nothing(benchmarks, tmp_path):
    from benchmarks.figures import Turns

    pytest.importorskip("sb3_contrib")
    figures = benchmarks.training.measure_training(Turns(1, 0.01), tmp_path)
    assert [figure.players for figure in figures] == [2] * 4
    assert all(figure.value > 0 and figure.unit == "trained steps/s" for figure in figures)


def test_positions_to_solve_have_so_many_plays_left(benchmarks):
    from benchmarks.figures import Turns

    for stage in benchmarks.solving.stages():
        states = stage.positions(0)
        assert (stage.game.max_plays - states["plays"] == stage.plays_left).all()
        assert not np.array_equal(states["deck"], stage.positions(stage.at_once)["deck"])
    figures = benchmarks.solving.measure_solving(Turns(1, 0.01), Path())
    assert all(figure.value > 0 and figure.unit == "s" for figure in figures)
    assert [figure.required for figure in figures] == [0.15e-3, 3e-3, 0.1, 1.0, None]


def test_ratios_are_those_of_one_round(benchmarks):
    from benchmarks.figures import Figure, figure

    samples = {"C": [10.0, 100.0, 40.0], "ours": [9.0, 70.0, 40.0]}
    made = figure(samples, "engine", "ours", "C", required=0.8)
    assert (made.value, made.least, made.most) == (40.0, 9.0, 70.0)
    assert (made.ratio, made.ratio_least, made.ratio_most) == (0.9, 0.7, 1.0)
    assert made.met
    assert Figure.read(json.loads(json.dumps(made.to_dict()))) == made
    assert figure(samples, "engine", "ours", "D", required=0.8).met is None


def test_missed_ratios_are_named_and_nothing_else(benchmarks):
    from benchmarks.figures import Figure

    slow = Figure("engine", "engine loop", "elfern", 2, value=1.0, ratio=0.5, required=0.8)
    late = Figure("start", "import", value=9.0, unit="s", required=1.5, at_most=True)
    assert late.met is False
    assert benchmarks.report.missed_ratios(results_of([slow, late])) == [slow]


def test_pictures_are_drawn_from_figures(benchmarks, tmp_path):
    drawn = benchmarks.pictures.draw(results_of(some_figures()), tmp_path / "pictures")
    assert [path.name for path in drawn] == ["benchmark_width.png", "benchmark_players.png"]
    assert all(picture_size(path) == SIZE for path in drawn)


def test_tables_name_what_is_missing(benchmarks):
    from rich.console import Console

    page = io.StringIO()
    console = Console(width=130, file=page)
    benchmarks.report.show(results_of(some_figures()), console)
    assert "RLCard: not installed" in page.getvalue()
    assert "OpenSpiel 1" in page.getvalue()


def test_names_of_marks_are_moved_apart(benchmarks):
    apart = benchmarks.pictures.apart
    assert apart([], 1.0) == []
    assert apart([0.0, 5.0], 1.0) == [0.0, 5.0]
    assert apart([2.0, 2.0, 2.0], 1.0) == [1.0, 2.0, 3.0]
    assert apart([0.0, 4.0, 4.0], 1.0) == pytest.approx([0.0, 3.5, 4.5])
