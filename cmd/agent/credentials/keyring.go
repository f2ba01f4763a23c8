package credentials

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/zalando/go-keyring"

	"agent/internal/history"
)

// service is the name under which the keyring keeps the keys of this program.
const service = "agent"

var (
	errNoKey     = errors.New("there is no key of this provider in the keyring")
	errNoKeyring = errors.New("there is no keyring on this machine")
)

// Keyring keeps secrets for the user. Its calls may wait for the user to unlock
// it.
type Keyring interface {
	Get(provider string) (string, error) // errNoKey if it has none
	Set(provider, key string) error
	Delete(provider string) error // errNoKey if it has none
}

// System is the keyring of the operating system.
type System struct{}

func (System) Get(provider string) (key string, err error) {
	err = callKeyring(func() (err error) {
		key, err = keyring.Get(service, provider)
		return err
	})
	return key, err
}

func (System) Set(provider, key string) error {
	return callKeyring(func() error { return keyring.Set(service, provider, key) })
}

func (System) Delete(provider string) error {
	return callKeyring(func() error { return keyring.Delete(service, provider) })
}

// callKeyring calls f if there is a keyring.
func callKeyring(f func() error) error {
	if !keyringReachable() {
		return errNoKeyring
	}
	err := f()
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return errNoKey
	case errors.Is(err, keyring.ErrUnsupportedPlatform), isUnavailable(err):
		return fmt.Errorf("%w (%w)", errNoKeyring, err)
	}
	return err
}

// unserved reports whether there is no bus after all, or nothing on it that
// keeps secrets.
func isUnavailable(err error) bool {
	_, unreachable := errors.AsType[*net.OpError](err)
	return unreachable || err != nil && strings.Contains(err.Error(), "org.freedesktop.secrets")
}

// withTimeout calls f with a time limit. A call that hangs is left behind, because
// the keyring cannot cancel one.
func withTimeout(d time.Duration, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(d):
		return fmt.Errorf("the keyring did not answer within %s: it may be locked", d)
	}
}

// storedPath returns the file that lists the providers whose keys are in the
// keyring, so that the keyring is not asked for every provider.
func storedPath() (string, error) {
	dir, err := history.Dir(os.Getenv)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "keyring"), nil
}

// storedProviders returns the providers whose keys were stored.
func storedProviders() []string {
	path, err := storedPath()
	if err != nil {
		return nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return strings.Fields(string(b))
}

// noteStored adds the provider to the list, or removes it.
func noteStored(provider string, stored bool) error {
	path, err := storedPath()
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(storedProviders(), func(p string) bool { return p == provider })
	if stored {
		list = append(list, provider)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("note the provider: %w", err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(list, "\n")+"\n"), 0o600); err != nil {
		return fmt.Errorf("note the provider: %w", err)
	}
	return nil
}
