"""Secrets in configuration: found by the name of a setting or by the form of a value, and never kept.

Replacing too much costs a comparison; replacing too little publishes a secret. So a name that only sounds
like a secret counts as one, unless its value cannot be a secret (a switch, a small number).
"""

import re

from fwdtui.core.host_settings import SECRET

_WORDS = frozenset(
    {
        *("password", "passwd", "passphrase", "passcode", "pass", "pwd", "pw", "psk", "wpapsk", "bindpw"),
        *("secret", "secrets", "sharedsecret", "credential", "credentials", "token", "tokens", "keytab"),
        *("community", "rocommunity", "rwcommunity", "md5sig"),
        *("apikey", "authkey", "privatekey", "privkey", "presharedkey", "wepkey", "wpakey", "nwkey"),
    }
)
# anywhere in a word, and at its end: vncpassword, chapsecret; sharedpsk, userpass, rootpw
_INSIDE = re.compile(
    r"password|passwd|passphrase|passwort|passcode|secret|credential|apikey|"
    r"(?:private|priv|shared|access|session|encryption)key|wep_?key"
)
_ENDS = ("psk", "token", "community", "pass", "pwd", "pw")
_NO_PASS = (
    *("bypass", "compass", "trespass", "surpass", "overpass", "underpass", "lowpass", "highpass", "bandpass"),
    *("allpass", "onepass", "twopass", "multipass", "singlepass", "firstpass", "lastpass"),
)
_LAST = frozenset(
    {"key", "keys", "hash", "crypt"}
)  # only at the end of a name: net.key.debug is not a secret
# a quick look: every name in which one of the above could find something matches this
_HINT = re.compile(r"pass|p[sw]|secret|token|communit|credential|key|hash|crypt|md5sig")
_WORD = re.compile(r"[a-z0-9]+")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# what is never a secret: a switch, a kernel option, a small number
_SWITCH = (
    r"yes|no|none|on|off|true|false|auto|any|enabled?|disabled?|y|m|n|n/a|-?[0-9]{1,3}|required|sufficient"
)
_HARMLESS = re.compile(f"(?:|{_SWITCH})", re.IGNORECASE)

_NAMED = (
    r"(?:password|passwd|passphrase|passcode|secret|psk|(?:wep|wpa|nw)key|auth[-_]?key|authentication-key|"
    r"private[-_]?key|pre-?shared[-_]?key|shared[-_]?key|(?:encryption|privacy|server|md5)-key|key-string|"
    r"api[-_]?key|bindpw|carppass|token|r[ow]community6?|community(?:string)?|credentials?|(?:trap|def)community)"
)
MARK = "\ue000"
"""Replaces a secret while a text is being read: one character, which no parser splits."""
_NOT_YET = f"(?!{MARK})"
_SIGN = r"(?::=|=>|=(?!>)|:(?!=))"
_VALUE = rf"""{_NOT_YET}("[^"\n]*+"?|'[^'\n]*+'?|[^\s"'][^\s;]*+)"""
_ATTACHED = rf"""{_NOT_YET}("[^"\s][^"\n]*+"|'[^'\s][^'\n]*+'|[^\s"'][^\s"';]*+)"""
"""A value that may follow its option without a blank. A quotation mark after it may end the string around the
option."""
_NO_SWITCH = rf"""(?!(?:{_SWITCH})(?![^\s;,"']))"""
# how the secret is written or what it is for; it is replaced too, since it may be the secret itself
_TYPE = (
    r"(?:(?:is|md5|sha[0-9-]{0,8}|clear(?:text)?|plain(?:-?text)?|simple|(?:irreversible-)?cipher|encrypted|hashed|"
    r"ascii(?:-text)?|hex(?:adecimal)?|local|remote|read(?:-only|-write)?|write|level|type|[0-9]{1,5})\s++){0,4}"
)
_ALGORITHM = (
    r"(?:(?:hmac|keyed|aes|3?des|blowfish|twofish|cast128|camellia|rijndael|chacha20|ripemd|sha|md5)[\w-]*|"
    r"tcp-md5|null)"
)
_OPTION = r"(?<![^\s\"'=])"  # what may be before an option
_PROGRAMS = (
    (r"mysql|mariadb", r"-p"),  # with a blank after -p, the program asks for the password
    (r"\b(?:snmp|trapsess)", r"-[cAX]\s*(?![/-])"),  # snmpd's -c is a file
    (r"\bldap", r"-w\s*"),
    (r"\bipmitool", r"-P\s*"),
    (r"\b(?:ipmipower|ipmiconsole|ipmi-\w|bmc-\w|racadm|ucarp)", r"-p\s*"),
    (r"\b(?:plink|pscp)", r"-pw\s+"),
)
"""Programs, and their options that take a secret."""
_ARGUMENTS = tuple(
    (re.compile(program, re.IGNORECASE), re.compile(rf"({_OPTION}{option}){_ATTACHED}"))
    for program, option in _PROGRAMS
)
# the last group of each is the secret, which goes; the first group is what comes before it, which stays; what
# is between the two goes too. (?=((?:...)?))\2 is an atomic group: Python before 3.11.5 matches the shorter
# way of writing it wrongly
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
        # user:password@ in a URL, up to the last @, since both may have one; what follows a port is a path
        rf"([a-z][a-z0-9+.-]{{1,20}}://){_NOT_YET}"
        r"([^\s/@:\[\"']*:(?![0-9]{1,5}/)(?:[^\s\"']{1,400}|[^\s/\"']+))(?=@)",
        # dracut.cmdline(7): netroot=iscsi:USER:WORD@..., with the target's own USER:WORD after it
        rf"(\biscsi:){_NOT_YET}([^\s:@\"']+:[^\s\"']+)(?=@)",
        # options of curl, sshpass and the like; a header of HTTP
        rf"({_OPTION}(?:-u[ =]?|--(?:proxy-)?user[ =])[\"']?){_NOT_YET}([^\s:\"'-][^\s:\"']*:[^\s\"']+)",
        rf"(\bsshpass\s+(?:-[a-oq-z]\S*\s+){{0,4}}-p\s*){_VALUE}",
        *(rf"((?:{of})[^\n]{{0,200}}?{_OPTION}(?-i:{option})){_ATTACHED}" for of, option in _PROGRAMS),
        rf"({_OPTION}--[\w-]{{0,40}}?(?<!by)(?:pass|pw|pwd|psk|secret)\s+){_VALUE}",
        rf"(\bauthorization\s*:\s*){_NOT_YET}([^\s\"'][^\"'\n]*)",
        rf"(\bbearer\s+){_NOT_YET}([\w.~+/=-]{{8,}})",
        # carp(4): vhid 1 ... pass WORD; in firewall rules pass is an action
        rf"(\bvhid\s[^\n]{{0,200}}?\bpass\s+){_VALUE}",
        # setkey(8): -E aes-gcm-16 0x..., and what -D prints; ip xfrm: enc 'cbc(aes)' 0x...
        rf"(-[AE]\s+{_ALGORITHM}\s+){_VALUE}",
        rf"((?<![\w:])[AE]:\s+{_ALGORITHM}\s+)([0-9a-f]{{8}}(?:\s[0-9a-f]{{2,8}})*)(?!\w)",
        rf"(\b(?:auth|auth-trunc|enc|aead)\s+\S+\s+)({_NOT_YET}0x[0-9a-f]+)",
        # ip xfrm with a word for a key; SNMPv3: auth sha WORD priv aes 128 WORD
        rf"(\b(?:auth|auth-trunc|priv|enc|aead)\s+[\"']?(?:[\w-]{{1,40}}\([^\s\"']*\)|{_ALGORITHM})[\"']?\s++)"
        rf"(?:[0-9]{{1,3}}\s++)?(?![-#]){_NO_SWITCH}{_VALUE}",
        # ipsec.secrets; IKE elsewhere
        rf"(:\s+(?:XAUTH|EAP|NTLM|(?:RSA|ECDSA|PKCS8|PKCS12|P12)\s+[^\s\"']+)\s+){_NOT_YET}"
        r"(\"[^\"\n]*+\"?|'[^'\n]*+'?|0[sx]\S+)",
        rf"(:\s+PIN\s+\S+\s+){_VALUE}",
        rf"(\b(?:isakmp|ike(?:v[12])?)\s+key\s++){_TYPE}{_VALUE}",
        rf"(\bpre-shared-key\s+(?:address|hostname)\s[^\n]{{0,80}}?\bkey\s++){_TYPE}{_VALUE}",
        # routing protocols, NTP
        rf"(\bmessage-digest-key\s+[0-9]+\s+md5\s++(?=((?:[0-9]\s++)?))\2){_VALUE}",
        rf"(\bauthentication\s+(?:mode\s+)?(?:string|text|hmac-sha-[0-9]{{1,3}})\s++){_TYPE}{_NO_SWITCH}{_VALUE}",
        rf"(\bstandby\s+(?:[0-9]{{1,4}}\s+)?authentication\s++)(?!(?:md5|text)\b){_VALUE}",
        rf"(\b(?:authentication-mode|local-user)\s[^\n]{{0,120}}?\b(?:cipher|simple|plain)\s++){_VALUE}",
        rf"(\bauth-md\s+[0-9]{{1,3}}\s++){_VALUE}",
        rf"(\bmd5sig\s+key\s++){_VALUE}",
        rf"(\bmsdp\s+password\s+peer\s+\S+\s++){_TYPE}{_VALUE}",
        rf"(^\s*[0-9]{{1,5}}\s+(?:MD5|SHA[0-9-]*|AES[0-9]*(?:CMAC)?)\s++){_VALUE}",
        # SNMP
        rf"(\bcom2sec(?:6|unix)?\s+(?:-\S+\s+\S+\s+)?(?!-)\S+\s+\S+\s+){_VALUE}",
        rf"(\b(?:trap2?sink|informsink)\s+\S+\s+){_VALUE}",
        rf"(\bauthcommunity\s+\S+\s+){_VALUE}",
        rf"(\bsnmp-server\s+host\s+\S+\s+(?:(?:traps?|informs?|version\s+(?:1|2c?|3\s+(?:no)?auth\w*|3\s+priv)|"
        rf"(?:use-)?vrf\s+\S+|udp-port\s+[0-9]+)\s+){{0,5}})(?!(?:traps?|informs?|version|(?:use-)?vrf|udp-port)\b){_VALUE}",
        rf"(\bcreateUser\s+(?:-e\s+\S+\s+)?(?!-)\S+\s+\S+\s+){_VALUE}",
        rf"(\bcreateUser\s[^\n]{{0,300}}?\s(?:AES|DES)[\w-]*\s+){_VALUE}",
        # RADIUS, TACACS+: radius-server host ... key 7 WORD, and a line of such a block
        rf"((?<!\w)(?:radius|tacacs|server-private)[\w+-]{{0,20}}\s[^\n]{{0,200}}?\bkey\s++){_TYPE}{_NO_SWITCH}{_VALUE}",
        rf"(^\s*key\s++)(?:[0-9]\s++)?(?![0-9.]{{1,15}}\s*$){_NO_SWITCH}{_VALUE}(?=\s*$)",
        rf"(^\s*(?:auth|acct)\s+[\w.-]{{0,200}}\.[\w-]{{1,60}}(?::[0-9]{{1,5}})?\s+){_NO_SWITCH}{_VALUE}",
        rf"(^\s*set\s+radius\s+server\s+\S+\s+)(?!(?:key|secret)\b){_NO_SWITCH}{_VALUE}",
        rf"(\bkey\s+(?=0x|s:|[\"'])){_VALUE}",
        # wpa_passphrase(8): the name of the network, and the passphrase
        rf"(\bwpa_passphrase\s+(?:\"[^\"\n]*+\"|'[^'\n]*+'|[^\s\"'=:]\S*)\s+){_VALUE}",
        # XML: <password>WORD</password>
        rf"(<[\w:-]{{0,40}}?{_NAMED}[\w-]{{0,20}}(?:\s[^<>\n]{{0,100}})?>){_NOT_YET}([^<\n]+)(?=</)",
        # anything whose name says so: password=..., --psk ..., community: "..."
        rf"((?<!\w){_NAMED}[.\w]{{0,40}}\s*+{_SIGN}\s*+){_VALUE}",
        rf"((?<!\w){_NAMED}[.\w]{{0,40}}\s++(?![=:])){_TYPE}{_VALUE}",
        rf"((?<=[_.-]){_NAMED}\s*{_SIGN}\s*){_VALUE}",
        rf"((?<!\w)\w{{1,40}}?(?:password|passwd|passphrase|passwort|passcode)\s+(?![=:])){_TYPE}{_VALUE}",
        # the end of a word: sharedsecret WORD, auth_pass WORD; not one_pass, nor PAM's try_first_pass
        rf"((?<!\w)(?:\w{{1,40}}?(?:secret|psk|(?<!first)(?<!one)(?<!two)(?<!by)_pass)|"
        rf"\w{{0,20}}?(?:auth|user|root|admin|bind|db|ldap|enable)[-_]?(?:pass|pwd?))\s++(?![=:]))"
        rf"{_TYPE}{_NO_SWITCH}{_VALUE}",
    )
)
# every line in which one of these could find something matches this, and most lines do not. It is for lines
# in lower case, and ordered by the first letter for speed: the text of all sysctls is searched
_SUSPECT = re.compile(
    r"\$|\{|:(?://|\s+(?:eap|ntlm|rsa|pkcs|p12|pin))|-(?:u|[ae]\s)|0x|[a-z0-9+/]{43}=|[0-9a-f]{32}|"
    r"(?:[0-9a-f]{2}:){15}|^\s*[0-9]+\s+(?:md5|sha|aes)|a(?:uth|cct\s|ead\s|:\s)|b(?:earer|mc-)|"
    r"c(?:om2sec|ommunit|redential|reateuser)|e(?:cdsa|nc\s|:\s)|i(?:pmi|scsi:)|key|l(?:dap|ocal-user)|"
    r"m(?:d5sig|ysql|ariadb)|p(?:ass|sk|w|riv\s|link|scp)|ra(?:dius|cadm)|s(?:sh-|k-|ink|nmp|ecret)|"
    r"t(?:oken|rapsess)|ucarp|vhid"
)
_BLOCK = re.compile(r"-----BEGIN [^-\n]{0,60}-----")


_NAME = re.compile(rf"(?<![\w.-])([A-Za-z_-][\w.-]{{0,100}})[\"']?\s*({_SIGN})\s*")
_VALUE_HERE = re.compile(_VALUE)


def is_secret_name(key: str) -> bool:
    """Whether a setting with this key holds a secret."""
    parts = _parts(key)
    return bool(parts) and (parts[-1] in _LAST or _says_secret(key))


def _parts(key: str) -> list[str]:
    """The words of a key in lower case; [] for a key that cannot be a secret's, as most keys cannot."""
    key = key[-400:]
    return [part.lower() for part in _PARTS.findall(key)] if _HINT.search(key.lower()) else []


def _says_secret(key: str) -> bool:
    """Whether a word of the key, or a part of one, says that it is a secret."""
    lower = key[-400:].lower()
    words = {*_parts(key), *_WORD.findall(lower)}
    if not _WORDS.isdisjoint(words) or _INSIDE.search(lower):
        return True
    return any(len(one) > 3 and one.endswith(_ENDS) and not one.endswith(_NO_PASS) for one in words)


def hide(text: str) -> str:
    """`text`, of any number of lines, with MARK instead of each secret."""
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
    """One line without its secrets; `quote`: the quotation mark that the last one begins with, if it does not
    end in this line."""

    def __init__(self, line: str) -> None:
        self.quote = ""
        for pattern in _IN_TEXT if _SUSPECT.search(line.casefold()) else ():
            found = 1
            while found:  # one word may have several: snmpget -A WORD -X WORD
                line, found = pattern.subn(self._hidden, line)
        self.text = self._without_named(line) if _HINT.search(line.lower()) else line

    def _hidden(self, match: re.Match[str]) -> str:
        self._look(match[match.lastindex or 0])
        return match[1] + MARK

    def _without_named(self, line: str) -> str:
        """The line without the values of names that say that they are secrets, even inside another value."""
        kept: list[str] = []
        at = 0
        for match in _NAME.finditer(line):
            name, sign = match.groups()
            # a colon follows many words that are not names of settings: "hash:", "key:"
            secret = is_secret_name(name) if "=" in sign else _says_secret(name)
            found = _VALUE_HERE.match(line, match.end()) if secret and match.start() >= at else None
            if found is None or _HARMLESS.fullmatch(found[1].strip("\"'")):
                continue
            self._look(found[1])
            kept += [line[at : match.end()], MARK]
            at = found.end()
        return "".join([*kept, line[at:]])

    def _look(self, secret: str) -> None:
        if secret[0] in "\"'" and (len(secret) == 1 or secret[-1] != secret[0]):
            self.quote = secret[0]


def in_text(text: str) -> str:
    """`text` with SECRET instead of each secret, as it may be kept."""
    return hide(text).replace(MARK, SECRET)


def value(key: str, text: str) -> str:
    """The value of the setting `key` as it may be kept."""
    if is_secret_name(key) and not _HARMLESS.fullmatch(text.strip()):
        return SECRET
    text = text.replace(SECRET, MARK)
    for program, option in _ARGUMENTS if "-" in text else ():
        if program.search(key):  # mysql_args="-pWORD"
            text = option.sub(rf"\1{MARK}", text)
    return in_text(text)
