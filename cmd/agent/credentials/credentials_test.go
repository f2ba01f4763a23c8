package credentials

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/llm/catalog"
)

// fakeKeyring is a keyring in memory. If err is set, all methods return it.
type fakeKeyring struct {
	keys map[string]string
	err  error
	hang chan struct{} // nothing is answered before it is closed
	asks int
}

func (r *fakeKeyring) Get(provider string) (string, error) {
	r.asks++
	if r.hang != nil {
		<-r.hang
	}
	key, ok := r.keys[provider]
	if !ok && r.err == nil {
		return "", errNoKey
	}
	return key, r.err
}

func (r *fakeKeyring) Set(provider, key string) error {
	if r.err == nil {
		r.keys[provider] = key
	}
	return r.err
}

func (r *fakeKeyring) Delete(provider string) error {
	if _, ok := r.keys[provider]; !ok && r.err == nil {
		return errNoKey
	}
	delete(r.keys, provider)
	return r.err
}

// byCommand returns a configuration whose provider acme gets its key from a
// command.
func byCommand(words ...string) settings.Settings {
	return settings.Settings{Providers: map[string]settings.Provider{"acme": {Key: &settings.Key{Command: settings.Command{Words: words}}}}}
}

func byLine(line string) settings.Settings {
	return settings.Settings{Providers: map[string]settings.Provider{"acme": {Key: &settings.Key{Command: settings.Command{Line: line}}}}}
}

func TestKeyCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands are written for sh")
	}
	t.Setenv("OPENAI_API_KEY", "sk-environment")
	for name, row := range map[string]struct {
		set settings.Settings
		key string
		err string // a part of it
	}{
		"a list":                       {byCommand("echo", " k1 "), "k1", ""},
		"a list goes to no shell":      {byCommand("echo", "$HOME;x"), "$HOME;x", ""},
		"a line goes to one":           {byLine("printf k; echo 2"), "k2", ""},
		"only the first line":          {byLine("echo k3; echo login: me"), "k3", ""},
		"it fails":                     {byLine("echo 'no such  entry' >&2; exit 3"), "", "the command sh failed: exit status 3: no such entry"},
		"it prints nothing":            {byLine("echo locked >&2"), "", "the command sh printed nothing: locked"},
		"there is no such":             {byCommand("no-such-command"), "", `the command no-such-command failed: exec: "no-such-command": executable file not found`},
		"it gets no key of others":     {byLine("echo key:$OPENAI_API_KEY"), "key:", ""},
		"it runs in no project":        {byLine("test $(pwd) = $(cd; pwd) && echo home"), "home", ""},
		"it gets nothing on its input": {byLine("cat; echo k4"), "k4", ""},
	} {
		t.Run(name, func(t *testing.T) {
			k := newVault(row.set, &fakeKeyring{}, func() []string { return nil })
			if where, ok := k.Has("acme"); !ok || where != "command in the configuration" {
				t.Errorf("got %q, %t before it is run", where, ok)
			}
			key, _, err := k.Key("acme")
			if key.Reveal() != row.key || (err == nil) != (row.err == "") || err != nil && !strings.Contains(err.Error(), row.err) {
				t.Errorf("got %q, %v, want %q, %s", key.Reveal(), err, row.key, row.err)
			}
		})
	}
}

// TestKeyCommandOnce runs a command only once, also if it fails.
func TestKeyCommandOnce(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are written for sh")
	}
	file := filepath.Join(t.TempDir(), "runs")
	k := newVault(byLine("echo x >> "+file+"; echo k"), &fakeKeyring{}, func() []string { return nil })
	for range 3 {
		if key, where, err := k.Key("acme"); key.Reveal() != "k" || where != "command in the configuration" || err != nil {
			t.Errorf("got %v, %s, %v", key, where, err)
		}
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "x\n" {
		t.Errorf("got runs %q, %v", b, err)
	}
}

// TestKeyCommandEnds stops a command that does not end, even if a child process
// keeps its pipes.
func TestKeyCommandEnds(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	_, err := runCommand(t.Context(), settings.Command{Line: "sleep 3 & echo waiting >&2; wait"}, 100*time.Millisecond, nil)
	if err == nil || !strings.Contains(err.Error(), "did not finish within 100ms") || time.Since(begun) > 20*time.Second {
		t.Errorf("got %v after %s", err, time.Since(begun))
	}
}

func TestKeyring(t *testing.T) {
	t.Parallel()
	stored := func() []string { return []string{"groq", "xai"} }
	ring := &fakeKeyring{keys: map[string]string{"groq": "k1\n", "mistral": "k2"}}
	k := newVault(settings.Settings{}, ring, stored)
	if _, ok := k.Has("mistral"); ok || ring.asks > 0 {
		t.Error("the keyring was queried for a provider that was not chosen")
	}
	for provider, want := range map[string]string{
		"groq":     "k1 the system keyring",
		"mistral":  "k2 the system keyring", // stored elsewhere
		"cerebras": " ",
		"xai":      " ", // taken away meanwhile
	} {
		key, where, err := k.Key(provider)
		if got := key.Reveal() + " " + where; got != want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", provider, got, err, want)
		}
	}
	for name, row := range map[string]struct {
		ring     *fakeKeyring
		provider string
		err      string
	}{
		"none here, and nothing is missed": {&fakeKeyring{err: errNoKeyring}, "cerebras", ""},
		"none here, but it had the key":    {&fakeKeyring{err: errNoKeyring}, "groq", "read the API key from the system keyring: no system keyring is available"},
		"it is broken":                     {&fakeKeyring{err: errors.New("bus error")}, "groq", "read the API key from the system keyring: bus error"},
	} {
		_, _, err := newVault(settings.Settings{}, row.ring, stored).Key(row.provider)
		if got := errorText(err); got != row.err {
			t.Errorf("%s: got %q, want %q", name, got, row.err)
		}
	}
}

// TestKeyringHangs limits the time of a keyring that waits for the user.
func TestKeyringHangs(t *testing.T) {
	t.Parallel()
	ring := &fakeKeyring{hang: make(chan struct{})}
	defer close(ring.hang)
	begun := time.Now()
	_, _, err := newVault(settings.Settings{}, ring, func() []string { return nil }).Key("groq")
	if want := "read the API key from the system keyring: the keyring did not answer within 500ms: unlock it and try again"; errorText(err) != want || time.Since(begun) > 20*keyringLimit {
		t.Errorf("got %v after %s, want %s", err, time.Since(begun), want)
	}
}

// TestKeyVariableIsTakenAway hides the configured variables from child processes.
func TestKeyVariableIsTakenAway(t *testing.T) {
	t.Setenv("WORK", "k1")
	set := settings.Settings{Providers: map[string]settings.Provider{"groq": {Key: &settings.Key{Env: "WORK"}}}}
	k := newVault(set, &fakeKeyring{}, func() []string { return nil })
	if v, ok := os.LookupEnv("WORK"); ok {
		t.Errorf("a child would get %q", v)
	}
	c, err := catalog.Resolve(catalog.Input{Getenv: k.Variable, Vault: k, Flag: "groq/m", Changes: set.Changes()})
	if err != nil || c.Key.Reveal() != "k1" || c.KeyName != "WORK" {
		t.Errorf("got %s from %s, %v", c.Key.Reveal(), c.KeyName, err)
	}
}

func TestLogin(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("GROQ_API_KEY", "")
	groq, _ := catalog.Find("groq")
	ring := &fakeKeyring{keys: map[string]string{}}
	var out strings.Builder
	if err := login(&out, ring, groq, "k1"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(storedSecrets(), []string{"groq"}); diff != "" || ring.keys["groq"] != "k1" {
		t.Errorf("got %v in the ring\n%s", ring.keys, diff)
	}
	t.Setenv("GROQ_API_KEY", "k2")
	if err := login(&out, ring, groq, "k3"); err != nil {
		t.Fatal(err)
	}
	if err := logout(&out, ring, groq); err != nil {
		t.Fatal(err)
	}
	if err := logout(&out, ring, groq); !errors.Is(err, errNoKey) {
		t.Errorf("got %v for a key that is gone", err)
	}
	want := `Stored the API key for groq in the system keyring. To use it: agent --model groq
Stored the API key for groq in the system keyring. To use it: agent --model groq
The environment variable GROQ_API_KEY is also set and takes precedence.
Removed the API key for groq from the system keyring.
The environment variable GROQ_API_KEY is still set.
`
	if diff := cmp.Diff(out.String(), want); diff != "" {
		t.Errorf("got, want:\n%s", diff)
	}
	if len(storedSecrets()) != 0 || len(ring.keys) != 0 {
		t.Errorf("left are %v and %v", storedSecrets(), ring.keys)
	}
	state, err := os.ReadFile(filepath.Join(os.Getenv("XDG_STATE_HOME"), "agent", "keyring"))
	if err != nil || strings.Contains(string(state), "k1") || strings.Contains(string(state), "k3") {
		t.Errorf("on the disk is %q, %v", state, err)
	}
}

// noKeyring returns options of a login to groq without a terminal, on a machine without a
// keyring. Standard input must not be read.
func noKeyring(err error) *LoginOptions {
	return &LoginOptions{
		IO:       command.IO{In: os.Stdin, Err: command.Console{Writer: io.Discard}},
		Settings: func() (settings.File, error) { return settings.File{}, nil }, Keyring: &fakeKeyring{err: err}, Provider: "groq",
	}
}

func TestLoginWithoutKeyring(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	want := `the API key was not stored: no system keyring is available.
Set GROQ_API_KEY in the environment, or configure a command that prints the key (agent config shows the file):
  {"providers": {"groq": {"key": {"command": ["pass", "show", "groq"]}}}}
To store the key in a file that is not encrypted: agent login groq --unencrypted-file`
	err := loginRun(t.Context(), noKeyring(errNoKeyring))
	if diff := cmp.Diff(errorText(err), want); diff != "" || len(storedSecrets()) != 0 {
		t.Errorf("got, want:\n%s", diff)
	}
	if err := loginRun(t.Context(), noKeyring(errors.New("locked"))); !strings.HasPrefix(errorText(err), "the API key was not stored: locked.\n") {
		t.Errorf("got %v", err)
	}
	groq, _ := catalog.Find("groq")
	if err := logout(&strings.Builder{}, &fakeKeyring{err: errors.New("locked")}, groq); errorText(err) != "remove the API key: locked" {
		t.Errorf("got %v", err)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestLoginOptions parse one provider and use the dependencies of the factory.
func TestLoginOptions(t *testing.T) {
	t.Parallel()
	for _, newCmd := range []func(*command.Factory, command.RunFunc[LoginOptions]) *cobra.Command{NewCmdLogin, NewCmdLogout} {
		for args, want := range map[string]string{"groq": "groq", "": "usage", "groq xai": "usage"} {
			got := ""
			cmd := newCmd(&command.Factory{}, func(_ context.Context, opts *LoginOptions) error {
				got = opts.Provider
				return nil
			})
			cmd.SetArgs(strings.Fields(args))
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			if _, ok := errors.AsType[*command.UsageError](cmd.ExecuteContext(t.Context())); ok {
				got = "usage"
			}
			if got != want {
				t.Errorf("%s %q: got %q, want %q", cmd.Name(), args, got, want)
			}
		}
	}
}

// TestLoginFromPipe reads the key from a pipe and stores it under the provider's
// name.
func TestLoginFromPipe(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("GROQ_API_KEY", "")
	for given, want := range map[string]string{"k1\n": "", "": "the API key is empty", "two words": "invalid API key"} {
		in, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.WriteString(given); err != nil {
			t.Fatal(err)
		}
		w.Close()
		ring := &fakeKeyring{keys: map[string]string{}}
		err = loginRun(t.Context(), &LoginOptions{
			IO:       command.IO{In: in, Err: command.Console{Writer: io.Discard}},
			Settings: func() (settings.File, error) { return settings.File{}, nil }, Keyring: ring, Provider: "groq",
		})
		in.Close()
		if !strings.HasPrefix(errorText(err), want) || (err == nil) != (want == "") || err == nil && ring.keys["groq"] != "k1" {
			t.Errorf("%q: got %v and %v, want %q", given, err, ring.keys, want)
		}
	}
}
