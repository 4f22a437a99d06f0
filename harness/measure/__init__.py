"""What runs and recordings show, lost and cost, each measured by one stated definition.

*Instruments* look at a run: the count and the quote curve (`curves`, `equal_cost`, over what
`measured` gives them), what the contexts showed and which answers were wrong (`shown`, `answers`),
where evidence turns were lost (`loss`), and how the passages that reach them rank inside their
record (`rank`). `subject` opens the run and its recording, `turns` reads the labelled turns with
what was quoted.

*Lookups*: what points print (`lookup_rows`, `lookup_summary`), the budget that a field needs
(`needed_budget`), and what each part of an arm is worth (`ablation`).

*Sweeps*: a grid of settings (`grid`) over the dev questions (`sweep`), ranked with the number of
settings tried (`ranking`), and whether the best survives another recording (`survival`).
"""
