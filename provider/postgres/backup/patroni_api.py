"""What Patroni of a node answers, made up."""
import http.server
import json
import ssl
import threading

from s3 import PKI


class Patroni(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        answers = self.server.answers
        body = json.dumps(answers["cluster"] if self.path == "/cluster" else answers["node"]).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve_patroni(test):
    """Serves answers until a test ends, and returns them: the test changes them."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Patroni)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(PKI + "/server.crt", PKI + "/server.key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    test.addCleanup(server.server_close)
    test.addCleanup(server.shutdown)
    url = f"https://127.0.0.1:{server.server_port}"
    server.answers = {"node": {"role": "primary", "state": "running"},
                      "cluster": {"members": [{"name": "postgres-1", "role": "leader", "state": "running", "api_url": url}]}, "url": url}
    return server.answers
