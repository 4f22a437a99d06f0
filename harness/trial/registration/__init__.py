"""Registration: the question, the rule and the cohort, fixed before a test grade is read."""

from .cohort import RegisteredCohort, ids_sha256
from .plan import Plan, RegisteredRule
from .registration import Registration

__all__ = ["Plan", "RegisteredCohort", "RegisteredRule", "Registration", "ids_sha256"]
