"""OmniMemEval's search results: imported as a run, and written as answer inputs.

What they show is only text. It is split into items at their headers (`splitting`), traced to
records by text (`tracing`), and measured like the selections of a replay.
"""
