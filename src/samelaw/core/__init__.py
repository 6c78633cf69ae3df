"""Pure maths over the Array API standard: no randomness, no files; torch only for tensors."""
