"""Recording a CPersona store: its records and blocks, and the windows of searches in it.

The store is a SQLite file of schema 18. It is only ever read. Source: the reference facts of
evidence allocation (data model, response), and what release 2.6.5a1 was seen to do.
"""
