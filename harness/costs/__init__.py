"""What a context costs a reader: tokens of the context, and of the whole answer prompt."""

from .prompt import DEFAULT_TEMPLATE, PromptTemplate
from .tokens import CONTEXT_ENCODING, ENCODINGS, READER_ENCODING, Tokenizer

__all__ = [
    "CONTEXT_ENCODING",
    "DEFAULT_TEMPLATE",
    "ENCODINGS",
    "READER_ENCODING",
    "PromptTemplate",
    "Tokenizer",
]
