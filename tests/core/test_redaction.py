"""No secret is kept: the forms in which configuration has them, and what only looks like one."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwdtui.core import redaction
from fwdtui.core.host_settings import SECRET
from fwdtui.core.redaction import in_text, is_secret_name, value
from fwdtui.core.settings_reading import PARSERS, source

S = "hunter2Zq9"  # stands for the secret where its form is free
HASH = "$6$rounds=5000$Zj3kq1aBcD$9tq1nZQ0m2f8bYwK1bQeX0cVb7nM6lKjHgFdSaPoIuYtReWqZ.xCvBnM"
WIREGUARD = "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk="
SSH = "AAAAC3NzaC1lZDI1NTE5AAAAIHq1SecretOfTheUser0"
AES = "0x6b1dcbe9cd1f2a3b4c5d6e7f8091a2b3"

LINES = {
    # rc.conf, ifconfig: carp, wlan, ppp
    f'ifconfig_igb0_alias0="inet vhid 1 advskew 100 pass {S} alias 198.51.100.1/32"': S,
    f'create_args_wlan0="wepmode on wepkey 1:{S} deftxkey 1"': S,
    f'wpa_psk="{S}"': S,
    f'psk="{S} with blanks"': S,
    f"wpa_passphrase={S}": S,
    f"ppp_authkey='{S}'": S,
    f'mpd_user="u" mpd_password="{S}"': S,
    # SNMP
    f"rocommunity {S} 198.51.100.0/24": S,
    f"rwcommunity6 {S}": S,
    f'read_community = "{S}"': S,
    f"com2sec local 198.51.100.0/24 {S}": S,
    f"trap2sink 198.51.100.9 {S}": S,
    f"snmp-server community {S} RO": S,
    f'begemotSnmpdCommunityString.0.1 = "{S}"': S,
    f"createUser admin SHA {S} AES": S,
    f'snmpd_flags="snmpd -c {S} -a"': S,
    # routing protocols, TCP MD5
    f"ip ospf message-digest-key 1 md5 {S}": S,
    f" neighbor 198.51.100.2 password {S}": S,
    f"authentication-key {S}": S,
    f"  key-string 7 {S}": S,
    f"tcp md5sig password {S}": S,
    f'add 198.51.100.1 198.51.100.2 tcp 0x1000 -A tcp-md5 "{S}";': S,
    # IPsec
    f"add 198.51.100.1 198.51.100.2 esp 0x1001 -E aes-gcm-16 {AES} -A null;": AES,
    f'add 198.51.100.1 198.51.100.2 esp 0x1 -E rijndael-cbc "{S}";': S,
    f"ip xfrm state add src 198.51.100.1 dst 198.51.100.2 proto esp spi 1 enc cbc(aes) {AES}": AES,
    f"auth-trunc hmac(sha256) {AES} 128": AES,
    f'198.51.100.1 %any : PSK "{S}"': S,
    f"secret = {S}": S,
    # WireGuard, ssh
    f"PrivateKey = {WIREGUARD}": WIREGUARD,
    f"PresharedKey={WIREGUARD}": WIREGUARD,
    f"wg set wg0 peer {WIREGUARD} allowed-ips 198.51.100.0/24": WIREGUARD,
    f"ssh-ed25519 {SSH} user@host": SSH,
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 x": "AAAAB3NzaC1yc2EAAAADAQABAAABAQC7",
    # hashes
    f"root:{HASH}:0:0::0:0:Charlie &:/root:/bin/csh": HASH,
    "user:$2b$10$abcdefghijklmnopqrstuv:": "$2b$10$abcdefghijklmnopqrstuv",
    "admin {SSHA}a3Vhcm1hbGFkZTpzYWx0": "a3Vhcm1hbGFkZTpzYWx0",
    "md5 0cc175b9c0f1b6a831c399e269772661": "0cc175b9c0f1b6a831c399e269772661",
    # tokens, URLs, options
    f"curl -u admin:{S} http://198.51.100.1/": S,
    f'url="https://admin:{S}@example.net/x"': S,
    f"netroot=iscsi:admin:{S}@198.51.100.1::3260::iqn.2009-06.net.example:root": S,
    f"netroot=iscsi:admin:pa@ss:target:{S}@198.51.100.1::::iqn.2009-06.net.example:root": S,
    f"API_KEY={S}": S,
    f"tool --password {S} --port 1": S,
    f"tool --token={S}": S,
    f"bindpw {S}": S,
    f"export GITHUB_TOKEN={S}": S,
    f"if true; then wifi_passphrase={S}; fi": S,
    # the word is a part of another one
    f"console=ttyS0 inst.vncpassword={S} rootpw={S}": S,
    f'dbpassword="{S}"': S,
    f'flags="-o dbpassword={S} -x"': S,
    f"ROOTPASSWORD={S}": S,
    f"snmp_userpass={S}": S,
    f"# adminpw: {S}": S,
    f"ipsec.sharedpsk = {S}": S,
    f'"vncpassword": "{S}"': S,
    f"tool --dbpassword {S}": S,
    f"pw={S}": S,
    # options and headers of HTTP
    f"sshpass -p {S} ssh dut true": S,
    f"sshpass -e -p{S} ssh dut true": S,
    f"curl --user admin:{S} http://198.51.100.1/": S,
    f"curl -uadmin:{S} http://198.51.100.1/": S,
    f'flags="--user admin:{S}"': S,
    f"mysql --pass {S}": S,
    f'curl -H "Authorization: Bearer {S}" http://198.51.100.1/': S,
    f"curl --oauth2-bearer {S} http://198.51.100.1/": S,
    # what no URL should have in it, and people write all the same
    f"fetch http://user:pa@{S}@198.51.100.1/x": S,
    f"fetch http://user:pa/{S}@198.51.100.1/x": S,
    # the word is the end of another one, and a blank follows it
    f'radius="198.51.100.1 sharedsecret {S}"': S,
    f"radius_secret {S}": S,
    f"vrrp_instance v {{ auth_pass {S} }}": S,
    f"rootpw {S}": S,
    f"dbrootpw {S}": S,
    f"wifi_psk {S}": S,
    # RADIUS, TACACS+
    f"tacacs-server key {S}": S,
    f"tacacs-server host 198.51.100.1 key 7 {S}": S,
    f"radius-server key 7 {S}": S,
    f"radius-server host 198.51.100.1 auth-port 1812 acct-port 1813 key {S}": S,
    f"radius-server shared-key cipher {S}": S,
    f"server-private 198.51.100.1 key {S}": S,
    f"client 198.51.100.1 server-key 7 {S}": S,
    f" key 7 {S}": S,
    f" key {S}": S,
    f"set radius server 198.51.100.1 {S} 1812 1813": S,
    f"auth 198.51.100.1:1812 {S} 3 5": S,
    f"acct radius.example.net {S}": S,
    # SNMP: the community is not the next word, or stands among words that it could be itself
    f"rocommunity {S}": S,
    f"rocommunity read {S}": S,
    f"snmp-server host 198.51.100.9 version 2c {S}": S,
    f"snmp-server host 198.51.100.9 traps {S} bgp": S,
    f"snmp-agent community read cipher {S}": S,
    f"defCommunity {S}": S,
    f"authcommunity log,execute {S}": S,
    f"com2sec -Cn ctx local default {S}": S,
    f"com2secunix local /run/snmpd.sock {S}": S,
    f'createUser admin SHA "{S} x" AES {S}y': S,
    f"createUser -e 0x80001f88 admin SHA-256 {S}": S,
    f"snmp-server user admin grp v3 auth sha {S} priv aes 128 {S}": S,
    f"trapsess -v 2c -c {S} 198.51.100.9": S,
    f"snmpget -v3 -u admin -A {S} -X {S} 198.51.100.9": S,
    f"snmpwalk -v2c -c{S} 198.51.100.9": S,
    # options that only some programs have for a secret
    f"mysql -u root -p{S} db": S,
    f"mysqldump --all -p'{S} x'": S,
    f'mysql_args="-p{S} -u root"': S,
    f"ldapsearch -x -w {S} -D cn=x": S,
    f'ldap_args="-w {S} -D cn=x"': S,
    f"ipmitool -I lanplus -H bmc -U admin -P {S} chassis bootdev pxe": S,
    f"ipmipower -h bmc -u admin -p {S} --on": S,
    f"ucarp -i em0 -v 1 -p {S} -a 198.51.100.1": S,
    f"plink -pw {S} admin@198.51.100.1": S,
    # routing protocols, NTP: how the secret is written stands before it
    f" neighbor 198.51.100.2 password 7 {S}": S,
    f" neighbor 198.51.100.2 password encrypted {S}": S,
    f" isis password clear {S}": S,
    f" area-password md5 {S}": S,
    f" ip ospf message-digest-key 1 md5 7 {S}": S,
    f" ip rip authentication string {S}": S,
    f" authentication mode hmac-sha-256 7 {S}": S,
    f" vrrp 1 authentication text {S}": S,
    f" standby 1 authentication {S}": S,
    f" ospf authentication-mode md5 1 cipher {S}": S,
    f" peer 198.51.100.2 password cipher {S}": S,
    f"local-user admin password irreversible-cipher {S}": S,
    f'auth-md 1 "{S}"': S,
    f"tcp md5sig key {S}": S,
    f"ip msdp password peer 198.51.100.2 0 {S}": S,
    f"md5-key {S}": S,
    f"ntp authentication-key 12 md5 {S} 7": S,
    f"1 MD5 {S}": S,
    f"enable secret level 15 5 {S}": S,
    f"username admin privilege 15 secret 9 {S}": S,
    # IPsec
    f"crypto isakmp key 6 {S} address 198.51.100.2": S,
    f"pre-shared-key address 198.51.100.2 key 6 {S}": S,
    f"pre-shared-key local {S}": S,
    f"ike esp from 198.51.100.0/24 to any psk {S}": S,
    f'198.51.100.1 : XAUTH "{S}"': S,
    f': RSA gw.pem "{S}"': S,
    f": PIN %smartcard:50 {S}": S,
    "E: aes-cbc  9f8e7d6c 5b4a3928 17161514 13121110": "5b4a3928",
    f"ip xfrm state add proto esp auth hmac(sha1) {S} enc 'cbc(aes)' {S}": S,
    f"aead rfc4106(gcm(aes)) {AES} 128": AES,
    # wireless networks, carp, XML
    f'wpa_passphrase "my lab" {S}': S,
    f"wep_key0={S}": S,
    f"ifconfig iwm0 nwid lab wpakey {S}": S,
    f"iwconfig wlan0 key s:{S}": S,
    f"ifconfig carp0 vhid 1 carppass {S}": S,
    f"<snmpd> <rocommunity>{S}</rocommunity>": S,
}


@pytest.mark.parametrize("line", LINES)
def test_the_secret_of_a_line_goes_and_its_name_stays(line: str) -> None:
    kept = in_text(line)
    assert LINES[line] not in kept and SECRET in kept
    first = line.split()[0].split("=")[0].split(":")[0].rstrip("'\"")
    assert first in kept or first in ("ssh-ed25519", "ssh-rsa")
    assert in_text(kept) == kept


@pytest.mark.parametrize("kind", PARSERS)
def test_no_kind_of_text_keeps_a_secret_anywhere(kind: str) -> None:
    """Not as a value, not as a name, and not in a note on what was not understood."""
    kept = []
    for line, secret in LINES.items():
        for text in (
            line,
            f"a=1\n{line}\nb=2\n",
            f"table ip t {{\nchain c {{\n{line}\n}}\n}}\n",
            f"eth0: flags=1<UP>\n {line}",
        ):
            for found in (source(kind, "sysctl", text), source(kind, "x", text, again=f"{text} ")):
                if secret in repr(found):
                    kept.append((text, found))
    assert kept == []


@pytest.mark.parametrize(
    "name",
    [
        *(
            "password",
            "sshd_password",
            "wpa_psk",
            "snmpCommunity",
            "kern.geom.eli.passphrase",
            "userPassword",
        ),
        *(
            "net.ipv4.tcp_fastopen_key",
            "net.core.netdev_rss_key",
            "hostapd_wpa_psk",
            "api-key",
            "authorized_keys",
            "wep_key0",
            "nwkey",
        ),
        *(
            "root_hash",
            "aws.secret",
            "md5sig",
            "bindpw",
            "carp_pass",
            "PSK",
            "net.ipv6.conf.all.stable_secret",
        ),
        *("inst.vncpassword", "rootpw", "wifi.userpass", "ipsec.sharedpsk", "bmcpassword", "dbpassword"),
        *("ROOTPASSWORD", "chapsecret", "adminpwd", "snmpcommunity", "authtoken", "hw.stableaddr_secretkey"),
    ],
)
def test_a_setting_whose_name_says_so_is_a_secret(name: str) -> None:
    assert is_secret_name(name)
    assert value(name, "00000000-1111-2222-3333-444455556666") == SECRET


@pytest.mark.parametrize(
    "name",
    [
        *(
            "net.key.debug",
            "kernel.keys.maxkeys",
            "net.inet.ip.forwarding",
            "keymap",
            "passthrough",
            "compass",
        ),
        *(
            "kern.geom.eli.key_cache_limit",
            "net.inet.ip.fw.tables_max",
            "hw.usb.no_pf",
            "vfs.hashsize",
            "keyrate",
        ),
        *("net.isr.bypass", "hw.lanbypass", "kern.multipass", "kern.tokenbucket", "dev.cpu.0.lowpass"),
    ],
)
def test_other_names_are_none(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize("harmless", ["", "0", "1", "-1", "255", "YES", "no", "on", "auto", "n/a", "m"])
def test_a_switch_or_a_small_number_is_no_secret(harmless: str) -> None:
    """net.inet.ip.fw.one_pass, net.inet.tcp.fastopen.psk_enable."""
    assert value("net.inet.ip.fw.one_pass", harmless) == harmless
    assert value("net.inet.ip.fw.one_pass", "1000") == SECRET


@pytest.mark.parametrize(
    "text",
    [
        "pass in quick on igb1 proto udp from any to any keep state",
        "-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT",
        "-A null",
        "inet6 2001:db8:0:8000::205 prefixlen 64",
        "ether 00:0d:b9:41:ca:3c",
        "ffffffff,ffffffff,ffffffff,ffffffff",
        "inet 198.18.0.205/24 -tso4 -tso6 -lro -vlanhwtso",
        "root=UUID=0cc175b9-c0f1-b6a8-31c3-99e269772661 ro quiet",
        "http://example.net/a:b@c",
        "netroot=iscsi:198.51.100.1::3260::iqn.2009-06.net.example:root rd.break",
        "netroot=iscsi:@198.51.100.1::3260::iqn.2009-06.net.example:root",
        "http://198.51.100.1:8080/a@b",
        "http://[2001:db8::1]:80/a@b",
        "ssh://git@example.net:22/x",
        "rx-flow-hash: toeplitz key: symmetric",
        "sort -u /etc/hosts",
        "net.inet.ip.fw.one_pass=1",
        'iifname "eth0" udp dport 9 counter drop',
        "00100 allow tcp from any to me dst-port 22 // the key of the house",
        "vendor=0x8086 device=0x1563 subvendor=0x8086",
        # numbers and names of keys, and what is said about them
        "key 5",
        "  key 1",
        "key 198.51.100.1",
        "key chain ospf",
        "gre remote 198.51.100.1 local any ttl 255 key 0.0.0.5",
        "ikey 5 okey 5",
        "crypto key generate rsa modulus 2048",
        "key-mgmt wpa",
        "radius-server timeout 5",
        "aaa authentication login default group tacacs+ local",
        "ip ospf authentication message-digest",
        "service password-encryption",
        "encryption aes-256",
        "auth SHA256",
        "openvpn --auth SHA512 --verb 3",
        "enc ecb(cipher_null)",
        "auth required pam_unix.so no_warn try_first_pass nullok",
        # sysctls and switches
        "net.inet.ip.fw.one_pass 1",
        "net.key.debug = 0",
        "kern.crypto.auth: 5",
        "lan_bypass fast",
        # the same options, of the same programs, without a secret
        'mysql_args="-u root -p" gateway_enable="YES"',
        "mysql --port=3306 -P3306",
        "mkdir -p/var/db",
        "snmpd -c /etc/snmpd.conf -A -Lf /var/log/x",
        "ipmitool -I lanplus -H bmc -U admin -f /root/pw -p 623 chassis",
        "ldapsearch -x -W -D cn=x",
        "table <badpasswords> persist { 198.51.100.1 }",
    ],
)
def test_what_is_none_stays_as_it_is(text: str) -> None:
    assert in_text(text) == text


def test_what_follows_a_secret_stays() -> None:
    assert in_text(f"rd.token={S} mtu=9000") == f"rd.token={SECRET} mtu=9000"
    assert in_text("password=12345 quiet") == f"password={SECRET} quiet"
    assert in_text(f"rocommunity {S} 198.51.100.0/24") == f"rocommunity {SECRET} 198.51.100.0/24"
    assert in_text(f"mysql -p{S} -u root") == f"mysql -p{SECRET} -u root"


def test_the_name_of_a_setting_says_whose_option_its_value_has() -> None:
    kept = value("mysql_args", f"-p{S} -u root")
    assert kept == value("mysql_args", kept) == f"-p{SECRET} -u root"
    assert value("mkdir_args", "-p/var/db") == "-p/var/db"
    assert value("snmpd_flags", "-c /etc/snmpd.conf -A") == "-c /etc/snmpd.conf -A"


def test_a_key_in_a_block_takes_the_whole_value_with_it() -> None:
    block = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r\n-----END OPENSSH PRIVATE KEY-----"
    assert in_text(f"x\n{block}\ny") == SECRET


@given(st.text(max_size=300))
def test_what_is_kept_is_kept_again(text: str) -> None:
    once = in_text(text)
    assert in_text(once) == once


@given(st.sampled_from(sorted(LINES)), st.text(max_size=40), st.text(max_size=40))
def test_what_stands_around_a_secret_does_not_save_it(line: str, before: str, after: str) -> None:
    assert LINES[line] not in in_text(f"{before}\n{line}\n{after}")


def test_a_secret_of_several_lines_goes_whole() -> None:
    text = 'if true; then\n  wpa_psk="hunter\n2Zq9"\n  gateway_enable=YES\nfi\n'
    found = source("rc.conf", "/etc/rc.conf", text)
    assert "2Zq9" not in repr(found) and "gateway_enable=YES" in repr(found)


@given(
    st.lists(
        st.sampled_from([*LINES, *" =:\"'", "x", "0x1", "md5 ", "pass ", "-A ", "key "]), max_size=4
    ).map("".join)
)
def test_a_line_that_is_not_looked_through_has_nothing_to_be_found(line: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        shortened = in_text(line)
        patch.setattr(redaction, "_SUSPECT", re.compile(""))
        assert in_text(line) == shortened
