"""The command line: one file per verb, imported only when the verb is called."""
