"""Spanner's transactions over TrueTime.

Source: the modules Transaction and TxTest of s12f/tlads, after Spanner: Google's Globally-Distributed
Database (J. C. Corbett et al., OSDI 2012), section 4.2. Variables and actions have the names of the modules.
"""

from leadline.encodings.spanner_transactions.protocol import SpannerTransactions

__all__ = ["SpannerTransactions"]
