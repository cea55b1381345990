"""The coordinator of a cluster: machines, assignments of pairs, and checks of their results.

fleet           assigns pairs to machines by name and collects their records
connection      the connection to the scheduler
assignments     machines, pairs and assignments, the records of the coordinator
machines        the machines that have joined, by capacity
admission       checks and preparation of a machine that joins
pending         pairs without a machine, and the choice of one for each
deadlines       time limits of assignments
stalls          machines that stall too often
record_check    records that cannot be true
checks          comparisons of machines
replay          pairs played again on the coordinator's machine
contradictions  pairs whose repetition gave another result
"""
