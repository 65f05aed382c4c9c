#!/usr/bin/python3
"""Plays sessions of the Model Context Protocol with tview: mcp_session.py TVIEW FOLDER, where FOLDER/stencil.trc is a trace.
Prints what is not as expected."""
import json
import subprocess
import sys

tview, folder = sys.argv[1:]
wrong = 0


def bad(*what):
    global wrong
    wrong += 1
    print(*what)


def session(lines, root=folder):
    """The answers to lines of bytes."""
    said = subprocess.run([tview, "mcp", root], input=b"".join(line + b"\n" for line in lines), capture_output=True)
    if said.returncode != 0 or said.stderr:
        bad("status", said.returncode, said.stderr[:300])
    return [json.loads(line) for line in said.stdout.decode().splitlines()]


def request(method, params=None, id=1):
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}).encode()


def call(name, root=folder, **arguments):
    answer = session([request("tools/call", {"name": name, "arguments": arguments})], root)[0]
    if "error" in answer:
        return answer["error"]["code"], answer["error"]["message"]
    return answer["result"]["isError"], answer["result"]["content"][0]["text"]


hello = session([request("initialize", {"protocolVersion": "2024-11-05"}),
                 b'{"jsonrpc":"2.0","method":"notifications/initialized"}', request("tools/list", id="two"), request("ping", id=3)])
if [h["id"] for h in hello] != [1, "two", 3] or hello[0]["result"]["protocolVersion"] != "2024-11-05":
    bad(hello)
tools = {t["name"]: t for t in hello[1]["result"]["tools"]}
if set(tools) != {"report", "query", "export", "explain", "check"} or not all(t["annotations"]["readOnlyHint"] for t in tools.values()):
    bad(tools)

# The answers are those of the verbs.
trace = folder + "/stencil.trc"
question = "calls where region =~ /Waitall/ and dur > 1ms order by dur desc limit 2 select dur, rank, event"
failed, text = call("query", trace="stencil.trc", question=question)
own = subprocess.run([tview, "query", trace, question, "-f", "json"], capture_output=True, text=True).stdout
if failed or json.loads(text)["rows"] != json.loads(own)["rows"] or len(json.loads(text)["rows"]) != 2:
    bad(failed, text[:300])
page = json.loads(text)["left_out"]["page"]
failed, text = call("query", trace="stencil.trc", question=question, page=page)
if failed or json.loads(text)["left_out"]["before"] != 2:
    bad("page", text[:300])
failed, text = call("export", trace="stencil.trc", view="waits", limit=3, sort="begin_s:asc", where="rank == 1")
if failed or [r["rank"] for r in json.loads(text)["rows"]] != [1, 1, 1]:
    bad(text[:300])
event = json.loads(call("export", trace="stencil.trc", view="waits", limit=1)[1])["rows"][0]["event"]
for name, arguments, part in (("report", {}, "arallel efficiency"), ("explain", {"event": event}, "waited 9.52 ms"),
                              ("check", {}, "stencil.trc")):
    failed, text = call(name, trace="stencil.trc", **arguments)
    if failed or part not in text:
        bad(name, failed, text[:300])
if call("report", root=trace)[0] or call("report", root=trace, trace="stencil.trc")[0]:
    bad("one trace")

# What a run refuses is an error of the tool; what is no call one of the protocol.
for name, arguments, code in [
        ("query", {"trace": "stencil.trc", "question": "calls where"}, True),
        ("export", {"trace": "stencil.trc", "view": "--output=/tmp/x"}, True),
        ("export", {"trace": "stencil.trc", "view": "events", "filter": "--output=x"}, True),
        ("export", {"trace": "stencil.trc", "view": "events"}, True),  # too long
        ("query", {"trace": "stencil.trc"}, -32602), ("query", {"question": "calls"}, -32602), ("nothing", {}, -32602),
        ("export", {"trace": "stencil.trc", "view": "events", "limit": "3"}, -32602),
        ("export", {"trace": "stencil.trc", "view": 7}, -32602),
        ("report", {"trace": "stencil.trc", "output": "x"}, -32602), ("report", {"trace": "../../etc/passwd"}, -32602),
        ("report", {"trace": "/etc/passwd"}, -32602), ("report", {"trace": "out"}, -32602), ("report", {"trace": "live:1"}, -32602),
        ("report", {"trace": "none.trc"}, -32602), ("report", {"trace": ""}, -32602)]:
    if call(name, **arguments)[0] != code:
        bad(name, arguments, call(name, **arguments))
if call("report", root=trace, trace="other.trc")[0] != -32602:
    bad("another trace")

# Nothing ends the session.
hostile = [b"", b"{", b"[]", b"null", b"7", b'"x"', b"{}", b"\xff\xfe", b"\0", b'{"method":1,"id":1}', b'{"id":{},"method":"ping"}',
           b"[" * 100000, b'{"id":1,"method":"' + b"a" * 2000000 + b'"}', b'{"id":1,"id":2,"method":"ping"}',
           request("tools/call", {"name": "report", "arguments": []}), request("tools/call", {"name": 1}), request("resources/list"),
           b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}', b'{"jsonrpc":"2.0","id":9,"method":"ping","params":3}']
answers = session(hostile)
if len(answers) != len(hostile) - 1 or answers[-1] != {"jsonrpc": "2.0", "id": 9, "result": {}} or any(
        "error" not in a for a in answers[:-1]):
    bad(len(answers), len(hostile), answers)
sys.exit(wrong > 0)
