import gzip
import http.server
import socket
import threading
import zlib

import httpx2
import pytest

from thinkback.errors import CorruptDocument, InvalidInput, LoadError, TooLarge
from thinkback.text import fetch as module
from thinkback.text.fetch import fetch

LIMIT = 100_000


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen: list[tuple[str, str]] = []  # noqa: RUF012 - shared by the handlers of one server, emptied by the fixture

    def log_message(self, *_):
        pass

    def send(self, body=b"", status=200, **headers):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):  # noqa: C901, PLR0912 - a table of answers, one branch each
        self.seen.append((self.path, self.headers["Host"]))
        port = self.server.server_address[1]
        match self.path.partition("?")[0]:
            case "/page.html":
                self.send(b"<html>hello</html>", Content_Type="text/html; charset=utf-8")
            case "/named":
                self.send(b"%PDF-", Content_Disposition='attachment; filename="../../etc/a paper.pdf"')
            case "/starred":
                self.send(b"x", Content_Disposition="attachment; filename*=UTF-8''na%C3%AFve.txt")
            case "/gzip":
                self.send(gzip.compress(b"packed " * 100), Content_Encoding="gzip")
            case "/deflate":
                self.send(zlib.compress(b"packed " * 100), Content_Encoding="deflate")
            case "/bomb":
                self.send(gzip.compress(b"\0" * 50_000_000), Content_Encoding="gzip")
            case "/cut-gzip":
                self.send(gzip.compress(b"packed " * 100)[:-9], Content_Encoding="gzip")
            case "/bad-gzip":
                self.send(b"not gzip at all", Content_Encoding="gzip")
            case "/brotli":
                self.send(b"...", Content_Encoding="br")
            case "/large":
                self.send(b"x" * (LIMIT + 1))
            case "/endless":
                self.send_response(200)
                self.send_header("Connection", "close")
                self.end_headers()
                try:
                    while True:
                        self.wfile.write(b"x" * 8192)
                except OSError:
                    self.close_connection = True
            case "/cut":
                self.send(b"only this", Content_Length="1000", Connection="close")
                self.close_connection = True
            case "/to-page":
                self.send(status=302, Location="/page.html")
            case "/to-loop":
                self.send(status=302, Location="/to-loop")
            case "/to-file":
                self.send(status=302, Location="file:///etc/passwd")
            case "/to-other":
                self.send(status=302, Location=f"http://127.0.0.2:{port}/page.html")
            case "/to-password":
                self.send(status=302, Location=f"http://me:secret@127.0.0.1:{port}/page.html")
            case "/slow":
                threading.Event().wait(1.5)
                self.send(b"late")
            case _:
                self.send(status=404)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Clients that leave early are the point of some tests."""


@pytest.fixture
def server():
    Handler.seen = []
    with Server(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()
        thread.join()


def get(url, allow=("127.0.0.1",), timeout=5.0):
    return fetch(url, allow=allow, max_bytes=LIMIT, timeout=timeout)


def test_a_page(server):
    got = get(f"{server}/page.html?q=1#part")
    assert got.data == b"<html>hello</html>"
    assert got.media_type == "text/html; charset=utf-8"
    assert got.name == "page.html"
    assert got.url == f"{server}/page.html?q=1"
    assert Handler.seen == [("/page.html?q=1", server.removeprefix("http://"))]


def test_the_host_is_asked_by_its_name(server):
    port = server.rpartition(":")[2]
    assert get(f"http://LOCALHOST:{port}/page.html", allow=("localhost",)).data == b"<html>hello</html>"
    assert Handler.seen == [("/page.html", f"localhost:{port}")]


@pytest.mark.parametrize(("path", "name"), [("/named", "a paper.pdf"), ("/starred", "naïve.txt")])
def test_names_given_by_the_server_have_no_folders(server, path, name):
    assert get(server + path).name == name


@pytest.mark.parametrize("path", ["/gzip", "/deflate"])
def test_packed_answers_are_unpacked(server, path):
    assert get(server + path).data == b"packed " * 100


@pytest.mark.parametrize("path", ["/bomb", "/large", "/endless"])
def test_what_is_too_large_is_not_read_to_its_end(server, path):
    with pytest.raises(TooLarge, match="more than 100,000 bytes"):
        get(server + path)


@pytest.mark.parametrize("path", ["/cut-gzip", "/bad-gzip", "/cut"])
def test_broken_answers(server, path):
    with pytest.raises(CorruptDocument):
        get(server + path)


def test_unknown_packing(server):
    with pytest.raises(LoadError, match="packs"):
        get(f"{server}/brotli")


def test_redirects_are_followed(server):
    got = get(f"{server}/to-page")
    assert (got.name, got.url) == ("page.html", f"{server}/page.html")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/to-file", "Only http and https"),
        ("/to-other", "not among the allowed hosts"),
        ("/to-password", "user name"),
    ],
)
def test_redirects_are_checked_like_the_first_address(server, path, message):
    with pytest.raises(InvalidInput, match=message):
        get(server + path)
    assert [seen for seen, _ in Handler.seen] == [path]


def test_redirects_end(server):
    with pytest.raises(LoadError, match="more than 5 times"):
        get(f"{server}/to-loop")


def test_an_error_status(server):
    with pytest.raises(LoadError, match="status 404"):
        get(f"{server}/nothing")


def test_a_slow_server(server):
    with pytest.raises(LoadError, match="too long to answer"):
        get(f"{server}/slow", timeout=0.3)


def test_a_server_that_sends_drop_by_drop_is_left(server):
    with pytest.raises(LoadError, match="too long to send"):
        fetch(f"{server}/endless", allow=("127.0.0.1",), max_bytes=10**12, timeout=0.02)


def test_nobody_listens():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(LoadError, match="cannot be reached"):
        get(f"http://127.0.0.1:{port}/")


@pytest.mark.parametrize(
    "url",
    [
        "ftp://127.0.0.1/x",
        "file:///etc/passwd",
        "http:///x",
        "127.0.0.1/x",
        "",
        "http://me:secret@127.0.0.1/",
        "http://[::1/",
        "http://127.0.0.1:99999/",
        "http://exa mple.org/",
    ],
)
def test_addresses_that_are_not_fetched(url):
    with pytest.raises(InvalidInput) as caught:
        get(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("allow", [(), ("example.org",), (".example.org",), ("27.0.0.1",), ("127.0.0.1.org",)])
def test_hosts_that_are_not_allowed_are_not_asked(server, allow):
    with pytest.raises(InvalidInput, match="not among the allowed hosts"):
        get(f"{server}/page.html", allow=allow)
    assert Handler.seen == []


def test_a_name_below_an_allowed_one_must_not_lead_into_the_local_network(server):
    port = server.rpartition(":")[2]
    with pytest.raises(InvalidInput, match="local network"):
        get(f"http://localhost:{port}/page.html", allow=(".localhost",))
    assert Handler.seen == []


def test_an_unknown_host(monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)  # the tests must not ask the network
    with pytest.raises(LoadError, match="has no address"):
        get("http://no-such-host.invalid/", allow=(".invalid",))


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("192.168.0.1", False),
        ("172.16.0.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),  # noqa: S104 - never bound
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fc00::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:93.184.216.34", True),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::5db8:d822", True),
        ("2002:7f00:1::", False),
    ],
)
def test_public_addresses(address, public):
    assert module._is_public(address) is public


def test_https_keeps_the_name_for_the_certificate():
    with httpx2.Client() as client:
        request = module._pinned(client, httpx2.URL("https://arxiv.org/pdf/1"), "2606:2800:220:1::1")
    assert str(request.url) == "https://[2606:2800:220:1::1]/pdf/1"
    assert request.headers["Host"] == "arxiv.org"
    assert request.extensions["sni_hostname"] == "arxiv.org"


def test_https_is_not_left_for_http():
    with pytest.raises(InvalidInput, match="from https to http"):
        module._checked(httpx2.URL("http://arxiv.org/"), httpx2.URL("https://arxiv.org/"))


@pytest.mark.parametrize(
    ("host", "allowed"),
    [("arxiv.org", True), ("export.arxiv.org", True), ("notarxiv.org", False), ("arxiv.org.evil.com", False)],
)
def test_names_below_a_dot(host, allowed, monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(2, 1, 6, "", ("93.184.216.34", 443))])
    if allowed:
        assert module._address(httpx2.URL(f"https://{host}/"), [".arxiv.org"]) == "93.184.216.34"
    else:
        with pytest.raises(InvalidInput, match="not among"):
            module._address(httpx2.URL(f"https://{host}/"), [".arxiv.org"])
