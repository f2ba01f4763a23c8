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
// is the real one, and File the choice of users without one; tests use a fake.
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
	err := withTimeout(keyringLimit, System{}, func() error {
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

// withTimeout calls f, which uses r, with a time limit. A call that hangs keeps its
// goroutine, because the keyring cannot cancel it.
func withTimeout(d time.Duration, r Keyring, f func() error) error {
	if isFile(r) { // it waits for nobody
		return f()
	}
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(d):
		return fmt.Errorf("the keyring did not answer within %s: unlock it and try again", d)
	}
}

// isFile reports whether r is the file.
func isFile(r Keyring) bool {
	_, ok := r.(File)
	return ok
}

// placeName names r in messages.
func placeName(r Keyring) string {
	if f, ok := r.(File); ok {
		return f.String()
	}
	return "the system keyring"
}

// storedPath returns the path of the list of stored secrets. The list avoids a keyring
// call for every provider.
func storedPath() (string, error) {
	dir, err := history.Dir(os.Getenv)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "keyring"), nil
}

// storedSecrets returns the list of stored secrets: providers with a key, and names of
// Tokens. See mark.
func storedSecrets() []string {
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

// mark returns what stands in the list of stored secrets for a secret in r: its name, and
// file:NAME if it is in the file.
func mark(r Keyring, name string) string {
	if isFile(r) {
		return "file:" + name
	}
	return name
}

// holder returns where a secret is according to the list of stored secrets. The file is
// more recent than the keyring: see clearFile. It returns r, and false, if the secret is
// not in the list.
func holder(list []string, name string, r Keyring) (Keyring, bool) {
	if slices.Contains(list, mark(File{}, name)) {
		return File{}, true
	}
	return r, slices.Contains(list, mark(r, name))
}

// holders is like holder, and also returns the places with older copies of the secret.
func holders(list []string, name string, r Keyring) []Keyring {
	first, _ := holder(list, name, r)
	if isFile(first) && slices.Contains(list, mark(r, name)) {
		return []Keyring{first, r}
	}
	return []Keyring{first}
}

// clearFile deletes a secret from the file once r has a new one.
func clearFile(r Keyring, name string) error {
	if now, _ := holder(storedSecrets(), name, r); isFile(r) || !isFile(now) {
		return nil
	}
	if err := (File{}).Delete(name); err != nil && !errors.Is(err, errNoKey) {
		return fmt.Errorf("delete the old secret in %s: %w", File{}, err)
	}
	return noteStored(File{}, name, false)
}

// readStored reads the list of stored secrets at path, which need not exist.
func readStored(path string) ([]string, error) {
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return strings.Fields(string(b)), nil
}

// noteStored adds a secret in r to the list of stored secrets, or removes it.
func noteStored(r Keyring, name string, stored bool) error {
	path, err := storedPath()
	if err != nil {
		return err
	}
	entry := mark(r, name)
	err = history.Exclusive(path, func() error {
		list, err := readStored(path)
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(p string) bool { return p == entry })
		if stored {
			list = append(list, entry)
		}
		return history.Replace(path, []byte(strings.Join(list, "\n")+"\n"), true)
	})
	if err != nil {
		return fmt.Errorf("update the list of stored keys: %w", err)
	}
	return nil
}
