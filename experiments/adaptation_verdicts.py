"""Claims about domain adaptation: tables 2 to 4."""

from experiments.verdict import LEVEL, Verdict, span, summary, word


def adaptation() -> list[Verdict]:
    """Tables 2 to 4: fixed features in place of networks trained through."""
    from experiments.tables2_4.report import accuracies, compared, unfolded

    book = unfolded(summary("tables2_4")["main"])

    def gaps(benchmarks: dict[str, str], other: str) -> dict[str, dict[str, float]]:
        return {
            title: compared(*(accuracies(book, name, method) for method in ("RJSD 3", other)))
            for name, title in benchmarks.items()
        }

    def helps(found: dict[str, float]) -> bool:
        most = 2 * found["tasks_ahead"] > found["tasks"]
        return most and found["difference"] > 0 and found["p_over_seeds"] <= LEVEL

    def told(title: str, found: dict[str, float]) -> str:
        return (
            f"{title} {found['difference']:+.2f} ± {found['standard_error']:.2f} points, ahead in "
            f"{found['tasks_ahead']} of {found['tasks']} tasks, p = {found['p_over_seeds']:.2g} "
            f"over seeds and {found['p_over_tasks']:.2g} over tasks"
        )

    def row(item: str, claim: str, benchmarks: dict[str, str], other: str = "MMD") -> Verdict:
        found = gaps(benchmarks, other)
        held = word(all(map(helps, found.values())), stand_in=True)
        count = f"{span([int(line['seeds']) for line in found.values()])} seeds per task"
        text = "; ".join(told(title, line) for title, line in found.items())
        return Verdict(item, claim, held, text, count, "tables2_4")

    above = "RJSD of order 3 above MMD in most tasks"
    office = {"office31": "Office-31, fixed features"}
    caltech = {"surf": "Office-Caltech-10, SURF", "caltech": "Office-Caltech-10, deep"}
    pacs = {"pacs": "PACS"}
    return [
        row("Table 2 (Office-31)", above, office),
        row("Table 3 (Office-Home)", above, caltech),
        row("Table 4 (ImageNet-R, -Sketch)", above, pacs),
        row("Tables 2–4", "order 3 adds something to order 1", office | caltech | pacs, "RJSD 1"),
    ]
