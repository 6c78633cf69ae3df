"""Tables from anywhere, whole or piece by piece: files, folders, frames, databases."""
