"""Secrets in configuration: found by the name of a setting or by the form of a value, and never kept.

What is replaced too much costs a comparison; what is replaced too little is published. So a name that only
sounds like a secret is one, unless its value cannot be (a switch, a small number).
"""

import re

from fwdtui.core.host_settings import SECRET

_WORDS = frozenset(
    {
        *("password", "passwd", "passphrase", "passcode", "pass", "pwd", "pw", "psk", "wpapsk", "bindpw"),
        *("secret", "secrets", "sharedsecret", "credential", "credentials", "token", "tokens", "keytab"),
        *("community", "rocommunity", "rwcommunity", "md5sig"),
        *("apikey", "authkey", "privatekey", "privkey", "presharedkey", "wepkey"),
    }
)
_LAST = frozenset(
    {"key", "keys", "hash", "crypt"}
)  # in the middle of a name these are no secret: net.key.debug
_WORD = re.compile(r"[a-z0-9]+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# what no secret is: a switch, a kernel option, a small number
_HARMLESS = re.compile(
    r"(?:|yes|no|none|on|off|true|false|auto|any|enabled?|disabled?|y|m|n|n/a|-?[0-9]{1,3}|required|sufficient)",
    re.IGNORECASE,
)

_NAMED = (
    r"(?:password|passwd|passphrase|passcode|secret|psk|wepkey|auth[-_]?key|authentication-key|private[-_]?key|"
    r"pre-?shared[-_]?key|key-string|api[-_]?key|bindpw|token|r[ow]community6?|community(?:string)?|credentials?|"
    r"trapcommunity)"
)
MARK = "\ue000"
"""What stands for a secret while a text is being read: one character, which no parser splits."""
_NOT_YET = f"(?!{MARK})"
_VALUE = rf"""{_NOT_YET}("[^"\n]*+"?|'[^'\n]*+'?|[^\s"'][^\s;]*+)"""
# each has the secret as its last group; what is before it, its first group, stays. (?=((?:...)?))\2 is a
# group that gives nothing back: Python before 3.11.5 matches the shorter way of writing it wrongly
_IN_TEXT = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # crypt(3) and its kin: $6$salt$hash, {SSHA}..., $2b$10$...
        r"()((?<![\w$])\$(?:[0-9]|2[abxy]|y|gy|7|sha1|md5|apr1|scrypt|argon2\w{0,2}|H|P)\$[^\s\"':]++)",
        r"()(\{(?:S?SHA[0-9]{0,3}|S?MD5|CRYPT|SHA[0-9]{1,3}-CRYPT|PBKDF2[^}\s]{0,20})\}[^\s\"']++)",
        # keys of ssh and of WireGuard
        r"((?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-[\w-]{1,20}|sk-[\w@.-]{1,40})\s+)([A-Za-z0-9+/=]{20,})",
        r"()((?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{43}=(?![A-Za-z0-9+/=]))",
        # long hexadecimal numbers: keys and digests
        r"()((?<![0-9A-Za-z])(?:0x)?[0-9a-f]{32,}(?![0-9A-Za-z]))",
        r"()((?<![0-9A-Fa-f:])[0-9a-f]{2}(?::[0-9a-f]{2}){15,}(?![0-9A-Fa-f:]))",
        # user:password@ in a URL, and curl's -u
        rf"([a-z][a-z0-9+.-]{{1,20}}://){_NOT_YET}([^\s/@:\"']*:[^\s/@\"']+)(?=@)",
        rf"((?<!\S)-u[ =]){_NOT_YET}([^\s:]+:\S+)",
        # carp(4): vhid 1 ... pass WORD; in firewall rules pass is an action
        rf"(\bvhid\s[^\n]{{0,200}}?\bpass\s+){_VALUE}",
        # setkey(8): -E aes-gcm-16 0x...; ip xfrm: enc 'cbc(aes)' 0x...
        rf"(-[AE]\s+(?:(?:hmac|keyed|aes|3?des|blowfish|cast128|camellia|rijndael|chacha20|ripemd|sha)[\w-]*|tcp-md5|null)\s+){_VALUE}",
        rf"(\b(?:auth|auth-trunc|enc|aead)\s+\S+\s+)({_NOT_YET}0x[0-9a-f]+)",
        # routing protocols, SNMP
        rf"(\bmessage-digest-key\s+[0-9]+\s+md5\s++(?=((?:[0-9]\s++)?))\2){_VALUE}",
        rf"(\bcom2sec6?\s+(?:-\S+\s+\S+\s+)?\S+\s+\S+\s+){_VALUE}",
        rf"(\b(?:trap2?sink|informsink)\s+\S+\s+){_VALUE}",
        rf"(\bsnmp\w{{0,20}}\s[^\n]{{0,200}}?-c\s+){_NOT_YET}((?!/)[^\s\"']+)",
        rf"(\bcreateUser\s+\S+\s+\S+\s+){_VALUE}",
        rf"(\bkey\s+(?=0x|[\"'])){_VALUE}",
        # anything whose name says so: password=..., --psk ..., community: "..."
        rf"((?<![\w]){_NAMED}[.\w]{{0,40}}(?:\s*+(?::=|=>|[=:])\s*+|\s++(?![=:])(?=((?:is\s++|md5\s++|[0-9]\s++)?))\2)){_VALUE}",
        rf"((?<=[_.-]){_NAMED}\s*(?::=|[=:])\s*){_VALUE}",
    )
)
# what every line has that one of these could find something in: most lines have nothing of it
_SUSPECT = re.compile(
    r"\$|\{|ssh-|ecdsa|sk-|://|-u[ =]|vhid|-[AE]\s|0x|key|com2sec|sink|snmp|createuser|pass|secret|psk|"
    r"bindpw|token|communit|credential|[A-Za-z0-9+/]{43}=|[0-9a-f]{32}|(?:[0-9a-f]{2}:){15}",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"-----BEGIN [^-\n]{0,60}-----")


_ASSIGNED = re.compile(rf"(?<![\w.-])([A-Za-z_-][\w.-]{{0,100}})(\s*=\s*){_VALUE}")


def is_secret_name(key: str) -> bool:
    """Whether a setting with this key holds a secret."""
    key = key[-400:]
    parts = [part.lower() for part in _PARTS.findall(key)]
    words = {*parts, *_WORD.findall(key.lower())}
    return not _WORDS.isdisjoint(words) or (bool(parts) and parts[-1] in _LAST)


def hide(text: str) -> str:
    """`text`, of any number of lines, with MARK in place of each secret."""
    if _BLOCK.search(text):
        return MARK
    text = text.replace(SECRET, MARK)
    kept: list[str] = []
    quote = ""  # of a secret that extends over several lines
    for line in text.split("\n"):
        if quote:
            _, end, line = line.partition(quote)
            quote = "" if end else quote
            line = MARK + line
        hidden = _Line(line)
        kept.append(hidden.text)
        quote = quote or hidden.quote
    return "\n".join(kept)


class _Line:
    """One line without its secrets; `quote`: the mark in which the last one begins, if it does not end."""

    def __init__(self, line: str) -> None:
        self.quote = ""
        for pattern in _IN_TEXT if _SUSPECT.search(line) else ():
            line = pattern.sub(self._hidden, line)
        self.text = _ASSIGNED.sub(self._assigned, line) if "=" in line else line

    def _hidden(self, match: re.Match[str]) -> str:
        self._look(match[match.lastindex or 0])
        return match[1] + MARK

    def _assigned(self, match: re.Match[str]) -> str:
        if not is_secret_name(match[1]) or _HARMLESS.fullmatch(match[3].strip("\"'")):
            return match[0]
        self._look(match[3])
        return f"{match[1]}{match[2]}{MARK}"

    def _look(self, secret: str) -> None:
        if secret[0] in "\"'" and (len(secret) == 1 or secret[-1] != secret[0]):
            self.quote = secret[0]


def in_text(text: str) -> str:
    """`text` with SECRET in place of each secret, as it may be kept."""
    return hide(text).replace(MARK, SECRET)


def value(key: str, text: str) -> str:
    """The value of the setting `key` as it may be kept."""
    if is_secret_name(key) and not _HARMLESS.fullmatch(text.strip()):
        return SECRET
    return in_text(text)
