"""The trial of a rule: choosing, planning, registering, grading, judging."""
