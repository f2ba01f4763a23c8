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

// Tokens stores the tokens of logins by name: in the keyring of the system, or in the file
// if the user has chosen that. A text that is too long for an entry of the keyring is in
// several entries.
type Tokens struct {
	Keyring Keyring
	// Chosen is where Save stores tokens; nil for where they already are.
	Chosen Keyring
}

// Has reports whether there are tokens, and where. It does not call the keyring.
func (t Tokens) Has(name string) (where string, ok bool) {
	r, ok := holder(storedSecrets(), name, t.Keyring)
	return placeName(r), ok
}

// Choose returns a store that saves tokens where the user chooses.
func (t Tokens) Choose(c Choice) (Tokens, error) {
	r, err := c.store(t.Keyring)
	if err != nil && !c.File && !errors.Is(err, errCancelled) {
		err = fmt.Errorf("the %s cannot be stored: %w. To store them in a file that is not encrypted: %s --%s", c.What, err, c.Command, fileFlag)
	}
	return Tokens{Keyring: t.Keyring, Chosen: r}, err
}

// Load returns the tokens with that name; empty if there are none.
func (t Tokens) Load(name string) (text string, err error) {
	r, _ := holder(storedSecrets(), name, t.Keyring)
	err = withTimeout(unlockLimit, r, func() error {
		first, err := r.Get(name)
		if err != nil {
			return err
		}
		count, all, _ := strings.Cut(first, "\n")
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 || n > maxParts {
			return errors.New("it is damaged. Log in again")
		}
		for i := 1; i < n; i++ {
			part, err := r.Get(partName(name, i))
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
		return "", fmt.Errorf("read the tokens of the login from %s: %w", placeName(r), err)
	}
	return text, nil
}

// Save stores tokens.
func (t Tokens) Save(name, text string) error {
	list := storedSecrets()
	r, _ := holder(list, name, t.Keyring)
	if t.Chosen != nil {
		r = t.Chosen
	}
	size := maxPart
	if isFile(r) {
		size = max(len(text), 1) // it writes all of it at once
	}
	err := withTimeout(unlockLimit, r, func() error {
		parts := slices.Collect(slices.Chunk([]byte(text), size))
		if len(parts) > maxParts {
			return errors.New("they are too long")
		}
		for i := len(parts) - 1; i > 0; i-- {
			if err := r.Set(partName(name, i), string(parts[i])); err != nil {
				return err
			}
		}
		return r.Set(name, strconv.Itoa(max(len(parts), 1))+"\n"+text[:min(len(text), size)])
	})
	if err != nil {
		return fmt.Errorf("store the tokens of the login: %w", err)
	}
	if slices.Contains(list, mark(r, name)) && t.Chosen == nil {
		return nil
	}
	return errors.Join(noteStored(r, name, true), clearFile(r, name))
}

// Delete removes tokens, and reports whether there were any.
func (t Tokens) Delete(name string) (found bool, err error) {
	for _, r := range holders(storedSecrets(), name, t.Keyring) {
		err = withTimeout(unlockLimit, r, func() error {
			for i := range maxParts {
				err := r.Delete(partName(name, i))
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
		if err = noteStored(r, name, false); err != nil {
			return found, err
		}
	}
	return found, nil
}

// partName returns the name of a part in the keyring.
func partName(name string, part int) string {
	if part == 0 {
		return name
	}
	return name + "#" + strconv.Itoa(part)
}
