# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""The pictures of RESULTS.md, as SVG, out of the folders that run.py's experiments left."""
import csv
import html
import math

COLOURS = ["#1b6ca8", "#d1495b", "#3a9d5d", "#edae49", "#7b4fa3", "#6b7280", "#00798c", "#b5651d"]
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 560, 330, 60, 34, 150, 48


def text(x, y, words, anchor="start", size=12, more=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-family="sans-serif" '
            f'text-anchor="{anchor}" {more}>{html.escape(words)}</text>')


def ticks(low, high, logarithmic):
    """Where an axis is marked, and what is written there."""
    if logarithmic:
        return [(power, f"{10.0**power:g}") for power in range(low, high + 1)]
    return [(value, label(value)) for value in (low + (high - low) * i / 5 for i in range(6))]


def round_up(value):
    """The end of an axis of five even steps that reaches `value`."""
    unit = 10 ** math.floor(math.log10(value / 5)) if value > 0 else 0.2
    steps = (step * unit for step in (1, 2, 2.5, 5, 10))
    return 5 * next(step for step in steps if 5 * step >= value * 0.999999)


def label(value):
    return f"{value:.3g}"


class Canvas:
    """Axes over a rectangle; values become pixels. Logarithmic: values are powers of ten."""

    def __init__(self, title, x_range, y_range, x_label, y_label, logarithmic=False):
        self.x_range, self.y_range, self.logarithmic = x_range, y_range, logarithmic
        middle = TOP + (HEIGHT - TOP - BOTTOM) / 2
        self.parts = [text(LEFT, 20, title, size=14, more='font-weight="bold"'),
                      text(LEFT + (WIDTH - LEFT - RIGHT) / 2, HEIGHT - 8, x_label, "middle"),
                      text(16, middle, y_label, "middle",
                           more=f'transform="rotate(-90 16 {middle:.0f})"')]
        for value, written in ticks(*y_range, logarithmic):
            y = self.y(value)
            self.parts += [f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" '
                           'stroke="#ddd"/>',
                           text(LEFT - 6, y + 4, written, "end", 11)]

    def x(self, value):
        low, high = self.x_range
        return LEFT + (value - low) / (high - low or 1) * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        low, high = self.y_range
        return HEIGHT - BOTTOM - (value - low) / (high - low or 1) * (HEIGHT - TOP - BOTTOM)

    def x_ticks(self):
        self.parts += [text(self.x(value), HEIGHT - BOTTOM + 16, written, "middle", 11)
                       for value, written in ticks(*self.x_range, self.logarithmic)]

    def legend(self, names):
        for i, name in enumerate(names):
            y = TOP + 8 + 18 * i
            self.parts += [f'<rect x="{WIDTH - RIGHT + 12}" y="{y - 9}" width="12" height="10" '
                           f'fill="{COLOURS[i % len(COLOURS)]}"/>',
                           text(WIDTH - RIGHT + 30, y, name, size=11)]

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
                f'width="{WIDTH}" height="{HEIGHT}"><rect width="100%" height="100%" fill="white"/>'
                f'{"".join(self.parts)}</svg>\n')


def lines(title, x_label, y_label, series, x_range, y_range, dots=False, logarithmic=False):
    """`series`: (name, points) pairs."""
    canvas = Canvas(title, x_range, y_range, x_label, y_label, logarithmic)
    canvas.x_ticks()
    for i, (_, points) in enumerate(series):
        colour = COLOURS[i % len(COLOURS)]
        path = " ".join(f"{canvas.x(x):.1f},{canvas.y(y):.1f}" for x, y in points)
        canvas.parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" '
                            'stroke-width="2"/>')
        if dots or len(points) == 1:
            canvas.parts += [f'<circle cx="{canvas.x(x):.1f}" cy="{canvas.y(y):.1f}" r="3.5" '
                             f'fill="{colour}"/>' for x, y in points]
    canvas.legend([name for name, _ in series])
    return canvas.svg()


def log_lines(title, x_label, y_label, series):
    """As lines(), with powers of ten on both axes."""
    series = [(name, [(math.log10(x), math.log10(y)) for x, y in points])
              for name, points in series]
    reach = [[point[axis] for _, points in series for point in points] for axis in (0, 1)]
    ends = [(math.floor(min(values)), math.ceil(max(values))) for values in reach]
    return lines(title, x_label, y_label, series, *ends, dots=True, logarithmic=True)


def bars(title, y_label, clusters, names):
    """`clusters`: (label, values) pairs, a value per name, None where unknown."""
    highest = max(value for _, values in clusters for value in values if value is not None)
    canvas = Canvas(title, (0, 1), (0, round_up(highest)), "", y_label)
    room = (WIDTH - LEFT - RIGHT) / len(clusters)
    for c, (cluster, values) in enumerate(clusters):
        middle = LEFT + room * (c + 0.5)
        canvas.parts.append(text(middle, HEIGHT - BOTTOM + 16, cluster, "middle", 11))
        width = room * 0.8 / len(values)
        for i, value in enumerate(values):
            if value is None:
                continue
            x, y = LEFT + room * (c + 0.1) + width * i, canvas.y(value)
            canvas.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width - 1:.1f}" '
                                f'height="{HEIGHT - BOTTOM - y:.1f}" '
                                f'fill="{COLOURS[i % len(COLOURS)]}"/>')
            if width >= 20:
                canvas.parts.append(text(x + width / 2, y - 3, label(value), "middle", 9))
    canvas.legend(names)
    return canvas.svg()


def curve(results, name, variant):
    """Recall and precision, point by point."""
    with (results.folder / name / "curves.csv").open() as file:
        return [(float(row["recall"]), float(row["precision"])) for row in csv.DictReader(file)
                if row["variant"] == variant]


def precision_recall(results, title, picked):
    """`picked`: (legend, run, variant) triples; those not run are left out."""
    series = [(legend, curve(results, run, variant)) for legend, run, variant in picked
              if results.get(run, variant, "recall") is not None]
    series = [(legend, points) for legend, points in series if points]
    return lines(title, "recall", "precision", series, (0, 1), (0, 1)) if series else None


def table1(results):
    names = ["d1", "d2b16-mean", "d2b16-sum", "d2b16-max"]
    rate = lambda size, kind, name: results.get(f"table1_05_{size}", name, f"{kind}_rate_ms_per_1k")
    clusters = [(f"{kind}, {words}", [rate(size, kind, name) for name in names])
                for size, words in (("10k", "10K"), ("1m", "1M"))
                if results.metrics(f"table1_05_{size}") for kind in ("positive", "negative")]
    title = "Table 1: KITTI 05, both cameras"
    return bars(title, "ms per 1,000 images", clusters, names) if clusters else None


def groups(results, runs, metric, y_label, relative=False):
    """Kinds of groups side by side; `relative` to regular ones."""
    names = ["regular", "adaptive", "parallax", "bottleneck", "ward"]
    clusters = []
    for run, title in runs:
        base = results.get(run, "regular", metric) if relative else 1
        if base and results.metrics(run):
            values = [results.get(run, name, metric) for name in names]
            clusters.append((title, [value if value is None else value / base for value in values]))
    return bars("Groups of 16 frames, mean pooling", y_label, clusters, names) if clusters else None


def slack(results):
    series = []
    for size, words in (("10k", "10K words"), ("1m", "1M words")):
        found = results.metrics(f"slack_{size}")
        if not found:
            continue
        base = results.get(f"slack_{size}", "d1", "mean_ms")
        points = sorted((v["metrics"]["mean_ms"] / base, v["metrics"]["hits_kept"])
                        for v in found["variants"] if v["name"] != "d1")
        series += [(f"d2b16-mean, {words}", points)]
    if not series:
        return None
    end = max(x for _, points in series for x, _ in points)
    return lines("Mean pooling with slack", "time, in times of d1", "share of matches kept",
                 series + [("d1", [(1, 1)])], (0, round_up(end)), (0, 1), True)


def scaling(results):
    """Figure 3a: time by frames in the database, the joined drive and the made-up one."""
    series = []
    for size, words in (("10k", "10K"), ("1m", "1M")):
        for run, name, title in (("joined", "lists", "lists, joined"), ("scale", "d1", "d1"),
                                 ("scale", "d2b16-max", "d2b16-max")):
            points = [(frames / 1000, ms) for frames, ms in results.by_size(f"{run}_{size}", name)]
            series += [(f"{title}, {words}", points)] if points else []
    if not series:
        return None
    return log_lines("Figure 3a: a query by the size of the map", "1,000 frames", "ms", series)


def draw(results, folder, driving, tum):
    """Writes the pictures that there are results for; returns their names."""
    means = ("d1", "d2b4-mean", "d2b8-mean", "d2b16-mean")
    curves = lambda run, title: precision_recall(results, title, [(v, run, v) for v in means])
    made = {
        "curves_10k": curves("curves_10k", "KITTI 00, 10,000 words"),
        "curves_1m": curves("curves_1m", "KITTI 00, a million words"),
        "curves_05_10k": curves("curves_05_10k", "KITTI 05, 10,000 words"),
        "curves_05_1m": curves("curves_05_1m", "KITTI 05, a million words"),
        "fabmap": precision_recall(results, "FAB-MAP 2.0 beside ours", [
            ("d1, KITTI 00", "fabmap_kitti00", "d1"),
            ("fabmap, KITTI 00", "fabmap_kitti00", "fabmap"),
            ("the same, frames apart", "fabmap_kitti00_frames", "fabmap"),
            ("d1, corridor", "corridor", "d1"), ("fabmap, corridor", "corridor", "fabmap")]),
        "groups_recall": groups(results, driving + tum, "recall", "recall at the threshold"),
        "groups_time": groups(results, driving + tum, "mean_ms",
                              "time, in times of regular groups", True),
        "scaling": scaling(results),
        "slack": slack(results),
        "table1": table1(results),
    }
    folder.mkdir(exist_ok=True)
    for name, picture in made.items():
        if picture:
            (folder / f"{name}.svg").write_text(picture)
    return [name for name, picture in made.items() if picture]
