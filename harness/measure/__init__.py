"""What a run shows beyond its metrics: instruments, sweeps, lookups."""
