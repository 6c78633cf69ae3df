{{ config(materialized='table') }}
select * from read_csv('{{ var("data") }}/changed_a.csv')
