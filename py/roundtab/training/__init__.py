"""How a job is trained: its life, the rounds, the participants and what passes between them."""
