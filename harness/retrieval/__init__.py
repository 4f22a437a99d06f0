"""What finds text: recalls, which choose a window, and embedders, which turn text into vectors."""
