"""The Training API, version 1: its protocol, the service that answers it, the client that speaks it."""
