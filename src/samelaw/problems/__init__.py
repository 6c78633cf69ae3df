"""Laws with known answers; nothing of the product imports them."""
