package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/cmd/agent/settings"
	"agent/internal/llm/catalog"
	"agent/internal/llm/wire"
)

const (
	// commandTime is how long a command that prints a key may take.
	commandTime = 10 * time.Second
	// ringTime is how long the keyring may take at start-up: one that is locked
	// asks the person first.
	ringTime = 500 * time.Millisecond
	// unlockTime is how long it may take where the person waits for nothing else.
	unlockTime = time.Minute
)

// keys finds the keys that are not in the environment: those that the
// configuration tells of, and those in the keyring. What it found it keeps for
// as long as the program runs, and nowhere else. It is a catalog.Vault.
type keys struct {
	of     map[string]settings.Provider
	ring   ring
	stored func() []string // the providers that a key was stored for

	end *shutdown // ends a command that prints a key with the program; may be nil

	mu    sync.Mutex
	env   map[string]string // variables that hold a key, which no child inherits
	found map[string]found
}

type found struct {
	key   catalog.Key
	where string
	err   error
}

// newKeys returns the keys that the configuration and the keyring have. The
// variables that the configuration names are taken out of the environment,
// where whatever the program starts would inherit them.
func newKeys(set settings.Settings, r ring, stored func() []string) *keys {
	k := &keys{of: set.Providers, ring: r, stored: stored, env: map[string]string{}, found: map[string]found{}}
	for _, name := range keyVariables(set) {
		if v, ok := os.LookupEnv(name); ok && !slices.Contains(set.Shell.KeepEnv, name) {
			k.env[name] = v
			_ = os.Unsetenv(name)
		}
	}
	return k
}

// keyVariables returns the variables that hold keys by the configuration.
func keyVariables(set settings.Settings) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(set.Providers)) {
		if p := set.Providers[name]; p.Key != nil && p.Key.Env != "" {
			names = append(names, p.Key.Env)
		}
	}
	return names
}

// secretAddresses returns the variables for base URLs of providers whose URL
// carries a key: as a user or password, or in its query.
func secretAddresses(getenv func(string) string) []string {
	var names []string
	for _, r := range catalog.Providers() {
		base := getenv(r.URLName)
		u, err := url.Parse(base)
		if err != nil || u.Host == "" { // a host without a scheme, perhaps
			if strings.Contains(base, "@") {
				names = append(names, r.URLName)
			}
			continue
		}
		if wire.SecretURL(u) {
			names = append(names, r.URLName)
		}
	}
	return names
}

// getenv is os.Getenv that knows the variables which were taken away.
func (k *keys) getenv(name string) string {
	if v, ok := k.env[name]; ok {
		return v
	}
	return os.Getenv(name)
}

// Has is that of catalog.Vault. It reaches for nothing but the list of what was
// stored.
func (k *keys) Has(provider string) (where string, ok bool) {
	if p := k.of[provider]; p.Key != nil && !p.Key.Command.Empty() {
		return "its command in the configuration", true
	}
	if slices.Contains(k.stored(), provider) {
		return "the keyring", true
	}
	return "", false
}

// Key is that of catalog.Vault.
func (k *keys) Key(provider string) (catalog.Key, string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f, ok := k.found[provider]
	if !ok {
		f = k.look(provider)
		k.found[provider] = f
	}
	return f.key, f.where, f.err
}

func (k *keys) look(provider string) found {
	if p := k.of[provider]; p.Key != nil && !p.Key.Command.Empty() {
		key, err := printed(p.Key.Command, commandTime, k.end)
		return found{key: key, where: "the command in the configuration", err: err}
	}
	var key string
	err := within(ringTime, func() (err error) {
		key, err = k.ring.Get(provider)
		return err
	})
	switch {
	case errors.Is(err, errNoKey), errors.Is(err, errNoRing) && !slices.Contains(k.stored(), provider):
		return found{}
	case err != nil:
		return found{err: fmt.Errorf("the keyring has it, but: %w", err)}
	}
	return found{key: catalog.Key(strings.TrimSpace(key)), where: "the keyring"}
}

// printed runs a command that prints a key.
func printed(c settings.Command, limit time.Duration, end *shutdown) (catalog.Key, error) {
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	words := c.Words
	if c.Line != "" {
		words = []string{"sh", "-c", c.Line}
		if runtime.GOOS == "windows" {
			words = []string{"cmd", "/c", c.Line}
		}
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = withoutKeys(os.Environ())
	cmd.Dir, _ = os.UserHomeDir() // no project decides what a relative name means
	cmd.WaitDelay = time.Second   // its children may keep the pipes
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	ended := make(chan struct{})
	forget := end.cleanup(func() { stop(); <-ended })
	err := cmd.Run()
	close(ended)
	forget()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("the command %s did not print it within %s%s", words[0], limit, quoted(complaint))
	case err != nil:
		return "", fmt.Errorf("the command %s failed: %w%s", words[0], err, quoted(complaint))
	}
	key, _, _ := strings.Cut(strings.TrimSpace(out.String()), "\n") // what some print below it is no key
	if key = strings.TrimSpace(key); key == "" {
		return "", fmt.Errorf("the command %s printed nothing%s", words[0], quoted(complaint))
	}
	return catalog.Key(key), nil
}

// quoted is what a command complained about, in one line.
func quoted(b bytes.Buffer) string {
	s := strings.Join(strings.Fields(b.String()), " ")
	if s == "" {
		return ""
	}
	return ": " + s[:min(len(s), 300)]
}

// withoutKeys is the environment without the keys of providers. It is for the
// user's own programs, which may need their other secrets: the editor, the
// programs of the clipboard, and commands that print a key. What comes from the
// model or the repository gets less: see shell.Scrub.
func withoutKeys(env []string) []string {
	names := map[string]bool{}
	for _, r := range catalog.Providers() {
		for _, n := range r.KeyNames {
			names[n] = true
		}
		if r.Client != nil {
			names[r.Client.SecretName] = true
		}
	}
	return slices.DeleteFunc(env, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return names[name]
	})
}
