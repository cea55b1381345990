from hypothesis import settings

# A shared machine may stall any single example; how long one takes is not what is tested here.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
