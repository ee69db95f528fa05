"""Optional judge columns beside the ranking: frozen questions, call store, budget, client."""
