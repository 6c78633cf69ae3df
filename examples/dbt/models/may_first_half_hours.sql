{{ config(materialized='table') }}
select * from {{ ref('may') }} where extract(minute from ordered_at) < 30
