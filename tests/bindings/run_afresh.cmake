# Runs PROGRAM with a ledger LEDGER that does not exist yet.
file(GLOB old ${LEDGER}*)
file(REMOVE ${LEDGER} ${old})
execute_process(COMMAND ${PROGRAM} ${LEDGER} COMMAND_ERROR_IS_FATAL ANY)
