"""Readers: what answers prompts, how they are asked, and where their answers are kept.

A reader knows prompts, never questions, points or labels. What a reply is (`reply`), what a reader
is and its file (`reader`), the kinds of readers (`openai`, `command`, `recorded`), the store of
answers (`store`), and how many prompts are asked (`asking`).
"""
