package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The model gets the instruction files in the system prompt, those of a subdirectory
// once a tool touches it, and skills by the tool. A resumed session sends the same
// prompt and does not repeat a note.
func TestInstructionsReachTheModel(t *testing.T) {
	t.Parallel()
	s := serve(t, call("read", `{"path":"web/a.go"}`), call("skill", `{"name":"ship"}`), call("read", `{"path":"web/a.go"}`), say("done"), call("read", `{"path":"web/a.go"}`), say("again"))
	h := newHome(t, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", "AGENTS.md": "ROOT-RULES @docs/style.md\n", "docs/style.md": "STYLE-RULES", "web/AGENTS.md": "WEB-RULES", "web/a.go": "package web\n",
		".claude/skills/ship/SKILL.md": "---\ndescription: ships it\nallowed-tools: Bash(*)\n---\nSHIP-STEPS",
	}, at(s)...)
	if err := os.MkdirAll(filepath.Join(h.dir, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.dir, ".claude", "CLAUDE.md"), []byte("OWN-RULES"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"run", "go"}, {"run", "--continue", "once more"}} {
		if out, code := h.agent(t, args...); code != 0 {
			t.Fatalf("exit code %d: %s", code, out)
		}
	}
	r := s.seen()
	if len(r) != 6 {
		t.Fatalf("got %d requests, want 6", len(r))
	}
	system := func(i int) string { return string(r[i].Messages[0].Content) }
	last := -1
	for _, want := range []string{"OWN-RULES", "ROOT-RULES", "STYLE-RULES", "- ship: ships it"} {
		at := strings.Index(system(0), want)
		if at <= last {
			t.Errorf("%s is not in its place in the system prompt:\n%s", want, system(0))
		}
		last = at
	}
	if strings.Contains(r[0].body, "WEB-RULES") || strings.Contains(r[0].body, "SHIP-STEPS") {
		t.Error("the first request has the instructions of a subdirectory or the text of a skill")
	}
	for i, want := range []int{0, 1, 1, 1, 1, 1} {
		if got := strings.Count(r[i].body, "WEB-RULES"); got != want {
			t.Errorf("request %d has the instructions of web %d times, want %d", i, got, want)
		}
		if system(i) != system(0) {
			t.Errorf("request %d has another system prompt", i)
		}
	}
	if !strings.Contains(r[2].body, "SHIP-STEPS") {
		t.Error("the model did not get the skill")
	}
}

// The screen lists the files in use, /NAME sends a skill, /memory add changes the
// project's file and tells the model, and /init asks the model.
func TestInstructionsOnTheScreen(t *testing.T) {
	t.Parallel()
	s := serve(t, say("Shipped."), say("Noted."), say("Written."))
	h := newHome(t, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", "AGENTS.md": "- Be brief.\n", ".claude/skills/ship/SKILL.md": "---\ndescription: ships it\n---\nSHIP-STEPS for $ARGUMENTS with $1",
	}, at(s)...)
	a := h.open(t, 100, 30)
	a.wait("AGENTS.md (12 bytes) · 1 skill", "? help")
	a.send("/ship shop" + enter)
	a.wait("/ship comes from this repository", "Shipped.", "? help")
	a.send("/memory add Use tabs." + enter)
	a.wait("Changed AGENTS.md (+1 −0)", "- Use tabs.")
	a.send("go on" + enter)
	a.wait("Noted.", "? help")
	a.send("/init" + enter)
	a.wait("Written.")
	if got := read(t, h, "AGENTS.md"); got != "- Be brief.\n- Use tabs.\n" {
		t.Errorf("got %q", got)
	}
	r := s.seen()
	if len(r) != 3 {
		t.Fatalf("got %d requests, want 3", len(r))
	}
	for i, want := range []string{"SHIP-STEPS for shop with $1", "[The user added to AGENTS.md: Use tabs.]", "Write a first AGENTS.md for this repository"} {
		if !strings.Contains(r[i].body, want) {
			t.Errorf("request %d does not have %q:\n%s", i, want, r[i].body)
		}
	}
	a.send(ctrlD)
	a.exit()
}

// /memory opens the chosen file in the user's editor, and the model gets the changed
// text.
func TestMemoryOpensTheEditor(t *testing.T) {
	t.Parallel()
	s := serve(t, say("First."), say("Second."))
	h := newHome(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "AGENTS.md": "OLD-RULES\n", "edit.sh": "echo NEW-RULES > \"$1\"\n"}, at(s)...)
	h.env = append(h.env, "EDITOR=sh "+filepath.Join(h.work, "edit.sh"))
	a := h.open(t, 100, 30)
	a.wait("AGENTS.md (10 bytes)", "? help")
	a.send("one" + enter)
	a.wait("First.", "? help")
	a.send("/memory" + enter)
	a.wait("Instruction files", "AGENTS.md")
	a.send(enter)
	a.wait("The model gets the new text of AGENTS.md with its next step.")
	a.send("two" + enter)
	a.wait("Second.")
	r := s.seen()
	if len(r) != 2 || !strings.Contains(r[1].body, "[The user changed AGENTS.md. It now says:]") || !strings.Contains(r[1].body, "NEW-RULES") {
		t.Errorf("the model did not get the new text: %d requests", len(r))
	}
	a.send(ctrlD)
	a.exit()
}
