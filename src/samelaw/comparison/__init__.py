"""Two tables compared: the verdict, the size of the change, where it sits, and the words for it."""
