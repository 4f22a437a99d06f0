"""Reports: a run's figures as Markdown pages and a curve, the same bytes for the same run.

Gathering (`figures`, `spending`, `every_item`, `growth`, `provenance`, `published`), how numbers
look (`numbers`, `markdown`), what stands on the pages (`index_page`, `arm_page`, `published_page`,
with `templates`), the curve (`curve`, `axes`, `drawing`), and writing (`folder`, `report`).
"""
