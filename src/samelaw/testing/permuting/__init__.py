"""What is permuted, and forms whose values for all permutations are one product."""
