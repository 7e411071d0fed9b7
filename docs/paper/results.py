# SPDX-FileCopyrightText: 2026 The looptree authors
# SPDX-License-Identifier: MIT
"""What run.py's experiments left, and tables of it in Markdown."""
import csv
import json
import statistics


class Results:
    def __init__(self, folder):
        self.folder = folder

    def metrics(self, name):
        path = self.folder / name / "metrics.json"
        return json.loads(path.read_text()) if path.exists() else None

    def config(self, name):
        return json.loads((self.folder / name / "config.json").read_text())

    def took(self, name):
        """Load of the machine when it began, and processor seconds; None where nobody noted."""
        path = self.folder / name / "run.json"
        return json.loads(path.read_text()) if path.exists() else None

    def get(self, name, variant, metric):
        """A metric, or None where there is none."""
        found = self.metrics(name)
        for entry in (found or {"variants": []})["variants"]:
            if entry["name"] == variant:
                return entry["metrics"].get(metric)
        return None

    def fact(self, name, fact):
        found = self.metrics(name)
        return found["facts"].get(fact) if found else None

    def names(self):
        return sorted(path.parent.name for path in self.folder.glob("*/metrics.json"))

    def by_size(self, name, variant):
        """(frames in the database, median ms of a query) pairs, smallest database first."""
        path = self.folder / name / "timings.csv"
        if not path.exists():
            return []
        times = {}
        with path.open() as rows:
            for row in csv.DictReader(rows):
                if row["variant"] == variant:
                    times.setdefault(int(row["database_size"]), []).append(float(row["ms"]))
        return [(size, statistics.median(ms)) for size, ms in sorted(times.items())]


# Numbers and tables


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def number(value, digits=4):
    if value is None:
        return "-"
    return str(int(value)) if value == int(value) else f"{value:.{digits}g}"


def ratio(above, below):
    return above / below if above is not None and below else None


def times(above, below):
    """A speed-up; below a twentieth with the digits that are left."""
    value = ratio(above, below)
    return "-" if value is None else f"{value:.2f}x" if value >= 0.05 else f"{value:.2g}x"


QUALITIES = [("recall", "recall"), ("precision", "precision"), ("average_precision", "AP"),
             ("score", "score"), ("map", "mAP"), ("hits_kept", "hits kept"),
             ("same_answers", "same answers")]
POLICY = [("positives", "revisits"), ("recall", "recall at the threshold"),
          ("recall_at_full_precision", "most recall without a false alarm"),
          ("false_alarms", "false alarms")]
GROUPS = [("build_s", "built in s"), ("largest_group", "largest group"),
          ("groups_of_one", "groups of one")]


def variants_table(results, name):
    """The table of one experiment: quality, then time, then speed-ups against d1 and lists."""
    variants = [(entry["name"], entry["metrics"]) for entry in results.metrics(name)["variants"]]
    has = lambda key: any(key in metrics for _, metrics in variants)
    by_rate, halves = has("rate_ms_per_1k"), has("positive_rate_ms_per_1k")
    cost = "rate_ms_per_1k" if by_rate else "mean_ms"
    timed = has("mean_ms")
    first, lists = results.get(name, "d1", cost), results.get(name, "lists", cost)
    known = [pair for pair in QUALITIES if has(pair[0])]
    groups = [pair for pair in GROUPS if has(pair[0])]
    head = ["variant", *(title for _, title in known)]
    head += ["mean ms (slowest, fastest pass)"] if timed else []
    head += ["ms per 1k"] if by_rate else []
    head += ["positive / negative ms per 1k"] if halves else []
    head += (["against d1"] if timed else []) + (["against lists"] if lists else [])
    rows = []
    for variant, m in variants:
        row = [variant, *(number(m.get(key)) for key, _ in known)]
        if timed:
            row.append(f"{number(m.get('mean_ms'))} ({number(m.get('mean_ms_high'))}, "
                       f"{number(m.get('mean_ms_low'))})")
        row += [number(m.get("rate_ms_per_1k"))] if by_rate else []
        if halves:
            row.append(f"{number(m.get('positive_rate_ms_per_1k'))} / "
                       f"{number(m.get('negative_rate_ms_per_1k'))}")
        row += [times(first, m.get(cost))] if timed else []
        row += [times(lists, m.get(cost))] if lists else []
        rows.append(row + [number(m.get(key), 2) for key, _ in groups])
    return table(head + [title for _, title in groups], rows)


def policy_table(results, name):
    """The threshold's table: what it does on every sequence."""
    rows = [[entry["name"], *(number(entry["metrics"].get(key)) for key, _ in POLICY)]
            for entry in results.metrics(name)["variants"]]
    return table(["sequence", *(title for _, title in POLICY)], rows)


def experiment(results, name, title):
    """Its command, facts and table."""
    facts, took = results.metrics(name)["facts"], results.took(name)
    known = [f"{key.replace('_', ' ')} {number(value)}" for key, value in facts.items()]
    if took:
        known.append(f"processor time {took['seconds']:.0f} s; load of the machine when it began "
                     f"{took['load']:.1f}")
    shown = (policy_table if name.startswith("threshold") else variants_table)(results, name)
    command = results.config(name)["command"]
    told = ", ".join(known)
    return "\n".join([f"**{title}**", "", "```", command, "```", "",
                      told[:1].upper() + told[1:] + ".", "", shown])
