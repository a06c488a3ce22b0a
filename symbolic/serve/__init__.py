"""The servers that editors and agents start. Floor 8.

Each needs an extra, such as `leadline[lsp]`, so its module is imported by the command that starts it alone.
"""
