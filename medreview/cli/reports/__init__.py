"""What commands print: reports as text, as wide as the terminal, and the tables that they are laid out with."""
