package credentials

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxPart is the size in bytes of a part of a text in the keyring. Windows stores at most
// 2,560 bytes in an entry, and macOS about 3,000.
const maxPart = 1800

// maxParts limits the size of a text in the keyring.
const maxParts = 64

// Tokens stores the tokens of logins in the keyring of the system, by name. A text that is
// too long for an entry of the keyring is in several entries.
type Tokens struct{ Keyring Keyring }

// Has reports whether there are tokens. It does not call the keyring.
func (Tokens) Has(name string) bool { return slices.Contains(storedProviders(), name) }

// Load returns the tokens with that name; empty if there are none.
func (t Tokens) Load(name string) (text string, err error) {
	err = withTimeout(unlockLimit, func() error {
		first, err := t.Keyring.Get(name)
		if err != nil {
			return err
		}
		count, all, _ := strings.Cut(first, "\n")
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 || n > maxParts {
			return errors.New("it is damaged. Log in again")
		}
		for i := 1; i < n; i++ {
			part, err := t.Keyring.Get(partName(name, i))
			if err != nil {
				return err
			}
			all += part
		}
		text = all
		return nil
	})
	if errors.Is(err, errNoKey) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the tokens of the login from the keyring: %w", err)
	}
	return text, nil
}

// Save stores tokens.
func (t Tokens) Save(name, text string) error {
	err := withTimeout(unlockLimit, func() error {
		parts := slices.Collect(slices.Chunk([]byte(text), maxPart))
		if len(parts) > maxParts {
			return errors.New("they are too long")
		}
		for i := len(parts) - 1; i > 0; i-- {
			if err := t.Keyring.Set(partName(name, i), string(parts[i])); err != nil {
				return err
			}
		}
		return t.Keyring.Set(name, strconv.Itoa(max(len(parts), 1))+"\n"+text[:min(len(text), maxPart)])
	})
	if err != nil {
		return fmt.Errorf("store the tokens of the login: %w", err)
	}
	if t.Has(name) {
		return nil
	}
	return noteStored(name, true)
}

// Delete removes tokens, and reports whether there were any.
func (t Tokens) Delete(name string) (found bool, err error) {
	err = withTimeout(unlockLimit, func() error {
		for i := range maxParts {
			err := t.Keyring.Delete(partName(name, i))
			if errors.Is(err, errNoKey) {
				return nil
			}
			if err != nil {
				return err
			}
			found = true
		}
		return nil
	})
	if err != nil {
		return found, fmt.Errorf("remove the tokens of the login: %w", err)
	}
	return found, noteStored(name, false)
}

// partName returns the name of a part in the keyring.
func partName(name string, part int) string {
	if part == 0 {
		return name
	}
	return name + "#" + strconv.Itoa(part)
}
