"""Readers and writers, after the module ReadersWriters of tlaplus/Examples."""

from leadline.symbolic.lang import (
    Protocol,
    Seq,
    Set,
    action,
    any_of,
    enum,
    invariant,
    of,
    parameter,
    record,
    sort,
)


class ReadersWriters(Protocol):
    """Actors wait in a queue until they may read, several at a time, or write, one at a time and alone."""

    actors: int = parameter(3, at_least=1, at_most=6, doc="number of actors")

    picks = {"actor": "Actor"}

    def define(self, state):
        self.Actor = sort("Actor", self.actors)
        self.Wish = enum("Wish", "read", "write")
        self.Request = record("Request", wish=self.Wish, actor=self.Actor)
        state.readers = Set(self.Actor)
        state.writers = Set(self.Actor)
        state.waiting = Seq(self.Request, 2 * self.actors)

    def init(self, start):
        start.readers = set()
        start.writers = set()
        start.waiting = []

    @action
    def try_read(self, now, nxt, actor):
        """An actor that does not wait to read yet joins the queue."""
        self.join(now, nxt, "read", actor)

    @action
    def try_write(self, now, nxt, actor):
        """An actor that does not wait to write yet joins the queue."""
        self.join(now, nxt, "write", actor)

    def join(self, now, nxt, wish, actor):
        """An actor joins the queue, unless it waits for the same already."""
        request = of(self.Request, wish=wish, actor=actor)
        nxt.require(~now.waiting.items().has(request))
        nxt.waiting = now.waiting.append(request)

    @action
    def read_or_write(self, now, nxt):
        """The first in the queue reads if nobody writes, or writes if nobody reads either."""
        nxt.require(now.waiting.length > 0, now.writers.size == 0)
        first = now.waiting.first
        nxt.require(any_of(first.wish == "read", now.readers.size == 0))
        nxt.waiting = now.waiting.rest
        with nxt.when(first.wish == "read"):
            nxt.readers = now.readers.add(first.actor)
        with nxt.otherwise():
            nxt.writers = now.writers.add(first.actor)

    @action
    def stop(self, now, nxt, actor):
        """A reader or a writer is done."""
        nxt.require((now.readers | now.writers).has(actor))
        with nxt.when(now.readers.has(actor)):
            nxt.readers = now.readers.remove(actor)
        with nxt.otherwise():
            nxt.writers = now.writers.remove(actor)


@invariant(ReadersWriters)
def safety(protocol, now):
    """Nobody reads while somebody writes, and at most one actor writes."""
    return any_of(now.readers.size == 0, now.writers.size == 0) & (now.writers.size <= 1)
