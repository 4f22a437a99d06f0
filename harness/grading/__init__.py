"""From a run to graded answers: what is asked for which questions, and how answers are graded.

Asking for the points of a run (`answering`), which prompt each question of a point has
(`answer_set`), graders (`graders`) and judging (`judging`).
"""
