package main

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

// ringService is the name under which the keyring keeps this program's keys.
const ringService = "agent"

var (
	errNoKey  = errors.New("there is no key of this provider in the keyring")
	errNoRing = errors.New("there is no keyring on this machine")
)

// ring is a keyring: a place of the operating system that keeps secrets. Its
// calls may wait for the person to unlock it.
type ring interface {
	Get(provider string) (string, error) // errNoKey where it has none
	Set(provider, key string) error
	Delete(provider string) error // errNoKey where it has none
}

// systemRing is the keyring of the operating system.
type systemRing struct{}

func (systemRing) Get(provider string) (key string, err error) {
	err = ringCall(func() (err error) {
		key, err = keyring.Get(ringService, provider)
		return err
	})
	return key, err
}

func (systemRing) Set(provider, key string) error {
	return ringCall(func() error { return keyring.Set(ringService, provider, key) })
}

func (systemRing) Delete(provider string) error {
	return ringCall(func() error { return keyring.Delete(ringService, provider) })
}

// ringCall calls the keyring if there is one.
func ringCall(call func() error) error {
	if !ringReachable() {
		return errNoRing
	}
	err := call()
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return errNoKey
	case errors.Is(err, keyring.ErrUnsupportedPlatform), unserved(err):
		return fmt.Errorf("%w (%w)", errNoRing, err)
	}
	return err
}

// unserved reports whether there is no bus after all, or nothing on it that
// keeps secrets.
func unserved(err error) bool {
	_, unreachable := errors.AsType[*net.OpError](err)
	return unreachable || err != nil && strings.Contains(err.Error(), "org.freedesktop.secrets")
}

// within gives call so long. What hangs is left behind: the keyring offers no
// way to give up.
func within(d time.Duration, call func() error) error {
	done := make(chan error, 1)
	go func() { done <- call() }()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case err := <-done:
		return err
	case <-t.C:
		return fmt.Errorf("the keyring did not answer within %s: it may be locked", d)
	}
}

// storedPath is the file that lists the providers whose keys are in the
// keyring: their names, so that it need not be asked for all of them.
func storedPath() (string, error) {
	dir, err := history.Dir(os.Getenv)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "keyring"), nil
}

// storedProviders returns the providers that a key was stored for.
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

// noteStored puts the provider on the list, or takes it off.
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
