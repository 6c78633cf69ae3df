"""The dbt test as plain SQL: its macros rendered as dbt does it, without dbt."""

import hashlib
import re
from pathlib import Path
from types import SimpleNamespace

import jinja2

MACROS = Path(__file__).parents[1] / "examples" / "dbt" / "macros" / "same_law.sql"
COLUMNS = "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = '{}'"


def refuse(message):
    raise ValueError(message)


def rendered(database, model, reference, columns=None, level=0.05, permutations=99, seed=0,
             dialect="duckdb"):  # fmt: skip
    """The statement of `same_law` for two tables of an open database."""
    text = MACROS.read_text().replace("% test same_law", "% macro test_same_law")
    environment = jinja2.Environment(extensions=["jinja2.ext.do"])
    environment.globals.update(
        adapter=SimpleNamespace(
            get_columns_in_relation=lambda name: [
                SimpleNamespace(name=one, dtype=kind)
                for one, kind in database.execute(COLUMNS.format(name)).fetchall()
            ],
            quote=lambda name: '"' + name.replace('"', '""') + '"',
        ),
        exceptions=SimpleNamespace(raise_compiler_error=refuse),
        execute=True,
        local_md5=lambda text: hashlib.md5(text.encode()).hexdigest(),
        modules=SimpleNamespace(re=re),
        target=SimpleNamespace(type=dialect),
    )
    module = environment.from_string(text.replace("endtest", "endmacro")).module
    arguments = (model, reference, columns, level, permutations, seed)
    return str(vars(module)["test_same_law"](*arguments))


def whatever_the_pvalue(statement):
    """The same, with its line even when the test passes."""
    assert statement.count("where pvalue <= 0.05 or") == 1
    return statement.replace("where pvalue <= 0.05 or", "where true or")


def up_to(statement, name):
    """The subquery of that name instead of the outcome."""
    end = statement.index("\n),", statement.index(f"\n{name} as"))
    return f"{statement[: end + 2]}\nselect * from {name}"


def lines(database, statement):
    answer = database.execute(statement)
    names = [one[0] for one in answer.description]
    return [dict(zip(names, line, strict=True)) for line in answer.fetchall()]
