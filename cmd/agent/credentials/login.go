package credentials

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"agent/cmd/agent/command"
	"agent/cmd/agent/settings"
	"agent/internal/llm/catalog"
)

// maxKey is how long a key may be.
const maxKey = 16 << 10

// LoginOptions are what `agent login` and `agent logout` need.
type LoginOptions struct {
	IO       command.IO
	Settings func() (settings.File, error)
	Cleanup  func(func()) (forget func())
	Keyring  Keyring

	Provider string
}

// NewCmdLogin returns `agent login`.
func NewCmdLogin(f *command.Factory, runF command.RunFunc[LoginOptions]) *cobra.Command {
	cmd := newCmd(f, command.Or(runF, loginRun))
	cmd.Use = "login PROVIDER"
	cmd.Short = "store a provider's key in the keyring"
	cmd.Long = `Login stores a provider's key in the keyring of the operating system. On a
terminal it asks for the key, which is not shown as it is typed; otherwise it
reads it from standard input. A key that the environment holds goes before it.`
	cmd.Example = "  agent login anthropic\n  pass show groq | agent login groq"
	return cmd
}

// NewCmdLogout returns `agent logout`.
func NewCmdLogout(f *command.Factory, runF command.RunFunc[LoginOptions]) *cobra.Command {
	cmd := newCmd(f, command.Or(runF, logoutRun))
	cmd.Use = "logout PROVIDER"
	cmd.Short = "remove a provider's key from the keyring"
	return cmd
}

// newCmd returns a command that takes the name of a provider.
func newCmd(f *command.Factory, runF command.RunFunc[LoginOptions]) *cobra.Command {
	return &cobra.Command{
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return command.Usage("name one provider: %s PROVIDER", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runF(cmd.Context(), &LoginOptions{IO: f.IO, Settings: f.Settings, Cleanup: f.Cleanup, Keyring: System{}, Provider: args[0]})
		},
	}
}

func loginRun(_ context.Context, opts *LoginOptions) error {
	row, err := opts.row()
	if err != nil {
		return err
	}
	key, err := opts.readKey(row.Name)
	if err != nil {
		return err
	}
	return login(opts.IO.Err, opts.Keyring, row, key)
}

func logoutRun(_ context.Context, opts *LoginOptions) error {
	row, err := opts.row()
	if err != nil {
		return err
	}
	return logout(opts.IO.Err, opts.Keyring, row)
}

// login stores a key and says so.
func login(out io.Writer, r Keyring, row catalog.Row, key string) error {
	err := withTimeout(unlockLimit, func() error { return r.Set(row.Name, key) })
	if errors.Is(err, errNoKeyring) {
		return fmt.Errorf("%w, so the key is not stored: a file would be no place for it.\n%s", err, keyAlternatives(row))
	}
	if err != nil {
		return fmt.Errorf("store the key: %w", err)
	}
	if err := noteStored(row.Name, true); err != nil {
		return err
	}
	fmt.Fprintf(out, "The key of %s is in the keyring. Use it:  agent --model %s\n", row.Name, row.Name)
	if name, set := firstEnv(row.KeyNames); set {
		fmt.Fprintf(out, "%s is set too, and goes before it.\n", name)
	}
	return nil
}

// keyAlternatives says what to do without a keyring.
func keyAlternatives(row catalog.Row) string {
	return fmt.Sprintf(`Set %s in the environment, or let a command print it, in the configuration (agent config path):
  {"providers": {"%s": {"key": {"command": ["pass", "show", "%s"]}}}}`, row.KeyNames[0], row.Name, row.Name)
}

// logout removes a key and says so.
func logout(out io.Writer, r Keyring, row catalog.Row) error {
	err := withTimeout(unlockLimit, func() error { return r.Delete(row.Name) })
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
	if name, set := firstEnv(row.KeyNames); set {
		fmt.Fprintf(out, "%s is still set.\n", name)
	}
	return nil
}

// row returns the provider, which must take a key.
func (o *LoginOptions) row() (catalog.Row, error) {
	file, err := o.Settings()
	if err != nil {
		return catalog.Row{}, err
	}
	changes := file.Changes()
	row, found := changes.Find(o.Provider)
	switch {
	case !found:
		return row, command.Usage("there is no provider %q: agent models lists them", o.Provider)
	case len(row.KeyNames) == 0:
		return row, command.Usage("%s takes no key", row.Name)
	}
	return row, nil
}

// readKey reads a key: a hidden line from a terminal, or all of standard input.
func (o *LoginOptions) readKey(provider string) (string, error) {
	var b []byte
	var err error
	if term.IsTerminal(o.IO.In.Fd()) {
		fmt.Fprintf(o.IO.Err, "Key of %s (it is not shown): ", provider)
		b, err = o.readHidden()
		fmt.Fprintln(o.IO.Err)
	} else {
		b, err = io.ReadAll(io.LimitReader(o.IO.In, maxKey+1))
	}
	if err != nil {
		return "", fmt.Errorf("read the key: %w", err)
	}
	key := strings.TrimSpace(string(b))
	switch {
	case key == "":
		return "", command.Usage("there is no key: type it, or give it on standard input")
	case len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return "", command.Usage("this is no key: one is a single word")
	}
	return key, nil
}

// readHidden reads a line that the terminal does not show. If a signal ends the
// program meanwhile, the terminal is restored: the read cannot be cancelled.
func (o *LoginOptions) readHidden() ([]byte, error) {
	fd := o.IO.In.Fd()
	was, err := term.GetState(fd)
	if err != nil {
		return nil, err
	}
	defer o.Cleanup(func() { _ = term.Restore(fd, was) })()
	return term.ReadPassword(fd)
}

// firstEnv returns the first of the variables that the environment has.
func firstEnv(names []string) (string, bool) {
	for _, n := range names {
		if os.Getenv(n) != "" {
			return n, true
		}
	}
	return "", false
}
