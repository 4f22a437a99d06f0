"""Where recordings come from: one module, or folder, per source."""
