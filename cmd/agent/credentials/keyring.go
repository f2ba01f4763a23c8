package credentials

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/zalando/go-keyring"

	"agent/internal/history"
)

// service is the service name of the program's entries in the keyring.
const service = "agent"

var (
	errNoKey     = errors.New("the keyring has no API key for this provider")
	errNoKeyring = errors.New("no system keyring is available")
)

// Keyring stores secrets. Its methods may block until the user unlocks it. System
// is the real one; tests use a fake.
type Keyring interface {
	Get(provider string) (string, error) // errNoKey if there is none
	Set(provider, key string) error
	Delete(provider string) error // errNoKey if there is none
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

// CheckKeyring returns why the keyring of the system cannot be used; nil if it answers.
// A locked keyring may ask the user to unlock it.
func CheckKeyring() error {
	err := withTimeout(keyringLimit, func() error {
		_, err := System{}.Get("agent doctor")
		return err
	})
	if errors.Is(err, errNoKey) {
		return nil
	}
	return err
}

// callKeyring calls f if a keyring is available, and maps its errors.
func callKeyring(f func() error) error {
	if !KeyringAvailable() {
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

// isUnavailable reports whether err means that there is no bus, or no secret
// service on it.
func isUnavailable(err error) bool {
	_, unreachable := errors.AsType[*net.OpError](err)
	return unreachable || err != nil && strings.Contains(err.Error(), "org.freedesktop.secrets")
}

// withTimeout calls f with a time limit. A call that hangs keeps its goroutine,
// because the keyring cannot cancel it.
func withTimeout(d time.Duration, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(d):
		return fmt.Errorf("the keyring did not answer within %s: unlock it and try again", d)
	}
}

// storedPath returns the path of the list of providers with a key in the keyring.
// The list avoids a keyring call for every provider.
func storedPath() (string, error) {
	dir, err := history.Dir(os.Getenv)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "keyring"), nil
}

// storedProviders returns the providers with a key in the keyring.
func storedProviders() []string {
	path, err := storedPath()
	if err != nil {
		return nil
	}
	list, err := readStored(path)
	if err != nil {
		return nil
	}
	return list
}

// readStored reads the list of stored keys at path, which need not exist.
func readStored(path string) ([]string, error) {
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return strings.Fields(string(b)), nil
}

// noteStored adds the provider to the list of storedProviders, or removes it.
func noteStored(provider string, stored bool) error {
	path, err := storedPath()
	if err != nil {
		return err
	}
	err = history.Exclusive(path, func() error {
		list, err := readStored(path)
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(p string) bool { return p == provider })
		if stored {
			list = append(list, provider)
		}
		return history.Replace(path, []byte(strings.Join(list, "\n")+"\n"), true)
	})
	if err != nil {
		return fmt.Errorf("update the list of stored keys: %w", err)
	}
	return nil
}
