"""What may be quoted of one record: its ranked blocks and the range that each block governs."""
