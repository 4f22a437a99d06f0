"""From bytes that came from outside to values, with every fault named by its path."""
