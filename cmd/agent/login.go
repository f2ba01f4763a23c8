package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"agent/internal/llm/catalog"
)

// maxKey is how long a key may be.
const maxKey = 16 << 10

// loginCommand is `agent login`.
func loginCommand(end *shutdown) *cobra.Command {
	return &cobra.Command{
		Use:   "login PROVIDER",
		Short: "store a provider's key in the keyring",
		Long: `Login stores a provider's key in the keyring of the operating system. On a
terminal it asks for the key, which is not shown as it is typed; otherwise it
reads it from standard input. A key that the environment holds goes before it.`,
		Example: "  agent login anthropic\n  pass show groq | agent login groq",
		Args:    oneProvider,
		RunE: func(cmd *cobra.Command, args []string) error {
			row, err := keyedProvider(args[0])
			if err != nil {
				return err
			}
			key, err := readKey(os.Stdin, cmd.ErrOrStderr(), row.Name, end)
			if err != nil {
				return err
			}
			return login(cmd.ErrOrStderr(), systemRing{}, row, key)
		},
	}
}

// login stores a key and says so.
func login(out io.Writer, r ring, row catalog.Row, key string) error {
	err := within(unlockTime, func() error { return r.Set(row.Name, key) })
	if errors.Is(err, errNoRing) {
		return fmt.Errorf("%w, so the key is not stored: a file would be no place for it.\n%s", err, instead(row))
	}
	if err != nil {
		return fmt.Errorf("store the key: %w", err)
	}
	if err := noteStored(row.Name, true); err != nil {
		return err
	}
	fmt.Fprintf(out, "The key of %s is in the keyring. Use it:  agent --model %s\n", row.Name, row.Name)
	if name, set := firstSet(row.KeyNames); set {
		fmt.Fprintf(out, "%s is set too, and goes before it.\n", name)
	}
	return nil
}

// instead says what to do without a keyring.
func instead(row catalog.Row) string {
	return fmt.Sprintf(`Set %s in the environment, or let a command print it, in the configuration (agent config path):
  {"providers": {"%s": {"key": {"command": ["pass", "show", "%s"]}}}}`, row.KeyNames[0], row.Name, row.Name)
}

// logoutCommand is `agent logout`.
func logoutCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "logout PROVIDER",
		Short: "remove a provider's key from the keyring",
		Args:  oneProvider,
		RunE: func(cmd *cobra.Command, args []string) error {
			row, err := keyedProvider(args[0])
			if err != nil {
				return err
			}
			return logout(cmd.ErrOrStderr(), systemRing{}, row)
		},
	}
}

// logout removes a key and says so.
func logout(out io.Writer, r ring, row catalog.Row) error {
	err := within(unlockTime, func() error { return r.Delete(row.Name) })
	if err != nil && !errors.Is(err, errNoKey) {
		return fmt.Errorf("remove the key: %w", err)
	}
	if noted := noteStored(row.Name, false); noted != nil {
		return noted
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "The key of %s is no longer in the keyring.\n", row.Name)
	if name, set := firstSet(row.KeyNames); set {
		fmt.Fprintf(out, "%s is still set.\n", name)
	}
	return nil
}

// oneProvider takes one argument.
func oneProvider(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage("name one provider: %s PROVIDER", cmd.CommandPath())
	}
	return nil
}

// keyedProvider returns the provider called name, if it takes a key.
func keyedProvider(name string) (catalog.Row, error) {
	set, err := loadSettings()
	if err != nil {
		return catalog.Row{}, err
	}
	changes := changesOf(set)
	row, found := changes.Find(name)
	switch {
	case !found:
		return row, usage("there is no provider %q: agent models lists them", name)
	case len(row.KeyNames) == 0:
		return row, usage("%s takes no key", row.Name)
	}
	return row, nil
}

// readKey reads a key: from a terminal without showing it, or all of stdin.
func readKey(stdin *os.File, ask io.Writer, provider string, end *shutdown) (string, error) {
	var b []byte
	var err error
	if term.IsTerminal(stdin.Fd()) {
		fmt.Fprintf(ask, "Key of %s (it is not shown): ", provider)
		b, err = readHidden(stdin.Fd(), end)
		fmt.Fprintln(ask)
	} else {
		b, err = io.ReadAll(io.LimitReader(stdin, maxKey+1))
	}
	if err != nil {
		return "", fmt.Errorf("read the key: %w", err)
	}
	key := strings.TrimSpace(string(b))
	switch {
	case key == "":
		return "", usage("there is no key: type it, or give it on standard input")
	case len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return "", usage("this is no key: one is a single word")
	}
	return key, nil
}

// readHidden reads a line that the terminal does not show. A signal ends the
// program with the terminal as it was: the read itself cannot be given up.
func readHidden(fd uintptr, end *shutdown) ([]byte, error) {
	was, err := term.GetState(fd)
	if err != nil {
		return nil, err
	}
	defer end.cleanup(func() { _ = term.Restore(fd, was) })()
	return term.ReadPassword(fd)
}

// firstSet returns the first of the variables that the environment has.
func firstSet(names []string) (string, bool) {
	for _, n := range names {
		if os.Getenv(n) != "" {
			return n, true
		}
	}
	return "", false
}
