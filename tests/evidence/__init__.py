"""Tests of token counts and answer prompts."""
