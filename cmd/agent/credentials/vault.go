// Package credentials finds the API keys of providers in the environment, in the
// system keyring, and in the output of configured commands. It holds `agent login`
// and `agent logout`. It writes a key to a file only if there is no keyring and the user
// chooses that: see File. Start reading at Vault.
package credentials

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/cmd/agent/settings"
	"agent/internal/llm/catalog"
)

const (
	// keyringLimit is the time limit of the keyring at startup. A locked keyring
	// asks the user first.
	keyringLimit = 500 * time.Millisecond
	// unlockLimit is the time limit of the keyring in login and logout.
	unlockLimit = time.Minute
)

// Vault finds API keys that are not in the environment: those from configured
// commands and from the keyring. It caches them until the process exits. It
// implements catalog.Vault and is safe for concurrent use.
type Vault struct {
	providers map[string]settings.Provider
	keyring   Keyring
	stored    func() []string              // see storedSecrets
	cleanup   func(func()) (forget func()) // see command.Factory; may be nil
	env       map[string]string            // variables with API keys, removed from the environment
	profile   *profile                     // of Databricks; nil if it does not apply

	mu      sync.Mutex
	results map[string]keyResult
	secrets *listener // shared with the vaults that are made from this one
}

// listener gets the secrets that a vault finds.
type listener struct {
	mu  sync.Mutex
	add func(name, value string) // nil before Secrets
}

func (l *listener) found(name, value string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.add != nil {
		l.add(name, value)
	}
}

type keyResult struct {
	key   catalog.Key
	where string
	err   error
}

// NewVault returns a vault for the configuration and the system keyring. It removes
// the variables that the configuration names from the environment, so that no child
// process inherits them. cleanup stops a command that prints a key when the program
// exits; it may be nil.
func NewVault(set settings.Settings, cleanup func(func()) (forget func())) *Vault {
	v := newVault(set, System{}, storedSecrets)
	v.cleanup = cleanup
	return v
}

func newVault(set settings.Settings, keyring Keyring, stored func() []string) *Vault {
	v := &Vault{providers: set.Providers, keyring: keyring, stored: stored, env: map[string]string{}, results: map[string]keyResult{}, secrets: &listener{}}
	for _, name := range Variables(set) {
		if value, ok := os.LookupEnv(name); ok && !slices.Contains(set.Shell.KeepEnv, name) {
			v.env[name] = value
			_ = os.Unsetenv(name)
		}
	}
	if p := readProfile(v.Environment); p.applies(v.Environment, set.Providers[databricks].BaseURL) {
		v.profile = &p
	}
	return v
}

// WithoutProfiles returns a vault that does not use the profiles of other programs.
func (v *Vault) WithoutProfiles() *Vault {
	if v.profile == nil {
		return v
	}
	return &Vault{providers: v.providers, keyring: v.keyring, stored: v.stored, cleanup: v.cleanup, env: v.env, results: map[string]keyResult{}, secrets: v.secrets}
}

// ForHost returns a vault to continue with the last model, whose base URL was recorded
// as url; empty for none. A profile of another host must not redirect its
// conversation.
func (v *Vault) ForHost(model, url string) *Vault {
	if v.profile == nil || url == "" || !strings.HasPrefix(model, databricks+"/") ||
		bareHost(url) == bareHost(v.profile.host) || v.Environment("DATABRICKS_HOST") != "" {
		return v
	}
	return v.WithoutProfiles()
}

// Secrets calls add with each secret that v holds, and from now on with those that it
// finds. Add must not call v.
func (v *Vault) Secrets(add func(name, value string)) {
	for name, value := range v.env {
		add(name, value)
	}
	if v.profile != nil {
		add("DATABRICKS_TOKEN", v.profile.token)
		add("DATABRICKS_CLIENT_SECRET", v.profile.login["DATABRICKS_CLIENT_SECRET"])
	}
	v.secrets.mu.Lock()
	v.secrets.add = add
	v.secrets.mu.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	for provider, f := range v.results {
		add(keyName(provider), f.key.Reveal())
	}
}

// keyName names the key of a provider.
func keyName(provider string) string { return provider + " api key" }

// Variable is like Environment. In place of variables that are not set, it returns the
// host and the client credentials of the Databricks profile.
func (v *Vault) Variable(name string) string {
	value := v.Environment(name)
	if value != "" || v.profile == nil {
		return value
	}
	if name == "DATABRICKS_HOST" {
		return v.profile.host
	}
	return v.profile.login[name]
}

// Environment is like os.Getenv, and also returns the variables that NewVault removed.
func (v *Vault) Environment(name string) string {
	if value, ok := v.env[name]; ok {
		return value
	}
	return os.Getenv(name)
}

// Has implements catalog.Vault. It runs no command and does not call the keyring.
func (v *Vault) Has(provider string) (where string, ok bool) {
	if p := v.providers[provider]; p.Key != nil && !p.Key.Command.Empty() {
		return CommandPlace(provider, p.Key.Command), true
	}
	if r, ok := holder(v.stored(), provider, v.keyring); ok {
		return placeName(r), true
	}
	if v.hasToken(provider) {
		return v.profile.where, true
	}
	return "", false
}

// hasToken reports whether the profile has a token for the provider.
func (v *Vault) hasToken(provider string) bool {
	return provider == databricks && v.profile != nil && v.profile.token != ""
}

// Key implements catalog.Vault.
func (v *Vault) Key(provider string) (catalog.Key, string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	f, ok := v.results[provider]
	if !ok {
		f = v.lookUp(provider)
		v.results[provider] = f
		v.secrets.found(keyName(provider), f.key.Reveal())
	}
	return f.key, f.where, f.err
}

// Renew implements catalog.Renewer. It runs a configured command again.
func (v *Vault) Renew(ctx context.Context, provider string, old catalog.Key) (catalog.Key, error) {
	p := v.providers[provider]
	if p.Key == nil || p.Key.Command.Empty() {
		return "", errNoOther
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if f := v.results[provider]; f.err == nil && f.key != "" && f.key != old {
		return f.key, nil // another request has renewed it
	}
	key, err := runCommand(ctx, p.Key.Command, commandLimit, v.cleanup)
	if err != nil {
		return "", err
	}
	if key == old {
		return "", errNoOther
	}
	v.results[provider] = keyResult{key: key, where: CommandPlace(provider, p.Key.Command)}
	v.secrets.found(keyName(provider), key.Reveal())
	return key, nil
}

// errNoOther is the error of Renew if there is no other key.
var errNoOther = errors.New("there is no other API key")

// CommandPlace names a command that prints the key of a provider: as the provider's own
// catalog.Row.TokenCommand if it is that one, with any path of the program.
func CommandPlace(provider string, c settings.Command) string {
	words := c.Words
	if c.Line != "" {
		words = strings.Fields(c.Line)
	}
	if r, _ := catalog.Find(provider); len(words) > 0 && len(r.Token) > 0 {
		words = append([]string{filepath.Base(words[0])}, words[1:]...)
		if slices.Equal(words, r.Token) {
			return r.TokenCommand()
		}
	}
	return "command in the configuration"
}

func (v *Vault) lookUp(provider string) keyResult {
	if p := v.providers[provider]; p.Key != nil && !p.Key.Command.Empty() {
		key, err := runCommand(context.Background(), p.Key.Command, commandLimit, v.cleanup)
		return keyResult{key: key, where: CommandPlace(provider, p.Key.Command), err: err}
	}
	r, stored := holder(v.stored(), provider, v.keyring)
	if v.hasToken(provider) && !stored {
		return keyResult{key: catalog.Key(v.profile.token), where: v.profile.where}
	}
	var key string
	err := withTimeout(keyringLimit, r, func() (err error) {
		key, err = r.Get(provider)
		return err
	})
	switch {
	case errors.Is(err, errNoKey), errors.Is(err, errNoKeyring) && !stored:
		return keyResult{}
	case err != nil:
		return keyResult{err: fmt.Errorf("read the API key from %s: %w", placeName(r), err)}
	}
	return keyResult{key: catalog.Key(strings.TrimSpace(key)), where: placeName(r)}
}
