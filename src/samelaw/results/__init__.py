"""What every answer can do: words, plots, text, frames, JSON."""
