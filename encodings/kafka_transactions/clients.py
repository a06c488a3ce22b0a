"""The clients: producers that want a producer id and then add partitions to a transaction."""

from __future__ import annotations

from leadline.encodings.kafka_transactions.cluster import Cluster
from leadline.symbolic.lang import NamedExpr, Next, State, action, any_of, ite, of, pick, set_of


class Clients(Cluster):
    """What clients do."""

    @action
    def send_init_pid_request(
        self,
        now: State,
        nxt: Next,
        c: NamedExpr = pick("Client"),
        tid: NamedExpr = pick("Tid"),
    ) -> None:
        """A client asks for a producer id, for any transaction id or, when it tries again, for the same.

        It finds the coordinator in the same step, though this may have moved when the request arrives.
        """
        nxt.require(now.client[c].state == "Ready")
        nxt.require(any_of(now.client[c].tid.is_none, now.client[c].tid == tid))
        request = of(self.Message, "InitPidRequest", dest=self.current_tc(now, tid), source=c)
        nxt.messages = now.messages.add(request)
        nxt.client[c].tid = tid
        nxt.client[c].state = "SentInitPidRequest"

    @action
    def receive_init_pid_response(self, now: State, nxt: Next) -> None:
        """A client gets its producer id and epoch, or an error, after which it is ready to try again."""
        message, response = self.receive(now, nxt, "InitPidResponse")
        c = response.dest
        nxt.require(now.client[c].state == "SentInitPidRequest")
        nxt.messages = now.messages.remove(message)
        with nxt.when(response.answer.is_a("OK")):
            granted = response.answer.as_a("OK")
            nxt.client[c].state = "HasPid"
            nxt.client[c].tc = response.source
            nxt.client[c].pid = granted.pid
            nxt.client[c].epoch = granted.pepoch
        with nxt.otherwise():
            nxt.client[c].state = "Ready"
            nxt.client[c].last_state = now.client[c].state
            nxt.client[c].last_error = response.answer.as_a("Error").code

    @action
    def send_add_partitions_to_txn_request(
        self,
        now: State,
        nxt: Next,
        c: NamedExpr = pick("Client"),
        p: NamedExpr = pick("TopicPartition"),
    ) -> None:
        """A client with a producer id asks to add one more topic partition to its transaction."""
        client = now.client[c]
        nxt.require(any_of(client.state == "HasPid", client.state == "BegunTxn"))
        nxt.require(client.pending_partitions.is_empty, ~client.partitions.has(p))
        request = of(self.Message, "AddPartitionsToTxnRequest", partition=p, dest=client.tc.value, source=c)
        nxt.messages = now.messages.add(request)
        nxt.client[c].pending_partitions = set_of(p)
        nxt.client[c].state = "BegunTxn"

    @action
    def receive_add_partitions_to_txn_response(self, now: State, nxt: Next) -> None:
        """A client learns that partitions were added, or of an error.

        After some errors it may try again, perhaps with another coordinator; the others end it, which keeps
        clients from fencing each other for ever.
        """
        message, response = self.receive(now, nxt, "AddPartitionsToTxnResponse")
        c = response.dest
        client = now.client[c]
        nxt.require(client.state == "BegunTxn")
        nxt.messages = now.messages.remove(message)
        with nxt.when(response.answer.is_a("OK")):
            added = response.answer.as_a("OK").partitions
            nxt.client[c].pending_partitions = client.pending_partitions - added
            nxt.client[c].partitions = client.partitions | added
        with nxt.otherwise():
            error = response.answer.as_a("Error").code
            nxt.client[c].pending_partitions = set()
            nxt.client[c].last_state = client.state
            nxt.client[c].last_error = error
            with nxt.when(self.is_refused(response, "ConcurrentTransactions", "NotCoordinator")):
                coordinator = self.current_tc(now, self.tid_of(now, c))
                nxt.client[c].tc = ite(error == "NotCoordinator", coordinator, client.tc)
            with nxt.otherwise():
                nxt.client[c].state = "Terminated"
                nxt.client[c].partitions = set()
