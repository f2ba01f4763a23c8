package credentials

import (
	"context"
	"time"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/llm/catalog"
)

// firstCommandLimit is the time limit of a command that prints an API key when the user tries
// it: it may first ask the user to unlock a store.
const firstCommandLimit = time.Minute

// KeepInKeyring stores the key of a provider in the system keyring.
func KeepInKeyring(provider string, key catalog.Key) error {
	return save(System{}, provider, key.Reveal())
}

// KeepInFile stores the key of a provider in the file that is not encrypted. The user has
// to choose that.
func KeepInFile(provider string, key catalog.Key) error { return save(File{}, provider, key.Reveal()) }

// ProbeKeyring returns why the system keyring cannot store an API key; nil if it can. A locked
// keyring may ask the user to unlock it.
func ProbeKeyring() error { return probe(System{}) }

// FilePlace returns the path of the file with secrets, for display.
func FilePlace() (string, error) {
	path, err := filePath()
	return command.Short(path), err
}

// FromCommand runs a command, until ctx ends, and returns the API key that it prints. cleanup
// is that of command.Factory; it may be nil.
func FromCommand(ctx context.Context, c settings.Command, cleanup func(func()) (forget func())) (catalog.Key, error) {
	return runCommand(ctx, c, firstCommandLimit, cleanup)
}

// Found tells the listener of Secrets about a key of a provider that was not found by v.
func (v *Vault) Found(provider string, key catalog.Key) {
	v.secrets.found(keyName(provider), key.Reveal())
}
