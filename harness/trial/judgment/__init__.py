"""Judging: what must hold is checked, the split is opened on record, and the rule is applied."""
