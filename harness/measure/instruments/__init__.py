"""Instruments: what a run shows, lost and ranked, each measured by one stated definition.

The count and the quote curve (`curves`, `equal_cost`, over what `measured` gives them), what the
contexts showed and which answers were wrong (`shown`, `answers`), where evidence turns were lost
(`loss`), and how the passages that reach them rank inside their record (`rank`).
`subject` opens the run and its recording, `turns` reads the labelled turns with what was quoted.
"""
