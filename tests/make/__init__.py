"""What tests look at: cases, recordings, runs, worlds, grades and trials, made up and small.

Everything is made through the library, so that no builder knows a format that its tests check.
What is made of the same content is made once per session and shared; a test that changes files
takes a copy. `strategies` has the Hypothesis strategies.
"""
