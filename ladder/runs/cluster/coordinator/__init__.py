"""The coordinator's side of a cluster: who is there, which pair goes where, what records tell.

fleet           gives pairs to machines by name and takes in their records
link            the connection to the scheduler
machines        who is there
welcome         what happens when one joins
waiting         which pair goes where
due             when it must be back
stalls          what a machine's stalls tell of it
record_check    what cannot be true in a record
replay          pairs played again on the coordinator's machine
contradictions  what two playings of one pair tell
residuals       what the results of a machine tell
"""
