class PimcAgent: pass
