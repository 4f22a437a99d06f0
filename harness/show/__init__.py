"""What people look at: tables, pages and drawings, the same bytes for the same run.

A table is declared once (`table`, and the `*_tables`) and printed for a terminal, a page, CSV and
JSON (`printing`); how a number looks is said in `harness.words`. Gathering (`figures`, `spending`,
`every_item`, `growth`, `provenance`, `published`), what stands on the pages (`*_page`, `pages` with
`templates`), drawings (`curve`, `axes`, `drawing`), and writing (`report`).
"""
