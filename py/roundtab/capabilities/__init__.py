"""What can be trained: the contract of a capability, the catalogue, and one folder per built-in capability."""
