"""What a store of results says, for people: tables, pictures, HTML. Floor 5.

It reads the store that `leadline.symbolic.grid` wrote and starts no solver and no JVM.
"""
