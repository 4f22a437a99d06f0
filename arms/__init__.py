"""The selection policies: the first plug-in of the harness.

One module per arm; `quoting` says what may be quoted of one record, `allocation` which quotes of
all records are taken within a budget. Nothing here imports more of the harness than its case model.
"""
