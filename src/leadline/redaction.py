"""Messages without passwords and keys."""

import re

_IN_URI = (
    (re.compile(r"(?i)\b([a-z][a-z0-9+.-]*://)[^\s@/:]*:[^\s@]*@"), r"\1***@"),
    (re.compile(r"(?i)\b(s3://)[^\s@/?]+@"), r"\1***@"),
    (
        re.compile(
            r"(?i)([?&;](?!credential_kind=)[\w.-]*(?:key|secret|token|pass|credential|sig)[\w.-]*=)[^&\s'\"]+"
        ),
        r"\1***",
    ),
)


def redacted(text: str) -> str:
    """A text in which URIs have neither passwords nor keys.

    >>> redacted("s3://key:pass/word@bucket/x?region=r&access_token=t is not found")
    's3://***@bucket/x?region=r&access_token=*** is not found'
    """
    for found, shown in _IN_URI:
        text = found.sub(shown, text)
    return text
