from hearsay import Client, Ledger


def report(task, record, host="aggregator.example", **server):
    with Ledger("ledger.db", period_seconds=90 * 86_400, budget="1") as ledger:
        with Client(ledger, task, max_epsilon="1", host=host, **server) as client:
            client.submit(record)  # pays, randomizes and queues; uses no network
            return client.flush(30)  # an app: later, on a thread
