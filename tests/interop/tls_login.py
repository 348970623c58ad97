#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a native client shows a stock server as user name and password, how often, and what becomes of
what only a person can answer.

    tls_login.py [--only TEXT]
"""

import os
import pathlib
import signal
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import netns  # noqa: E402
import skip  # noqa: E402
import tls_life  # noqa: E402
import traffic  # noqa: E402
from openvpn_peer import VERSIONS  # noqa: E402
from tls_life import CLIENT, REMOTE, SERVER, engine_pid, expect, wait_connection  # noqa: E402

SERVER_HEAD = SERVER + "script-security 3\nauth-user-pass-verify ./verify.sh via-env\n"
COMMAND = "tunctl credentials test"
CASES = []


def case(*versions):
    def register(function):
        CASES.extend((function, version) for version in versions)
        return function
    return register


def password_file(place, text="joe\nright\n"):
    path = place.folder / "pass"
    path.write_text(text)
    path.chmod(0o600)


def verifier(place, good, body=""):
    """A program that notes each password and takes it if awk finds `good` of `p` true. The roots of
    the other generations hold no shell."""
    (place.folder / "tries").write_text("")
    (place.folder / "tries").chmod(0o666)
    place.script("verify.sh", "")
    (place.folder / "verify.sh").write_text(
        f"""#!/usr/bin/mawk -f
BEGIN {{ p = ENVIRON["password"]; print ENVIRON["username"], p >>"tries"; close("tries")
  {body}
  exit !({good}) }}
""")


def shell_verifier(place, body):
    (place.folder / "tries").write_text("")
    place.script("verify.sh", f'echo "$username $password" >>"$PWD/tries"\n{body}')


def tries(place):
    return (place.folder / "tries").read_text().splitlines()


def client(place, more, name="client"):
    return place.native(CLIENT + REMOTE + "auth-user-pass pass\n" + more, name,
                        options=("--ask", str(place.folder / "ask"), COMMAND))


class Question:
    """What the engine asks at its socket."""

    def __init__(self, place, native):
        native.wait_until(lambda: "AUTH_PENDING" in (native.notify.last("STATUS") or ""),
                          "a question", 20)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(5)
        self._socket.connect(str(place.folder / "ask"))
        self.text = self._socket.recv(4096).decode()

    def answer(self, text):
        self._socket.send(text.encode() + b"\n")
        expect(self._socket.recv(64) == b"ok")
        self._socket.close()


@case(*VERSIONS)
def right_and_wrong(place, version):
    """A refused password is tried once; the right one lets in."""
    verifier(place, 'p == "right"')
    password_file(place, "joe\nwrong\n")
    with place.server(SERVER_HEAD, version=version):
        with client(place, "") as native:
            expect(native.child.wait(20) == 78, native.log())
        expect(tries(place) == ["joe wrong"], tries(place))
        password_file(place)
        with client(place, "") as native:
            native.wait_connected(20)
            traffic.wait_for_ping(place.a, "10.9.0.1")
        expect(tries(place) == ["joe wrong", "joe right"], tries(place))


@case(*VERSIONS)
def token(place, version):
    """With auth-gen-token the password is shown once, whatever is negotiated anew."""
    verifier(place, 'p == "right"')
    password_file(place)
    with place.server(SERVER_HEAD + "auth-gen-token\n", version=version), \
         client(place, "reneg-sec 3\nauth-nocache\n") as native:
        native.wait_connected(20)
        native.wait_until(lambda: native.log().count("new keys are in use") >= 2, "new keys", 20)
        os.kill(engine_pid(native), signal.SIGUSR1)
        wait_connection(native, 2)
        traffic.wait_for_ping(place.a, "10.9.0.1")
        expect(tries(place) == ["joe right"], tries(place))


@case("2.6")
def nocache(place, version):
    """auth-nocache reads the file for each exchange of keys."""
    verifier(place, "1")
    password_file(place, "joe\none\n")
    with place.server(SERVER_HEAD, version=version), \
         client(place, "reneg-sec 3\nauth-nocache\n") as native:
        native.wait_connected(20)
        password_file(place, "joe\ntwo\n")
        native.wait_for_line("new keys are in use", timeout=15)
        expect(tries(place)[:2] == ["joe one", "joe two"], tries(place))


@case(*VERSIONS)
def static_challenge(place, version):
    """The answer goes to the server beside the password, once for each session."""
    verifier(place, 'p == "SCRV1:cmlnaHQ=:MTIzNDU2"')  # right, 123456
    password_file(place)
    with place.server(SERVER_HEAD, version=version), \
         client(place, 'static-challenge "Your code" 1\n') as native:
        question = Question(place, native)
        expect(question.text == "text Your code", question.text)
        status = native.notify.last("STATUS")
        expect(f"an answer is wanted: Your code; `{COMMAND}`" in status, status)
        expect(tries(place) == [], tries(place))
        question.answer("123456")
        native.wait_connected(20)
        traffic.wait_for_ping(place.a, "10.9.0.1")
        os.kill(engine_pid(native), signal.SIGUSR1)
        Question(place, native).answer("123456")
        wait_connection(native, 2)
        os.kill(engine_pid(native), signal.SIGUSR1)
        Question(place, native).answer("wrong")
        expect(native.child.wait(20) == 78, native.log())
        expect(len(tries(place)) == 3, tries(place))
        expect("123456" not in native.log() and "SCRV1" not in native.log(), native.log())
    expect(not (place.folder / "ask").exists(), "the socket is left")


@case("2.7")
def static_challenge_concat(place, version):
    verifier(place, 'p == "right123456"')
    password_file(place)
    with place.server(SERVER_HEAD, version=version), \
         client(place, 'static-challenge "Your code" 0 concat\n') as native:
        question = Question(place, native)
        expect(question.text == "secret Your code", question.text)
        question.answer("123456")
        native.wait_connected(20)


# A server of 2.5 takes no reason from a script.
@case("2.6", "2.7")
def dynamic_challenge(place, version):
    """The server answers a right password by a question (CRV1)."""
    verifier(place, 'p == "CRV1::state77::Rome"', 'if (p == "right")'
             ' printf "CRV1:R,E:state77:am9l:Which city?" >ENVIRON["auth_failed_reason_file"]')
    password_file(place)
    with place.server(SERVER_HEAD, version=version), client(place, "") as native:
        question = Question(place, native)
        expect(question.text == "text Which city?", question.text)
        question.answer("Rome")
        native.wait_connected(20)
        traffic.wait_for_ping(place.a, "10.9.0.1")
        expect(tries(place) == ["joe right", "joe CRV1::state77::Rome"], tries(place))


@case("2.6")
def pending(place, version):
    """AUTH_PENDING: an address to open, or a question that is answered while the session waits."""
    shell_verifier(place, 'printf "60\\ncrtext\\nCR_TEXT:R:One more word" >"$auth_pending_file"\n'
                   '(sleep 2; while ! [ -e "$PWD/said" ]; do sleep 0.1; done;'
             ' printf 1 >"$auth_control_file") >/dev/null 2>&1 &\nexit 2')
    place.script("response.sh", 'cp "$1" "$PWD/said" 2>/dev/null; echo "$1" >"$PWD/said"; exit 0')
    password_file(place)
    text = SERVER_HEAD + "client-crresponse ./response.sh\n"
    with place.server(text, version=version), client(place, "") as native:
        question = Question(place, native)
        expect(question.text == "secret One more word", question.text)
        question.answer("please")
        native.wait_connected(20)
        traffic.wait_for_ping(place.a, "10.9.0.1")


@case("2.6")
def an_address_to_open(place, version):
    address = "https://login.example/" + 300 * "x"
    shell_verifier(place, f'printf "60\\nwebauth\\nWEB_AUTH::{address}" >"$auth_pending_file"\n'
             '(sleep 3; printf 1 >"$auth_control_file") >/dev/null 2>&1 &\nexit 2')
    password_file(place)
    with place.server(SERVER_HEAD, version=version), client(place, "") as native:
        native.wait_until(lambda: address in (native.notify.last("STATUS") or ""), "the address", 20)
        native.wait_connected(20)
        expect(address not in native.notify.last("STATUS"), native.notify.last("STATUS"))


@case("2.6")
def interact(place, version):
    """auth-retry interact waits for a new file and a reload."""
    verifier(place, 'p == "right"')
    password_file(place, "joe\nwrong\n")
    with place.server(SERVER_HEAD, version=version), \
         client(place, "auth-retry interact\n") as native:
        question = Question(place, native)
        expect(question.text.startswith("login "), question.text)
        time.sleep(2)
        expect(tries(place) == ["joe wrong"], tries(place))
        password_file(place)
        os.kill(engine_pid(native), signal.SIGHUP)
        native.wait_connected(20)
        expect(tries(place) == ["joe wrong", "joe right"], tries(place))


@case("2.6")
def nobody_to_ask(place, version):
    """Without a socket a challenge ends the engine for good, with words."""
    verifier(place, "1")
    password_file(place)
    with place.server(SERVER_HEAD, version=version), \
         place.native(CLIENT + REMOTE + "auth-user-pass pass\nstatic-challenge Code 0\n") as native:
        expect(native.child.wait(20) == 78, native.log())
        expect("a person is asked 'Code', and there is no socket to answer at (--ask)"
               in native.log(), native.log())
        expect(tries(place) == [], tries(place))


if __name__ == "__main__":
    skip.need("root", "tun", "netns", "mounts", "program:openvpn", "program:openssl")
    netns.end_on_signals()
    tls_life.run([(f"{each.__name__} {version}", lambda place, each=each, version=version:
                   each(place, version)) for each, version in CASES])
