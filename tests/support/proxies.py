# SPDX-License-Identifier: Apache-2.0
"""Small proxies for tests: HTTP CONNECT with no, basic or digest login, and SOCKS 5 with or without
one. They listen inside a namespace and are threads of the test. Use as context managers."""

import base64
import contextlib
import hashlib
import re
import select
import socket
import struct
import threading


class _Proxy:
    """`login`: (user, password), or None. `greetings` collects the first words of every caller."""

    def __init__(self, namespace, address, port, login=None):
        self.greetings = []
        self.login = login
        self._namespace = namespace
        self._listener = namespace.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind((address, port))
        self._listener.listen(8)
        self._listener.settimeout(0.2)
        self._ends = threading.Event()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def _accept(self):
        while not self._ends.is_set():
            try:
                caller, _ = self._listener.accept()
            except TimeoutError:
                continue
            thread = threading.Thread(target=self._serve, args=(caller,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, caller):
        with caller, contextlib.suppress(OSError, ValueError, struct.error):
            caller.settimeout(10)
            far = self.meet(caller)
            if far is not None:
                with far:
                    self._carry(caller, far)

    def connect(self, host, port):
        far = self._namespace.socket(socket.AF_INET, socket.SOCK_STREAM)
        far.settimeout(10)
        try:
            far.connect((host, port))
        except OSError:
            far.close()
            return None
        return far

    def _carry(self, caller, far):
        other = {caller: far, far: caller}
        while not self._ends.is_set():
            for end in select.select([caller, far], [], [], 0.2)[0]:
                piece = end.recv(65536)
                if not piece:
                    return
                other[end].sendall(piece)

    def close(self):
        self._ends.set()
        for thread in self._threads:
            thread.join()
        self._listener.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class HttpProxy(_Proxy):
    """`way`: "none", "basic" or "digest"."""

    NONCE = "c29tZSBub25jZQ=="

    def __init__(self, namespace, address, port, way="none", login=None):
        self.way = way
        super().__init__(namespace, address, port, login)

    def meet(self, caller):
        head = b""
        while b"\r\n\r\n" not in head:
            piece = caller.recv(1)  # not a byte of what follows
            if not piece:
                return None
            head += piece
        text = head.decode()
        self.greetings.append(text)
        host, port = re.match(r"CONNECT (\S+):(\d+) HTTP/1\.[01]\r\n", text).groups()
        if not self._knows(text, f"{host}:{port}"):
            offer = {"basic": 'Basic realm="test"',
                     "digest": f'Digest realm="test", nonce="{self.NONCE}", qop="auth"'}[self.way]
            caller.sendall(("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: "
                            f"{offer}\r\nContent-Length: 3\r\n\r\nno\n").encode())
            return None
        far = self.connect(host, int(port))
        caller.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n" if far else
                       b"HTTP/1.1 502 Bad Gateway\r\n\r\n")
        return far

    def _knows(self, head, authority):
        if self.way == "none":
            return True
        user, password = self.login
        found = re.search(r"Proxy-Authorization: (.*)\r\n", head)
        value = found[1] if found else ""
        if self.way == "basic":
            return value == "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        fields = dict(re.findall(r'(\w+)="?([^",]*)"?', value))

        def md5(words):
            return hashlib.md5(words.encode()).hexdigest()
        wanted = md5(f"{md5(f'{user}:test:{password}')}:{self.NONCE}:{fields.get('nc')}:"
                     f"{fields.get('cnonce')}:auth:{md5('CONNECT:' + authority)}")
        return fields.get("response") == wanted


class SocksProxy(_Proxy):
    def meet(self, caller):
        def take(count):
            data = caller.recv(count, socket.MSG_WAITALL)
            if len(data) < count:
                raise ValueError
            return data

        greeting = take(2)
        methods = take(greeting[1])
        self.greetings.append((greeting + methods).hex())
        method = 2 if self.login else 0
        if method not in methods:
            caller.sendall(b"\5\xff")
            return None
        caller.sendall(bytes((5, method)))
        if self.login:
            user = take(take(2)[1])
            password = take(take(1)[0])
            good = (user.decode(), password.decode()) == self.login
            caller.sendall(b"\1\0" if good else b"\1\1")
            if not good:
                return None
        kind = take(4)[3]
        host = {1: lambda: socket.inet_ntoa(take(4)), 3: lambda: take(take(1)[0]).decode()}[kind]()
        port = struct.unpack("!H", take(2))[0]
        far = self.connect(host, port)
        caller.sendall(b"\5\0\0\1\0\0\0\0\0\0" if far else b"\5\5\0\1\0\0\0\0\0\0")
        return far
