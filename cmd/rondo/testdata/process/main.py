"""Does the action that the command /do names, and shows what has come of it."""

import itertools
import json
import sys

ids = itertools.count(1)
answers = {}


def send(message):
    print(json.dumps(message), flush=True)


def act(call, action, params):
    key = next(ids)
    send({"type": "action", "id": key, "for": call["id"], "action": action, "params": params})
    while key not in answers:
        take(receive())
    return answers.pop(key)


def take(message):
    kind = message["type"]
    if kind in ("result", "error"):
        answers[message["id"]] = message
    elif kind == "command":
        action, _, params = message["args"].partition(" ")
        answer = act(message, action, json.loads(params or "null"))
        if answer.get("error"):
            answer["result"] = "error: " + answer["error"]
        if action not in ("newSession", "reload"):
            act(message, "ui.notify", {"message": json.dumps(answer["result"])})
        send({"type": "result", "id": message["id"]})
    elif kind == "with_session":
        act(message, "ui.notify", {"message": "in the new session"})
        act(message, "setSessionName", {"name": "fresh"})
        send({"type": "result", "id": message["id"]})
    elif kind == "event":
        send({"type": "result", "id": message["id"]})


def receive():
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


receive()
send({"type": "ready", "protocol": 1, "events": ["session_start", "session_info_changed"],
      "commands": [{"name": "do"}], "flags": [{"name": "depth", "type": "string"}]})
while True:
    take(receive())
