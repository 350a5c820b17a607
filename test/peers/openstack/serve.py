"""Serves one WSGI application over HTTP on loopback: MODULE PORT [arguments of the application].

A service reads its arguments where it is imported, so what is served is named first and taken off.
"""

import importlib
import signal
import sys

from cheroot import wsgi

module, port = sys.argv[1:3]
sys.argv[1:] = sys.argv[3:]
application = importlib.import_module(module).application
server = wsgi.Server(("127.0.0.1", int(port)), application, numthreads=4, request_queue_size=64)
# More at once only where all wait: services call each other, and Nova calls itself.
server.requests.max = 16
server.shutdown_timeout = 1
signal.signal(signal.SIGTERM, lambda *_: server.stop())
server.safe_start()
