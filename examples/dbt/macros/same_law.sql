{#- Does a model follow the same law as another table? One SELECT, no Python: no rows = pass.

    tests:
      - same_law:
          reference: ref('orders_last_month')
          columns: [amount, region]   # all columns of the reference if left out
          level: 0.05

Rows of both tables are dealt to random blocks, cosines and sines of their columns are averaged over
each block, and labels of blocks are permuted. The level is exact for independent rows: blocks owe
nothing to what rows hold, and quantiles and words come from both tables together, so that they do not
know the labels. Runs in DuckDB and Postgres. -#}
{% test same_law(model, reference, columns=none, level=0.05, permutations=499, seed=0) %}
{%- if execute %}
{{- same_law_query(model, reference, columns, level, permutations, seed) }}
{%- else %}
select 1 as nothing where 1 = 0
{%- endif %}
{% endtest %}


{% macro same_law_query(model, reference, columns, level, permutations, seed) -%}
{%- if target.type not in ('duckdb', 'postgres') %}
  {{- exceptions.raise_compiler_error("same_law runs in duckdb and postgres, not in " ~ target.type ~ ".") }}
{%- endif %}
{%- set double = 'double precision' if target.type == 'postgres' else 'double' %}
{%- set fence = ' offset 0' if target.type == 'postgres' else '' %}

{#- Kinds by declared type: numbers, words, and others by their missing values alone. -#}
{%- set declared = adapter.get_columns_in_relation(reference) %}
{%- set known = declared | map(attribute='name') | list %}
{%- set wanted = columns if columns else known %}
{%- for name in wanted if name not in known %}
  {{- exceptions.raise_compiler_error("same_law: " ~ reference ~ " has no column '" ~ name ~ "'; it has " ~ known | join(', ') ~ ".") }}
{%- endfor %}
{%- set kinds = [] %}
{%- for name in wanted %}
  {%- set type = (declared | selectattr('name', 'equalto', name) | first).dtype | lower %}
  {%- if modules.re.match('u?(tiny|small|big|huge)?int|float|double|real|decimal|numeric', type) and ']' not in type %}
    {%- do kinds.append('number') %}
  {%- elif modules.re.match('bool|(var|bp)?char|text|string|enum', type) and ']' not in type %}
    {%- do kinds.append('word') %}
  {%- else %}
    {%- do kinds.append('presence') %}
  {%- endif %}
{%- endfor %}

{#- What is fixed: a word beyond the commonest counts as another one, a missing value as a far one. -#}
{%- set shares = [0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99] %}
{%- set scores = [-2.3263, -1.6449, -1.2816, -0.8416, -0.5244, -0.2533, 0.0, 0.2533, 0.5244, 0.8416, 1.2816, 1.6449, 2.3263] %}
{%- set absent, most_words, wave_count, own_waves = 4.0, 16, 64, 4 %}
{%- set fewest_rows, fewest_blocks, most_blocks, blocks_at_all = 20, 20, 100, 1000 %}

{#- Coordinates: one of a number or a presence, two of a word (a random place for each word). -#}
{%- set coordinates, spread = [], namespace(total=0.0) %}
{%- for kind in kinds %}
  {%- set i = loop.index0 %}
  {%- if kind == 'number' %}
    {%- set branches = ['when c' ~ i ~ ' <= q' ~ i ~ '[1] then ' ~ scores[0] ~ 'e0'] %}
    {%- for k in range(1, shares | length) %}
      {%- do branches.append('when c' ~ i ~ ' <= q' ~ i ~ '[' ~ (k + 1) ~ '] then ' ~ scores[k - 1] ~ 'e0 + ' ~ '%.4fe0' | format(scores[k] - scores[k - 1]) ~ ' * (c' ~ i ~ ' - q' ~ i ~ '[' ~ k ~ ']) / nullif(q' ~ i ~ '[' ~ (k + 1) ~ '] - q' ~ i ~ '[' ~ k ~ '], 0)') %}
    {%- endfor %}
    {%- do coordinates.append('case when c' ~ i ~ ' is null then ' ~ absent ~ 'e0 ' ~ branches | join(' ') ~ ' else ' ~ (scores | last + 0.5) ~ 'e0 end') %}
    {%- set spread.total = spread.total + 1.0 %}
  {%- elif kind == 'word' %}
    {%- for turn in range(2) %}
      {%- set places = [] %}
      {%- for word in range(most_words + 2) %}
        {%- do places.append('when ' ~ word ~ ' then ' ~ '%.4fe0' | format(0.7 * samelaw_normal(seed ~ ':word:' ~ i ~ ':' ~ turn ~ ':' ~ word) | float)) %}
      {%- endfor %}
      {%- do coordinates.append('case w' ~ i ~ ' ' ~ places | join(' ') ~ ' end') %}
    {%- endfor %}
    {%- set spread.total = spread.total + 1.0 %}
  {%- else %}
    {%- do coordinates.append('case when c' ~ i ~ ' is null then 1e0 else 0e0 end') %}
    {%- set spread.total = spread.total + 0.25 %}
  {%- endif %}
{%- endfor %}

{#- Features, and which of them are one component: all columns at two bandwidths, then each column. -#}
{%- set phases, features, components = [], [], [] %}
{%- for share in [0.7, 0.28] %}
  {%- set first, narrow = features | length, 1.0 / (share * (2.0 * spread.total) ** 0.5) %}
  {%- for k in range(wave_count) %}
    {%- set terms, at = [], phases | length %}
    {%- for j in range(coordinates | length) %}
      {%- do terms.append('z' ~ j ~ ' * ' ~ '%.5fe0' | format(narrow * samelaw_normal(seed ~ ':wave:' ~ share ~ ':' ~ k ~ ':' ~ j) | float)) %}
    {%- endfor %}
    {%- do phases.append(terms | join(' + ')) %}
    {%- do features.extend(['cos(p' ~ at ~ ')', 'sin(p' ~ at ~ ')']) %}
  {%- endfor %}
  {%- do components.append({'name': none, 'features': range(first, features | length) | list}) %}
{%- endfor %}
{%- set place = namespace(at=0) %}
{%- for kind in kinds %}
  {%- set i, first = loop.index0, features | length %}
  {%- if kind == 'number' %}
    {%- for k in range(own_waves) %}
      {%- set frequency = (0.4 + 0.8 * k) | round(2) %}
      {%- do features.extend(['cos(' ~ frequency ~ 'e0 * z' ~ place.at ~ ')', 'sin(' ~ frequency ~ 'e0 * z' ~ place.at ~ ')']) %}
    {%- endfor %}
    {%- do features.append('case when z' ~ place.at ~ ' = ' ~ absent ~ 'e0 then 1e0 else 0e0 end') %}
    {%- set place.at = place.at + 1 %}
  {%- elif kind == 'word' %}
    {%- for word in range(most_words + 2) %}
      {%- do features.append('case when w' ~ i ~ ' = ' ~ word ~ ' then 1e0 else 0e0 end') %}
    {%- endfor %}
    {%- set place.at = place.at + 2 %}
  {%- else %}
    {%- do features.append('z' ~ place.at) %}
    {%- set place.at = place.at + 1 %}
  {%- endif %}
  {%- do components.append({'name': wanted[i], 'features': range(first, features | length) | list}) %}
{%- endfor %}

with
{%- for table in [model, reference] %}
samelaw_dealt_{{ loop.index0 }} as materialized (
  -- The order of a hash of the number of a row, never of what it holds.
  select row_number() over (order by md5('{{ seed }}:{{ loop.index0 }}:' || cast(samelaw_row as varchar))) - 1 as place
  {%- for kind in kinds %}
    {%- set quoted = adapter.quote(wanted[loop.index0]) %},
    {% if kind == 'number' -%}
      least(greatest(nullif(cast({{ quoted }} as {{ double }}), cast('NaN' as {{ double }})), -1e300), 1e300)
    {%- elif kind == 'word' -%}
      cast({{ quoted }} as varchar)
    {%- else -%}
      case when {{ quoted }} is null then null else 1 end
    {%- endif %} as c{{ loop.index0 }}
  {%- endfor %}
  from (select samelaw_all.*, row_number() over () as samelaw_row from (select * from {{ table }}) as samelaw_all) as samelaw_numbered
),
{%- endfor %}
samelaw_counts as (
  select cast((select count(*) from samelaw_dealt_0) as {{ double }}) as n_0,
    cast((select count(*) from samelaw_dealt_1) as {{ double }}) as n_1
),
samelaw_sizes as materialized (
  select n_0, n_1, block_size,
    least(floor(n_0 / block_size), {{ blocks_at_all }}) as blocks_0,
    least(floor(n_1 / block_size), {{ blocks_at_all }}) as blocks_1
  from (
    select n_0, n_1, greatest(1, least(
      ceil(greatest(n_0, n_1) / {{ most_blocks }}), floor(least(n_0, n_1) / {{ fewest_blocks }})
    )) as block_size
    from samelaw_counts
  ) as samelaw_sized
),
samelaw_placed as materialized (
{%- for side in range(2) %}
  {{- ' union all' if side }}
  select {{ side }} as side, floor(place / block_size) as block{% for kind in kinds %}, c{{ loop.index0 }}{% endfor %}
  from samelaw_dealt_{{ side }} cross join samelaw_sizes
  where place < blocks_{{ side }} * block_size
{%- endfor %}
),
samelaw_quantiles as materialized (
  select 1 as samelaw_one
  {%- for kind in kinds %}{% if kind == 'number' %},
    {% if target.type == 'postgres' -%}
      percentile_disc(array{{ shares }}) within group (order by c{{ loop.index0 }})
    {%- else -%}
      quantile_disc(c{{ loop.index0 }}, {{ shares }})
    {%- endif %} as q{{ loop.index0 }}
  {%- endif %}{% endfor %}
  from samelaw_placed
),
{%- for kind in kinds %}{% if kind == 'word' %}{% set i = loop.index0 %}
samelaw_words_{{ i }} as materialized (
  select word, code
  from (
    select c{{ i }} as word, row_number() over (order by count(*) desc, c{{ i }}) as code
    from samelaw_placed
    where c{{ i }} is not null
    group by c{{ i }}
    having count(*) > 1
  ) as samelaw_counted
  where code <= {{ most_words }}
),
{%- endif %}{% endfor %}
samelaw_scored as (
  select side, block
  {%- for kind in kinds %}{% if kind == 'word' %}{% set i = loop.index0 %},
    case when c{{ i }} is null then {{ most_words + 1 }} else coalesce(samelaw_words_{{ i }}.code, 0) end as w{{ i }}
  {%- else %}, c{{ loop.index0 }}{% endif %}
  {%- if kind == 'number' %}, q{{ loop.index0 }}{% endif %}{% endfor %}
  from samelaw_placed cross join samelaw_quantiles
  {%- for kind in kinds %}{% if kind == 'word' %}{% set i = loop.index0 %}
  left join samelaw_words_{{ i }} on samelaw_words_{{ i }}.word = c{{ i }}
  {%- endif %}{% endfor %}{{ fence }}
),
{%- set words = [] %}
{%- for kind in kinds %}{% if kind == 'word' %}{% do words.append('w' ~ loop.index0) %}{% endif %}{% endfor %}
{%- set kept = (['side', 'block'] + words) | join(', ') %}
samelaw_coordinates as materialized (
  select {{ kept }}
  {%- for written in coordinates %},
    {{ written }} as z{{ loop.index0 }}
  {%- endfor %}
  from samelaw_scored{{ fence }}
),
samelaw_phases as (
  select {{ kept }}
  {%- for written in coordinates %}, z{{ loop.index0 }}{% endfor %}
  {%- for written in phases %},
    {{ written }} as p{{ loop.index0 }}
  {%- endfor %}
  from samelaw_coordinates{{ fence }}
),
samelaw_blocks as materialized (
  select side, row_number() over (order by side, block) as unit
  {%- for written in features %},
    avg({{ written }}) as m{{ loop.index0 }}
  {%- endfor %}
  from samelaw_phases
  group by side, block
),
samelaw_labels as materialized (
  -- Number 0 is what was observed; in the others as many blocks, any of them, are called the model's.
  select number, unit,
    case when side = 0 then 1.0 / blocks_0 else -1.0 / blocks_1 end as weight
  from (
    select number, unit, blocks_0, blocks_1,
      case
        when number = 0 then side
        when row_number() over (
          partition by number order by md5('{{ seed }}:' || cast(number as varchar) || ':' || cast(unit as varchar))
        ) <= blocks_0 then 0
        else 1
      end as side
    from samelaw_blocks
    cross join generate_series(0, {{ permutations }}) as samelaw_numbers(number)
    cross join samelaw_sizes
  ) as samelaw_drawn
),
samelaw_shifts as (
  select number
  {%- for written in features %},
    sum(weight * m{{ loop.index0 }}) as d{{ loop.index0 }}
  {%- endfor %}
  from samelaw_labels join samelaw_blocks using (unit)
  group by number{{ fence }}
),
samelaw_distances as materialized (
  select number
  {%- for one in components %},
    {% for k in one.features %}{{ ' + ' if not loop.first }}d{{ k }} * d{{ k }}{% endfor %} as t{{ loop.index0 }}
  {%- endfor %}
  from samelaw_shifts
),
samelaw_values as materialized (
{%- for one in components %}
  {{- ' union all' if not loop.first }}
  select number, {{ loop.index0 }} as component,
    {{ "cast(null as varchar)" if one.name is none else "'" ~ one.name | replace("'", "''") ~ "'" }} as name,
    {#- Values that differ by rounding alone say nothing. #}
    case
      when stddev_pop(t{{ loop.index0 }}) over () > 1e-9 * avg(t{{ loop.index0 }}) over () + 1e-24
      then (t{{ loop.index0 }} - avg(t{{ loop.index0 }}) over ()) / stddev_pop(t{{ loop.index0 }}) over ()
      else 0.0
    end as value
  from samelaw_distances
{%- endfor %}
),
samelaw_largest as materialized (
  select number, max(value) as value from samelaw_values group by number
),
samelaw_pvalues as materialized (
  -- Of each component against the largest of all, so that columns are named at the same level.
  select component, name, value, (
    select cast(count(*) as {{ double }}) from samelaw_largest
    where samelaw_largest.value >= samelaw_values.value - 1e-9
  ) / {{ permutations + 1 }} as pvalue
  from samelaw_values
  where number = 0
),
samelaw_outcome as (
  select
    (select min(pvalue) from samelaw_pvalues) as pvalue,
    (select max(value) from samelaw_pvalues) as statistic,
    (select string_agg(name, ', ' order by name) from samelaw_pvalues where pvalue <= {{ level }}) as columns_changed,
    n_0, n_1, blocks_0, blocks_1, block_size
  from samelaw_sizes
)
select
  case
    when least(n_0, n_1) < {{ fewest_rows }} then 'too few rows to test: at least {{ fewest_rows }} in each table'
    else 'the laws differ'
  end as finding,
  columns_changed, pvalue, {{ level }} as level, statistic,
  n_0 as rows_model, n_1 as rows_reference,
  n_0 + n_1 - (blocks_0 + blocks_1) * block_size as rows_left_over,
  blocks_0 as blocks_model, blocks_1 as blocks_reference, block_size as rows_of_a_block,
  {{ permutations }} as permutations
from samelaw_outcome
where pvalue <= {{ level }} or least(n_0, n_1) < {{ fewest_rows }}
{%- endmacro %}


{#- A nearly normal number that a text stands for: Jinja draws none. -#}
{% macro samelaw_normal(text) -%}
{%- set share = ((local_md5(text)[:8] | int(base=16)) + 0.5) / 4294967296 -%}
{{ '%.6f' | format((share ** 0.135 - (1 - share) ** 0.135) / 0.1975) }}
{%- endmacro %}
