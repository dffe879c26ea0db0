"""An extension in Python, with nothing but the standard library.

It asks before dangerous commands are run, brings the tool word_count, and the command
/todo TEXT, which keeps a line in the session and says how many there are.
"""

import itertools
import json
import re
import sys

DANGEROUS = re.compile(r"\brm\s+-[a-z]*[rf]|\bsudo\b|\bmkfs\b|>\s*/dev/sd")
ids = itertools.count(1)
answers = {}


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def act(call, action, **params):
    """Asks rondo to do something, and waits for the result. Meanwhile other calls may come."""
    key = f"a{next(ids)}"
    send({"type": "action", "id": key, "for": call["id"], "action": action, "params": params})
    while key not in answers:
        take(receive())
    answer = answers.pop(key)
    if answer["type"] == "error":
        raise RuntimeError(answer["error"])
    return answer.get("result")


def on_event(call):
    event = call["event"]
    if event["type"] == "tool_call" and event["toolName"] == "bash":
        command = event["input"].get("command", "")
        if DANGEROUS.search(command):
            choice = act(call, "ui.select", title=f"Run this?\n\n  {command}", options=["Yes", "No"])
            if choice != "Yes":
                return {"block": True, "reason": "The user does not want this command to be run."}


def on_tool(call):
    words = len(call["args"]["text"].split())
    return {"content": f"{words} words", "details": {"words": words}}


def on_command(call):
    act(call, "appendEntry", customType="todo", data={"text": call["args"]})
    entries = act(call, "getEntries")
    count = sum(1 for e in entries if e["type"] == "custom" and e.get("customType") == "todo")
    act(call, "ui.notify", message=f"{count} on the list", kind="info")


handlers = {"event": on_event, "call_tool": on_tool, "command": on_command}


def take(message):
    """Deals with one line. Types that are unknown here mean nothing."""
    kind = message["type"]
    if kind in ("result", "error"):
        answers[message["id"]] = message
    elif kind in handlers:
        try:
            send({"type": "result", "id": message["id"], "result": handlers[kind](message)})
        except Exception as problem:
            send({"type": "error", "id": message["id"], "error": str(problem)})
    elif kind == "shutdown":
        sys.exit(0)


def receive():
    line = sys.stdin.buffer.readline()
    if not line:  # rondo has ended
        sys.exit(0)
    return json.loads(line)


receive()  # initialize
send({
    "type": "ready",
    "protocol": 1,
    "events": ["tool_call"],
    "tools": [{
        "name": "word_count",
        "description": "Count the words of a text.",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    }],
    "commands": [{"name": "todo", "description": "Keep a line in the session"}],
})
while True:
    take(receive())
