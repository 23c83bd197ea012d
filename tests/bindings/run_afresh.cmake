# Removes the files of the ledger LEDGER, and runs PROGRAM with this ledger.
file(GLOB old ${LEDGER}*)
file(REMOVE ${LEDGER} ${old})
execute_process(COMMAND ${PROGRAM} ${LEDGER} COMMAND_ERROR_IS_FATAL ANY)
