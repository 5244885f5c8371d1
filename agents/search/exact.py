class ExactAgent: pass
