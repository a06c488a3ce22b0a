"""Reports on a store of results: tables, pictures, HTML, JUnit XML and SARIF. Floor 6.

The report reads the store that `leadline.symbolic.grid` wrote. It starts no solver and no JVM.
"""
