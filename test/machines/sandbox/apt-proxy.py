#!/usr/bin/python3
"""A forward proxy for apt that reaches the given mirrors and nothing else.

It listens in one network namespace and connects from the one it was started in.
Packages, which never change under their name, are kept in a bounded cache.
"""
import argparse
import ctypes
import hashlib
import http.client
import http.server
import os
import pathlib
import socket
import socketserver
import tempfile
import threading
import urllib.error
import urllib.parse
import urllib.request

CLONE_NEWNET = 0x40000000
CACHE_BYTES = 2 << 30
TIMEOUT = 60
FORWARDED = ("Accept", "If-Modified-Since", "If-Range", "Range", "User-Agent")
RETURNED = ("Accept-Ranges", "Content-Range", "Content-Type", "Date", "ETag", "Last-Modified", "Location")


class Untouched(urllib.request.HTTPRedirectHandler):
    """Hands redirects to the client: where they lead may not be a mirror."""

    def redirect_request(self, *_):
        return None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = TIMEOUT

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        scheme = self.server.mirrors.get(url.hostname)
        if url.scheme != "http" or scheme is None:
            self.send_error(403, "not a mirror of this host")
            return
        url = url._replace(scheme=scheme, netloc=url.hostname).geturl()
        with self.server.slots:
            try:
                self.fetch(url)
            except (OSError, http.client.HTTPException) as error:
                self.log_error("%s: %s", url, error)
                self.close_connection = True

    do_HEAD = do_GET

    def fetch(self, url):
        kept = self.server.cache / hashlib.sha256(url.encode()).hexdigest()
        whole = self.command == "GET" and "Range" not in self.headers
        if whole and kept.exists():
            os.utime(kept)
            with kept.open("rb") as body:
                self.answer(200, {"Content-Type": "application/octet-stream"}, os.fstat(body.fileno()).st_size, body)
            return
        headers = {name: self.headers[name] for name in FORWARDED if name in self.headers}
        request = urllib.request.Request(url, headers=headers, method=self.command)
        try:
            response = self.server.upstream.open(request, timeout=TIMEOUT)
        except urllib.error.HTTPError as error:
            response = error
        except urllib.error.URLError as error:
            self.send_error(502, "the mirror does not answer", str(error.reason))
            return
        with response:
            length = response.headers.get("Content-Length")
            length = int(length) if length else None
            if whole and response.status == 200 and length and url.endswith(".deb"):
                self.keep(kept, response, length)
            else:
                self.answer(response.status, response.headers, length, response)

    def keep(self, kept, response, length):
        with tempfile.NamedTemporaryFile(dir=kept.parent, prefix=".") as copy:
            self.answer(200, response.headers, length, response, copy)
            copy.flush()
            if copy.tell() == length:
                os.link(copy.name, f"{copy.name}.whole")
                os.replace(f"{copy.name}.whole", kept)
        self.server.trim()

    def answer(self, status, headers, length, body, copy=None):
        self.send_response(status)
        for name in RETURNED:
            if name in headers:
                self.send_header(name, headers[name])
        if length is not None:
            self.send_header("Content-Length", str(length))
        elif status not in (204, 304):
            self.close_connection = True
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command == "HEAD":
            return
        while chunk := body.read(1 << 16):
            if copy:
                copy.write(chunk)
            self.wfile.write(chunk)


class Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, listener, mirrors, upstream_proxy, cache):
        super().__init__(None, Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.mirrors = {urllib.parse.urlsplit(m).hostname: urllib.parse.urlsplit(m).scheme for m in mirrors}
        proxies = {"http": upstream_proxy, "https": upstream_proxy} if upstream_proxy else {}
        self.upstream = urllib.request.build_opener(urllib.request.ProxyHandler(proxies), Untouched)
        self.cache = pathlib.Path(cache)
        self.cache.mkdir(parents=True, exist_ok=True)
        self.slots = threading.BoundedSemaphore(16)
        self.lock = threading.Lock()

    def trim(self):
        with self.lock:
            files = sorted(((f.stat().st_mtime, f.stat().st_size, f) for f in self.cache.glob("[!.]*")), reverse=True)
            total = 0
            for _, size, file in files:
                total += size
                if total > CACHE_BYTES:
                    file.unlink()


def listen(netns, address):
    libc = ctypes.CDLL(None, use_errno=True)

    def enter(fd):
        if libc.setns(fd, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")

    host, port = address.rsplit(":", 1)
    with open("/proc/self/ns/net") as own, open(netns) as other:
        enter(other.fileno())
        listener = socket.create_server((host, int(port)), backlog=64)
        enter(own.fileno())
    return listener


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--netns", required=True)
    parser.add_argument("--listen", required=True)
    parser.add_argument("--cache", required=True)
    parser.add_argument("--mirror", action="append", required=True)
    parser.add_argument("--upstream-proxy")
    args = parser.parse_args()
    server = Server(listen(args.netns, args.listen), args.mirror, args.upstream_proxy, args.cache)
    server.serve_forever()


if __name__ == "__main__":
    main()
