package loop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"agent/internal/history"
	"agent/internal/llm"
	"agent/internal/llm/mask"
	"agent/internal/llm/script"
	"agent/internal/loop"
	"agent/internal/loop/event"
	"agent/internal/loop/export"
	"agent/internal/loop/policy"
	"agent/internal/loop/secrets"
	"agent/internal/loop/session"
	tracing "agent/internal/loop/trace"
	"agent/internal/tools"
	"agent/internal/tools/shell"
	"agent/internal/tools/workspace"
)

// newMask returns a Masker of an installation, the same in each call.
func newMask() *mask.Masker {
	return mask.New(func() ([]byte, error) { return []byte("the key of an installation"), nil })
}

// madeUp returns a token that is made up, of the shape of a well-known service.
func madeUp(seed uint64) string {
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	r := rand.New(rand.NewPCG(seed, 1))
	b := []byte("ghp_")
	for range 36 {
		b = append(b, alphabet[r.IntN(len(alphabet))])
	}
	return string(b)
}

// secretStage is a workspace and a store of sessions.
type secretStage struct {
	dir, state string
	store      *history.Store
}

func newSecretStage(t *testing.T, files map[string]string) secretStage {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	state := filepath.Join(t.TempDir(), "state")
	return secretStage{dir, state, history.Open(state)}
}

// options returns the options of a session that replaces secrets with m.
func (s secretStage) options(t *testing.T, m *mask.Masker, log *history.Log, p llm.Provider) loop.Options {
	t.Helper()
	w, err := workspace.Open(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	w.Attach(log.Outputs())
	known := workspace.NewLedger()
	commands := tools.Commands{Workspace: w, Filter: func() shell.Filter { return m.Stream() }}
	o := options(p, append(tools.Files(w, known), commands.Tools(nil)...)...)
	o.Permissions.Paths = policy.Paths{Workspace: s.dir, Sandbox: policy.SandboxOutside}
	hidden := secrets.New(m, nil)
	o.Log, o.Workspace.Ledger, o.Prompt.Secrets, o.Interceptors = log, known, hidden, tools.Intercept(hidden)
	o.Workspace.Shell = commands.Typed(nil)
	return o
}

func (s secretStage) file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkNowhere fails the test if a file of the session directory has one of values.
func (s secretStage) checkNowhere(t *testing.T, values ...string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(s.state, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		for _, value := range values {
			if i := bytes.Index(text, []byte(value)); i >= 0 {
				t.Errorf("%s has a secret: %.200s", path, text[max(0, i-80):])
			}
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}
}

// checkRequests fails the test if a request has one of values.
func checkRequests(t *testing.T, p *script.Provider, values ...string) {
	t.Helper()
	for i, r := range p.Requests() {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range values {
			if bytes.Contains(text, []byte(value)) {
				t.Errorf("request %d has a secret: %s", i, text)
			}
		}
	}
}

// jsonArgs returns arguments of a tool.
func jsonArgs(t *testing.T, v map[string]any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The model gets placeholders in place of secrets, and can write them to files and use
// them in commands. Nothing that is stored has the secrets.
func TestSecretsStayOnThisMachine(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are for a POSIX shell")
	}
	inFile, pasted, given := madeUp(1), madeUp(2), "given-"+madeUp(3)[4:20]
	s := newSecretStage(t, map[string]string{"config.txt": "host=a\ntoken=" + inFile + "\nport=1\n", "doc.txt": "write [secret:NAME] here\n"})
	inFileMask, pastedMask := newMask().Text(inFile), newMask().Text(pasted)
	m := newMask()
	m.Add("MY_API_KEY", given)
	traceFile := filepath.Join(s.state, "trace.jsonl")
	if err := os.Mkdir(s.state, 0o700); err != nil {
		t.Fatal(err)
	}
	log := s.store.Create(history.Header{Dir: s.dir, Version: "test", Time: time.Now()})
	defer func() { _ = log.Close() }()
	patch := "*** Begin Patch\n*** Update File: config.txt\n@@\n token=" + inFileMask + "\n-port=1\n+port=2 " + pastedMask + "\n*** End Patch\n"
	p := script.New(
		script.Call("c1", "read", `{"path":"config.txt"}`),
		script.Call("c2", "edit", jsonArgs(t, map[string]any{"path": "config.txt", "old": "token=" + inFileMask + "\n", "new": "token=" + inFileMask + "\nmore=" + pastedMask + "\n"})),
		script.Call("c3", "write", jsonArgs(t, map[string]any{"path": "copy.txt", "content": "key " + inFileMask + "\n"})),
		script.Call("c4", "patch", jsonArgs(t, map[string]any{"patch": strings.Replace(patch, " token="+inFileMask, " more="+pastedMask, 1)})),
		script.Call("c5", "shell", jsonArgs(t, map[string]any{"command": "printf %s " + inFileMask + " > out.txt; cat out.txt; for i in $(seq 3000); do echo line $i; done; cat config.txt"})),
		script.Call("c6", "read", jsonArgs(t, map[string]any{"path": inFileMask})),
		script.Call("c7", "write", jsonArgs(t, map[string]any{"path": "unknown.txt", "content": strings.Replace(inFileMask, "github", "githab", 1)})),
		script.Call("c11", "write", jsonArgs(t, map[string]any{"path": "model.txt", "content": madeUp(4)})),
		script.Call("c8", "write", jsonArgs(t, map[string]any{"path": "guess.txt", "content": "[secret:NAME]"})),
		script.Call("c9", "read", `{"path":"doc.txt"}`),
		script.Call("c10", "write", jsonArgs(t, map[string]any{"path": "guess2.txt", "content": "[secret:NAME]"})),
		script.Say("done with "+inFileMask+" and "+given))
	o := s.options(t, m, log, p)
	o.Prompt.AppendSystem = "the system prompt has " + given
	traced, err := tracing.Open(tracing.Options{File: traceFile, Content: true})
	if err != nil {
		t.Fatal(err)
	}
	o.Listen = traced.Listen
	results := map[string]*event.ToolEnd{}
	events := play(t, o, []string{"my key is " + pasted}, func(e event.Event) []event.Command {
		if end, ok := e.(*event.ToolEnd); ok {
			results[end.Result.ID] = end
		}
		return nil
	})
	traced.Close()
	s.checkWritten(t, inFile, pasted)
	for id, want := range map[string]string{"c6": "read takes no placeholders", "c7": "stands for no secret", "c8": "stands for no secret"} {
		if end := results[id]; end == nil || end.Outcome != event.Failed || !strings.Contains(end.Result.Text, want) {
			t.Errorf("%s: got %+v, want %q", id, end, want)
		}
	}
	if !strings.Contains(results["c1"].Result.Text, inFileMask) || !strings.Contains(results["c5"].Result.Text, "3000") {
		t.Errorf("read: %q, shell: %q", results["c1"].Result.Text, results["c5"].Result.Text)
	}
	if outputs, err := os.ReadDir(log.Outputs()); err != nil || len(outputs) == 0 {
		t.Errorf("no output was stored: %v", err)
	}
	values := []string{inFile, pasted, given, madeUp(4)}
	checkRequests(t, p, values...)
	s.checkNowhere(t, values...)
	checkExport(t, events, values...)
}

// checkWritten fails the test if the tools of TestSecretsStayOnThisMachine did not write
// the secrets to the files, or wrote a placeholder.
func (s secretStage) checkWritten(t *testing.T, inFile, pasted string) {
	t.Helper()
	if got, want := s.file(t, "config.txt"), "host=a\ntoken="+inFile+"\nmore="+pasted+"\nport=2 "+pasted+"\n"; got != want {
		t.Errorf("config.txt: got %q, want %q", got, want)
	}
	for name, want := range map[string]string{"copy.txt": "key " + inFile + "\n", "out.txt": inFile, "guess2.txt": "[secret:NAME]", "model.txt": madeUp(4)} {
		if got := strings.TrimSuffix(s.file(t, name), "\n"); got != strings.TrimSuffix(want, "\n") {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{"unknown.txt", "guess.txt"} {
		if _, err := os.Stat(filepath.Join(s.dir, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

// checkExport fails the test if an export of the events has one of values.
func checkExport(t *testing.T, events []event.Event, values ...string) {
	t.Helper()
	var s export.Session
	s.Events = durable(events)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"Markdown": func(b *bytes.Buffer) error { return export.Markdown(b, s) },
		"HTML":     func(b *bytes.Buffer) error { return export.HTML(b, s) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil || b.Len() == 0 {
			t.Errorf("%s: %d bytes, %v", name, b.Len(), err)
		}
		for _, value := range values {
			if strings.Contains(b.String(), value) {
				t.Errorf("%s has a secret: %s", name, b.String())
			}
		}
	}
}

// A dialog shows the real change. The log has placeholders, also in what was proposed.
func TestDialogShowsSecrets(t *testing.T) {
	value := madeUp(5)
	s := newSecretStage(t, map[string]string{"config.txt": "token=" + value + "\n"})
	m := newMask()
	placeholder := m.Text(value)
	log := s.store.Create(history.Header{Dir: s.dir, Version: "test", Time: time.Now()})
	defer func() { _ = log.Close() }()
	p := script.New(
		script.Call("c1", "write", jsonArgs(t, map[string]any{"path": "new.txt", "content": placeholder + "\n"})),
		script.Say("done"))
	o := s.options(t, m, log, p)
	o.Permissions.Mode = event.ModeAsk
	shown := false
	play(t, o, []string{"go"}, func(e event.Event) []event.Command {
		asked, ok := e.(event.Asked)
		if !ok {
			return nil
		}
		shown = len(asked.Ask.Diffs) == 1 && strings.Contains(asked.Ask.Diffs[0].Unified, value)
		return []event.Command{event.Answer{ID: asked.Ask.ID, Decision: event.Refuse, Note: "not with " + value}}
	})
	if !shown {
		t.Error("the dialog does not show the secret")
	}
	checkRequests(t, p, value)
	s.checkNowhere(t, value)
}

// A resumed session sends the same messages. Its placeholders of values that the program
// knows still work; others work after the model has seen the secret again.
func TestSecretsAfterResume(t *testing.T) {
	inFile, given := madeUp(6), "given-"+madeUp(7)[4:20]
	s := newSecretStage(t, map[string]string{"a.txt": inFile + "\n", "b.txt": given + "\n"})
	first := newMask()
	first.Add("MY_API_KEY", given)
	log := s.store.Create(history.Header{Dir: s.dir, Version: "test", Time: time.Now()})
	p := script.New(script.Reply{}.Call("c1", "read", `{"path":"a.txt"}`).Call("c2", "read", `{"path":"b.txt"}`).Calls(), script.Say("done"))
	play(t, s.options(t, first, log, p), []string{"go"}, nil)
	inFileMask, givenMask := first.Text(inFile), first.Text(given)
	id := log.Header().ID
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	log, _, err := s.store.Resume(id)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	second := newMask()
	second.Add("MY_API_KEY", given)
	write := func(id, text string) script.Reply {
		return script.Call(id, "write", jsonArgs(t, map[string]any{"path": id + ".txt", "content": text}))
	}
	q := script.New(write("d1", givenMask), write("d2", inFileMask), script.Call("d3", "shell", `{"command":"cat a.txt"}`), write("d4", inFileMask), script.Say("done"))
	play(t, s.options(t, second, log, q), []string{"again"}, nil)
	before, after := p.Requests()[1].Messages, q.Requests()[0].Messages
	for i, m := range before {
		if m.Text != after[i].Text {
			t.Errorf("message %d: %q was sent as %q", i, after[i].Text, m.Text)
		}
	}
	for name, want := range map[string]string{"d1.txt": given, "d4.txt": inFile} {
		if got := strings.TrimSpace(s.file(t, name)); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, "d2.txt")); err == nil {
		t.Errorf("d2.txt was written: %q", s.file(t, "d2.txt"))
	}
	checkRequests(t, q, inFile, given)
	s.checkNowhere(t, inFile, given)
}

// The draft and a command that the user types are stored without secrets.
func TestSecretsOfTheUser(t *testing.T) {
	typed, drafted := madeUp(8), madeUp(9)
	s := newSecretStage(t, map[string]string{"a.txt": ""})
	log := s.store.Create(history.Header{Dir: s.dir, Version: "test", Time: time.Now()})
	defer func() { _ = log.Close() }()
	p := script.New(script.Say("one"), script.Say("two"))
	started := false
	play(t, s.options(t, newMask(), log, p), []string{"go", "more"}, func(e event.Event) []event.Command {
		if _, ok := e.(*event.UserSaid); !ok || started {
			return nil
		}
		started = true
		return []event.Command{event.SaveDraft{Draft: event.Draft{Text: "use " + drafted}}, event.RunShell{Line: "echo " + typed, Join: true}}
	})
	checkRequests(t, p, typed, drafted)
	s.checkNowhere(t, typed, drafted)
	v, err := log.View()
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	if _, err := session.ReadIndex(context.Background(), v); err != nil {
		t.Error(err)
	}
}
