package credentials

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// entries is a keyring that, like that of Windows, has entries of limited size.
type entries struct {
	t   *testing.T
	all map[string]string
}

func (e entries) Get(name string) (string, error) {
	text, ok := e.all[name]
	if !ok {
		return "", errNoKey
	}
	return text, nil
}

func (e entries) Set(name, text string) error {
	if len(text) > 2000 {
		e.t.Errorf("the entry %s has %d bytes", name, len(text))
	}
	e.all[name] = text
	return nil
}

func (e entries) Delete(name string) error {
	if _, ok := e.all[name]; !ok {
		return errNoKey
	}
	delete(e.all, name)
	return nil
}

// has reports whether there are tokens of the server desk.
func has(t Tokens) bool {
	_, ok := t.Has("mcp:desk")
	return ok
}

func TestTokensOfAnyLength(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("LocalAppData", t.TempDir())
	keyring := entries{t, map[string]string{}}
	tokens := Tokens{Keyring: keyring}
	for _, text := range []string{"short\ntext", strings.Repeat("a\n", 4000), strings.Repeat("b", 1800), "short again"} {
		if err := tokens.Save("mcp:desk", text); err != nil {
			t.Fatal(err)
		}
		if got, err := tokens.Load("mcp:desk"); got != text || err != nil || !has(tokens) {
			t.Errorf("saved %d bytes, loaded %d: %v", len(text), len(got), err)
		}
	}
	if found, err := tokens.Delete("mcp:desk"); !found || err != nil || len(keyring.all) > 0 || has(tokens) {
		t.Errorf("deleted: %v, %v; left: %d entries", found, err, len(keyring.all))
	}
	if got, err := tokens.Load("mcp:desk"); got != "" || err != nil {
		t.Errorf("loaded %q, %v after the deletion", got, err)
	}
}

// Logins at the same time are all in the list.
func TestLoginsAtOnce(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("LocalAppData", t.TempDir())
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := (Tokens{Keyring: entries{t, map[string]string{}}}).Save(fmt.Sprint("mcp:s", i), "text"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := storedSecrets(); len(got) != 20 {
		t.Errorf("the list has %q", got)
	}
}

// Without a terminal and a keyring, the error is a command that stores the tokens.
func TestCommandForTheFile(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("LocalAppData", t.TempDir())
	tokens := Tokens{Keyring: &fakeKeyring{err: errNoKeyring}}
	_, err := tokens.Choose(Choice{What: "tokens", Command: "agent mcp login desk"})
	if want := "To store them in a file that is not encrypted: agent mcp login desk --unencrypted-file"; !strings.HasSuffix(errorText(err), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}
