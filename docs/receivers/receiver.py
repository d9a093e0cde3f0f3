# A receiver of webhooks and a signer of requests, for Python 3.8 and later, without packages.
#   HISAB_API_SECRET=SECRET python3 receiver.py         receives at http://127.0.0.1:3000/webhook (PORT)
#   HISAB_API_SECRET=SECRET python3 receiver.py sign    reads a request's JSON on stdin, prints its signature
import hashlib
import hmac
import json
import os
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, unquote

# The service's words, matched exactly. Any other word is neither paid nor failed.
COMPLETED = ["completed"]
FAILED = ["failed"]

SECRET = os.environ.get("HISAB_API_SECRET", "")
if SECRET.strip() == "":
    sys.exit("HISAB_API_SECRET is empty: an empty secret signs anything.")


def sign(fields):
    """The MD5 signature of fields by name; each is text, or None where it is left out."""
    names = [name for name, value in fields.items() if name != "signature" and value is not None]
    # By UTF-16 code unit: A before _ before a.
    names.sort(key=lambda name: name.encode("utf-16-be"))
    text = "&".join(name + "=" + fields[name] for name in names) + "&key=" + SECRET
    return hashlib.md5(text.encode("utf-8")).hexdigest()


def verify(body):
    """The fields of a webhook's raw bytes, or None: then answer 401, and act on nothing."""
    fields = read_flat_json(body)
    if fields is None or len(fields.get("signature") or "") != 32:
        return None
    if not hmac.compare_digest(fields["signature"].encode("utf-8"), sign(fields).encode("utf-8")):
        return None
    for name, value in fields.items():
        # "u7&status=completed" in one field signs like two fields.
        if re.search("[=&]", name) or re.search("&[^&=]*=", value or ""):
            return None
    return fields


class Literal(str):
    """A number, true or false, by the text that stands in the body."""


def read_flat_json(body):
    """One flat JSON object. None for anything else, and for a name that comes twice."""

    def once(pairs):
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a name comes twice")
        return dict(pairs)

    def refuse(_):
        raise ValueError("NaN and Infinity are not JSON")

    try:
        fields = json.loads(
            body.decode("utf-8"),
            object_pairs_hook=once,
            parse_int=Literal,
            parse_float=Literal,
            parse_constant=refuse,
        )
        if not isinstance(fields, dict):
            return None
        texts = {}
        for name, value in fields.items():
            if isinstance(value, bool):
                value = "true" if value else "false"
            if value is not None and not isinstance(value, str):
                return None
            # Half of a surrogate pair has no bytes.
            (name + (value or "")).encode("utf-8")
            texts[name] = value
        return texts
    except (ValueError, RecursionError):
        return None


# Stands for your database. Each line is one fact: its kind, the order, what is booked of it, the order number.
LOCK = threading.Lock()
PATH = os.environ.get("BOOKS", "books.log")
SIZE = 0
FACTS = []


def read_facts():
    global SIZE, FACTS
    stored = b""
    if os.path.exists(PATH):
        with open(PATH, "rb") as found:
            stored = found.read()
    # A last line without its end was cut off by a crash, and means nothing.
    SIZE = stored.rfind(b"\n") + 1
    FACTS = [tuple(map(unquote, line.split("\t"))) for line in stored[:SIZE].decode("ascii").split("\n")]


def write(*fact):
    global SIZE
    if fact in FACTS:
        return
    line = ("\t".join(quote(cell, safe="") for cell in fact) + "\n").encode("ascii")
    with open(PATH, "ab", buffering=0) as file:
        # What a crash or a full disk left of a line goes first.
        file.truncate(SIZE)
        if file.write(line) != len(line):
            raise OSError("The disk is full.")
        # On the disk before the answer: an event answered with 200 never comes again.
        os.fsync(file.fileno())
    SIZE += len(line)
    FACTS.append(fact)


def facts_of(kind, order, number):
    """What is booked of an order. An event may lack one of the order's two numbers."""
    return [
        fact
        for fact in FACTS
        if fact[0] in (kind, kind + "_again")
        and (fact[1].lower() == order.lower() or (number != "" and number in (fact[1], fact[-1])))
    ]


def book_once(kind, order, number, *what):
    """Books an order once. False if it is booked otherwise: that is for a person."""
    known = facts_of(kind, order, number)
    for _, other_order, *rest in known:
        other_number = rest.pop()
        have_orders = order != number and other_order != other_number
        have_numbers = number != "" and other_number != ""
        if have_orders and order.lower() != other_order.lower():
            return False
        if (have_numbers and number != other_number) or rest != list(what):
            return False
        if (order, number) == (other_order, other_number):
            return True
    write(kind + "_again" if known else kind, order, *what, number)
    return True


def book(fields):
    """Books one genuine event. A second delivery of it changes nothing. One at a time: call it under LOCK."""

    def text(name):
        return fields.get(name) or ""

    # Another process may have written. Two that write at once need the transactions of a database.
    read_facts()
    number = text("orderNo").strip() or text("outOrderNo").strip()
    order = text("platformOrderNo").strip() or number
    event, status, player, amount = text("event"), text("status"), text("playerRef"), text("amount")

    def says(name, words):
        return (event or status) and event in ("", name) and (status == "" or status in words)

    def set_aside():
        write("set_aside", order, number, event, status, amount)

    state = "completed" if says("order.completed", COMPLETED) else "failed" if says("order.failed", FAILED) else ""
    # Only a deposit has a playerRef. What has both marks, or blanks for a player, is neither for certain.
    is_payout = player == "" or text("outOrderNo") != ""
    if state == "" or order == "" or (player != "" if is_payout else player.strip() == ""):
        return set_aside()
    if is_payout:
        return book_once("payout", order, number, state) or set_aside()
    if state == "failed":
        return set_aside() if facts_of("credit", order, number) else write("deposit_failed", order, number)
    if not re.fullmatch(r"[0-9]+(\.[0-9]{1,2})?", amount) or not re.search("[1-9]", amount):
        return set_aside()
    taka, _, paisa = amount.partition(".")
    # Credited already: the same again is a retry, another amount or player is for a person.
    return book_once("credit", order, number, player, (taka.lstrip("0") or "0") + "." + paisa.ljust(2, "0")) or set_aside()


class Receiver(BaseHTTPRequestHandler):
    timeout = 10

    def read_body(self):
        """The raw bytes, also of a body in chunks. None if it has no end, or more than 64 KiB."""
        if (self.headers.get("transfer-encoding") or "").strip().lower() != "chunked":
            return self.read_piece(self.headers.get("content-length") or "", 10)
        body = b""
        while True:
            piece = self.read_piece(self.rfile.readline(100).decode("latin-1").split(";")[0].strip(), 16)
            # The end of the chunk's line; after the last chunk, the end of the body.
            self.rfile.readline(100)
            if not piece or len(body) + len(piece) > 65536:
                return body if piece == b"" else None
            body += piece

    def read_piece(self, length, base):
        if not re.fullmatch("[0-9A-Fa-f]{1,6}" if base == 16 else "[0-9]{1,6}", length) or int(length, base) > 65536:
            return None
        return self.rfile.read(int(length, base))

    def do_POST(self):
        body = self.read_body()
        if body is None:
            return self.answer(413)
        fields = verify(body)
        if fields is None:
            return self.answer(401)
        try:
            with LOCK:
                book(fields)
        except OSError as error:
            print(error, file=sys.stderr)
            return self.answer(500)
        # Everything genuine, also what failed or is not understood: with 4xx it comes five times more, and then never.
        return self.answer(200)

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    if sys.argv[1:] == ["sign"]:
        given = read_flat_json(sys.stdin.buffer.read())
        sys.exit("Give one flat JSON object, each name once.") if given is None else print(sign(given))
    else:
        port = int(os.environ.get("PORT", "3000"))
        print("http://127.0.0.1:%d/webhook" % port, flush=True)
        ThreadingHTTPServer(("127.0.0.1", port), Receiver).serve_forever()
