"""Questions with answers of seven types, one made from each passage (ClinIQLink 3.1)."""
