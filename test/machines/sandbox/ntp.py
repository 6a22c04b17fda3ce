"""Answers NTP requests (RFC 5905) with the time of this host.

  ntp.py ADDRESS
"""
import socket
import struct
import sys
import time

EPOCH = 2208988800  # 1970 in seconds since 1900
# No leap second, version 4, server; stratum 2, a poll interval of 64 s, precision of about a microsecond; next to no
# delay and dispersion to a reference clock.
HEADER = struct.pack(">BBbbII4s", 0b00100100, 2, 6, -20, 16, 16, b"\x7f\0\0\1")


def now():
    seconds = time.time() + EPOCH
    return struct.pack(">II", int(seconds), int(seconds % 1 * (1 << 32)))


def main():
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((sys.argv[1], 123))
    while True:
        request, client = server.recvfrom(1024)
        received = now()
        if len(request) >= 48:
            server.sendto(HEADER + received + request[40:48] + received + now(), client)


if __name__ == "__main__":
    main()
