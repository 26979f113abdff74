"""The workspace page: one frozen state, one pure function a panel, and `page` that puts them together."""
