#!/usr/bin/env python3
"""A small front end for agent. It needs only the standard library of Python 3.

    python3 client.py [FLAGS OF agent run]

Type a prompt, or a prompt during a turn to steer it. Answer a question with y (allow),
a (always allow), the numbers of choices, or a comment, which rejects the call. Ctrl+C
interrupts the turn, and the end of the input (Ctrl+D) ends the program.
"""
import json
import os
import signal
import subprocess
import sys
import threading


class Client:
    def __init__(self, flags):
        command = [os.environ.get("AGENT", "agent"), "run", *flags, "--input", "stream-json",
                   "--output", "stream-json", "--include-partial"]
        # In a session of its own, the agent does not get the SIGINT of the terminal.
        self.agent = subprocess.Popen(command, encoding="utf-8", start_new_session=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.asks = []  # open questions, oldest first
        self.line_open = False  # the last printed line has no end yet
        self.ready = threading.Event()  # a prompt or an answer can be typed
        self.ready.set()

    def send(self, **command):
        try:
            print(json.dumps(command), file=self.agent.stdin, flush=True)
        except BrokenPipeError:  # the agent has ended
            pass

    def show(self, text, end="\n"):
        # Everything from a model or a file can contain control characters.
        text = "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)
        if end and self.line_open:
            text = "\n" + text
        self.line_open = not (text + end).endswith("\n")
        print(text, end=end, flush=True)

    def listen(self):
        """Handle each line of the agent until it ends."""
        for line in self.agent.stdout:
            event = json.loads(line)
            handle = getattr(self, "on_" + event["type"], None)  # None for a type of a later version
            if handle:
                handle(event)
        self.ready.set()

    def on_session(self, e):
        self.show(f"session {e.get('session', '(not saved)')} · {e['model']} · mode {e['mode']}")

    def on_delta(self, e):
        if e["piece"] == "text":
            self.show(e.get("text", ""), end="")

    def on_tool_start(self, e):
        self.show("◦ " + e["title"])

    def on_progress(self, e):
        self.show(e["text"], end="")

    def on_tool_end(self, e):
        text = (e["result"].get("text") or "-").splitlines()[0]  # for the model
        why = e.get("summary") or e.get("error") or f"{e['outcome']}: {text}"
        self.show(f"{'·' if e['outcome'] == 'ok' else '✗'} {e['title']}  {why}")
        for diff in e.get("diffs", []):
            self.show(f"  {diff['path']}  +{diff['added']} -{diff['removed']}")

    def on_ask(self, e):
        ask = e["ask"]
        self.asks.append(ask)
        self.show("? " + (ask.get("question") or ask["title"]))
        for target in ask.get("targets", []):
            self.show(f"  {target['kind']}: {target['value']}")
        for diff in ask.get("diffs", []):
            self.show(diff["unified"])
        for warning in ask.get("warnings", []):
            self.show("  warning: " + warning)
        for number, choice in enumerate(ask.get("choices", []), 1):
            self.show(f"  {number}. {choice['text']}")
        self.show(ask.get("plan", "") or f"  why: {ask.get('why', '')}")
        self.ready.set()

    def on_ask_done(self, e):
        self.asks = [ask for ask in self.asks if ask["id"] != e["id"]]

    def on_notice(self, e):
        self.show("· " + e["text"])

    def on_retrying(self, e):
        self.show(f"✗ {e['error']} (attempt {e['attempt']} follows)")

    def on_unsent(self, e):
        self.show("not sent: " + e["text"])

    def on_error(self, e):
        self.show("✗ " + e["error"])
        self.ready.set()  # if an answer does not fit its question, the question stays open

    def on_result(self, e):
        self.show(f"[{e['reason']}: {e['steps']} steps, {e['usage'].get('output', 0)} tokens of output]")
        if e.get("error"):
            self.show("✗ " + e["error"] + " " + e.get("hint", ""))
        self.ready.set()

    def answer(self, ask, text):
        numbers = text.replace(",", " ").split()
        if ask.get("choices") and numbers and all(n.isdigit() for n in numbers):
            self.send(type="answer", id=ask["id"], decision="answer", choices=[int(n) - 1 for n in numbers])
        elif text in ("y", "a"):
            self.send(type="answer", id=ask["id"], decision="allow" if text == "y" else "always")
        else:
            self.send(type="answer", id=ask["id"], decision="refuse", note=text)

    def typed(self, text):
        self.ready.clear()
        if self.asks:
            self.answer(self.asks[0], text)
        elif text.startswith("/mode "):
            self.send(type="set_mode", mode=text.removeprefix("/mode ").strip())
            self.ready.set()
        else:
            self.send(type="prompt", text=text)

    def run(self):
        signal.signal(signal.SIGINT, signal.default_int_handler)  # also if it was ignored
        listener = threading.Thread(target=self.listen)
        listener.start()
        while self.agent.poll() is None:
            try:
                if not sys.stdin.isatty():
                    self.ready.wait()  # lines from a file are typed one after another
                line = sys.stdin.readline()
                if not line:
                    break
                if line.strip():
                    self.typed(line.strip())
            except KeyboardInterrupt:
                self.send(type="interrupt")
        self.agent.stdin.close()
        listener.join()
        return self.agent.wait()


if __name__ == "__main__":
    sys.exit(Client(sys.argv[1:]).run())
