package credentials

import (
	"errors"
	"fmt"

	"agent/cmd/agent/command"
)

// fileFlag is the flag with which the user chooses the file.
const (
	fileFlag    = "unencrypted-file"
	fileFlagUse = "without a system keyring, store the secret in a file that is not encrypted"
)

// errCancelled is the error of a user who does not choose the file.
var errCancelled = errors.New("cancelled")

// FileReaders says who can read the file with secrets.
const FileReaders = `Every program that runs as your account can read it, also commands of the model if they
run without a sandbox or in an incomplete one.`

// Choice is how the user chooses where a new secret is stored.
type Choice struct {
	IO   command.IO
	File bool   // the user has already chosen the file, if there is no keyring
	What string // the secret, for messages
	// Command is the command that the user ran. It is only needed for Tokens.
	Command string
}

// store returns where the secret is stored: in r if that can store an entry, otherwise in
// the file if the user chooses it. It asks the user on a terminal.
func (c Choice) store(r Keyring) (Keyring, error) {
	err := probe(r)
	if err == nil {
		return r, nil
	}
	if !c.File {
		if !c.IO.Interactive() {
			return nil, err
		}
		path, pathErr := FilePlace()
		if pathErr != nil {
			return nil, errors.Join(err, pathErr)
		}
		c.IO.Err.Say(fmt.Sprintf(`The system keyring cannot be used: %v.
Instead, the %s can be stored in a file that is not encrypted:

  %s

%s
`, err, c.What, path, FileReaders))
		if c.IO.Ask(`To store it there, type "file". To cancel, press Enter: `) != "file" {
			return nil, fmt.Errorf("%w: the %s was not stored", errCancelled, c.What)
		}
	}
	if err := probe(File{}); err != nil {
		return nil, fmt.Errorf("the %s cannot be stored: %w", c.What, err)
	}
	return File{}, nil
}

// probe returns why r cannot store secrets; nil if it can. A keyring that answers may still
// refuse to store.
func probe(r Keyring) error {
	const name = "probe"
	return withTimeout(unlockLimit, r, func() error {
		if err := r.Set(name, "probe"); err != nil {
			return err
		}
		if err := r.Delete(name); err != nil && !errors.Is(err, errNoKey) { // another login may have deleted it
			return err
		}
		return nil
	})
}
